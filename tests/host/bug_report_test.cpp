// The sections of nvidia-bug-report.log, whole, cut and compressed.
// SPDX-License-Identifier: Apache-2.0
#include "host/bug_report.h"

#include "host/inputs.h"
#include "kit/compress.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRule = "\n____________________________________________\n\n";

std::string report() {
  return "\nStart of NVIDIA bug report log file.  Please include this file, along\nwith a detailed "
         "description.\n"
         "\nnvidia-bug-report.sh Version: 33809240\n\nDate: Tue May  3 10:00:00 UTC 2024\nuname: Linux blade "
         "5.15.0\n" +
         kRule +
         "*** /proc/driver/nvidia/./version\n*** ls: -r--r--r-- 1 root root 0 2024-05-03 10:00:00.0 +0000 "
         "/proc/driver/nvidia/./version\n"
         "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05\nGCC version:  gcc 11\n" +
         kRule + "*** /etc/issue\n*** ls: -rw-r--r-- 1 root root 26 /etc/issue\nUbuntu\n" +
         "*** /etc/none does not exist\n" + kRule +
         "/usr/bin/nvidia-smi --query\n\n==============NVSMI LOG==============\n\nDriver Version : "
         "535.104.05\n" +
         kRule + "/usr/bin/lspci -d \"10de:*\" -v -xxx\n\n3b:00.0 3D controller: NVIDIA\n" + kRule +
         "dmesg:\n\n[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n" + kRule +
         "empty section\n\n" + kRule;
}

std::vector<std::string> names(const std::vector<host::BugReportSection>& sections) {
  std::vector<std::string> result;
  for (const auto& section : sections)
    result.push_back((section.absent ? "-" : "") + (section.path.empty() ? section.command : section.path));
  return result;
}

TEST(BugReport, IsSplitAtItsHeaders) {
  EXPECT_THAT(names(host::split_bug_report(report())),
              ElementsAre("beginning", "/proc/driver/nvidia/version", "/etc/issue", "-/etc/none",
                          "nvidia-smi --query", "lspci -d \"10de:*\" -v -xxx", "dmesg"));
}

TEST(BugReport, IsRecognisedByItsFirstLinesAndAlsoWithoutThem) {
  EXPECT_TRUE(host::looks_like_bug_report(report()));
  EXPECT_TRUE(host::looks_like_bug_report(report().substr(report().find("uname"))));
  EXPECT_FALSE(host::looks_like_bug_report("[ 1.0] NVRM: Xid\n____________________\n"));
  EXPECT_FALSE(host::looks_like_bug_report(""));
}

TEST(BugReport, CutAnywhereNeverFails) {
  const std::string text = report();
  for (std::size_t size = 0; size <= text.size(); ++size) {
    for (const auto& section : host::split_bug_report(std::string_view(text).substr(0, size))) {
      EXPECT_LE(static_cast<std::size_t>(section.content.offset + section.content.length), size);
    }
    host::split_bug_report(std::string_view(text).substr(size));
  }
}

class BugReportSource : public ::testing::Test {
 protected:
  void SetUp() override {
    auto spool = host::Spool::create();
    ASSERT_TRUE(spool.ok());
    ASSERT_TRUE((*spool)->append(report()).ok());
    auto opened = host::BugReport::open(*spool);
    ASSERT_TRUE(opened.ok());
    source_ = std::move(*opened);
  }
  std::unique_ptr<host::BugReport> source_;
};

TEST_F(BugReportSource, AnswersForFiles) {
  EXPECT_THAT(*source_->read_file("/proc/driver/nvidia/version", 1000),
              HasSubstr("NVRM version: NVIDIA UNIX"));
  EXPECT_EQ(base::kind_name(source_->read_file("/etc/none", 1000).error().kind), std::string("not found"));
  EXPECT_FALSE(source_->read_file("/etc/other", 1000).ok());
  EXPECT_THAT(*source_->list_directory("/proc/driver/nvidia"), ElementsAre("version"));
}

TEST_F(BugReportSource, AnswersForCommandsInAnySpelling) {
  const auto answer = source_->run({"nvidia-smi", "-q"}, std::chrono::seconds(1));
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer->output, HasSubstr("NVSMI LOG"));
  EXPECT_TRUE(source_->run({"lspci", "-d", "10de:*", "-v", "-xxx"}, std::chrono::seconds(1)).ok());
  EXPECT_FALSE(source_->run({"nvidia-smi"}, std::chrono::seconds(1)).ok());
}

TEST_F(BugReportSource, AnswersForTheKernelLog) {
  const auto log = source_->kernel_log();
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(log->text, HasSubstr("Xid (PCI:0000:3b:00): 79"));
}

TEST(BugReportInput, CompressedBecomesOneDocumentASection) {
  const TempFolder folder;
  const std::string path = folder.write("nvidia-bug-report.log.gz", kit::gzip(report()));
  auto inputs = host::open_inputs({path});
  ASSERT_TRUE(inputs.ok());
  std::vector<std::string> found;
  for (auto& document : inputs->documents) found.push_back(document.name.substr(path.size()));
  EXPECT_THAT(found, ElementsAre("/beginning", "/proc/driver/nvidia/version", "/etc/issue",
                                 "/nvidia-smi --query", "/lspci -d \"10de:*\" -v -xxx", "/dmesg"));
  EXPECT_THAT(*base::read_all(*inputs->documents[5].content, 1000), HasSubstr("fallen off the bus"));
}

TEST(BugReportInput, CutInItsCompressionGivesItsGoodPartAndSaysSo) {
  const TempFolder folder;
  std::string text = report();
  for (int line = 0; line < 50000; ++line) text += "filler " + std::to_string(line * 7919 % 100003) + "\n";
  const std::string bytes = kit::gzip(text);
  auto inputs =
      host::open_inputs({folder.write("nvidia-bug-report.log.gz", bytes.substr(0, bytes.size() / 2))});
  ASSERT_TRUE(inputs.ok());
  EXPECT_GE(inputs->documents.size(), 6U);
  ASSERT_EQ(inputs->could_not_look.size(), 1U);
  EXPECT_THAT(inputs->could_not_look[0], HasSubstr("truncated gzip"));
}

}  // namespace
}  // namespace gpuwright::tests
