// The promise of `gpuwright capture`: a redacted bundle gives the findings that the machine gave, and names
// nobody.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/text.h"
#include "host/evidence.h"
#include "host/live_host.h"
#include "host/recording.h"
#include "kit/compress.h"

#include "support/diagnose.h"
#include "support/expected.h"
#include "support/paths.h"
#include "support/run.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHost = "blade-x77";
constexpr const char* kUser = "jdoe42";
constexpr const char* kAddress = "203.0.113.7";
constexpr const char* kSerial = "1320221001234";
constexpr const char* kUuid = "5a3b1c2d-1111-2222-3333-444455556666";

/// Lines of every day that name somebody.
std::string gossip() {
  const std::string stamp = std::string("May  3 10:00:00 ") + kHost + " ";
  return stamp + "sshd[11]: Accepted publickey for " + kUser + " from " + kAddress + " port 2222 ssh2\n" +
         stamp + "systemd[1]: Started Session 7 of user " + kUser + ".\n" + stamp +
         "agent[12]: inventory: Serial Number: " + kSerial + " GPU-" + kUuid + "\n" + stamp +
         "agent[12]: checked " + kSerial + " of " + kHost + ".rack7.example.org for " + kUser + "\n";
}

/// What a person would compare: causes, subjects and weight, without names that redaction replaces.
std::vector<std::string> essence(const model::Diagnosis& diagnosis) {
  std::vector<std::string> result;
  const auto tell = [&result](const model::Finding& finding, const std::string& what) {
    const bool named = finding.subject.kind == model::SubjectKind::Process ||
                       finding.subject.kind == model::SubjectKind::Node ||
                       finding.subject.kind == model::SubjectKind::Pod;
    result.push_back(what + finding.cause + " on " + (named ? "somebody" : finding.subject.id) + " x" +
                     std::to_string(finding.count) + " " + std::to_string(finding.sure) + "% explains " +
                     std::to_string(finding.explains.size()) + " by " + base::join(finding.signals, ","));
  };
  for (const auto& finding : diagnosis.findings) tell(finding, "");
  for (const auto& finding : diagnosis.harmless) tell(finding, "harmless ");
  return result;
}

model::Diagnosis diagnose_inputs(host::Inputs inputs) {
  std::vector<NamedText> texts;
  for (auto& document : inputs.documents) {
    texts.push_back({document.name, base::read_all(*document.content, std::size_t{64} << 20).value_or("")});
  }
  return diagnose(texts);
}

/// All bytes of all members.
std::string unpacked(const std::string& bundle) {
  std::string all;
  auto plain = kit::decompressed(std::make_unique<base::MemoryStream>(bundle));
  EXPECT_TRUE(plain.ok());
  return base::read_all(**plain, std::size_t{64} << 20).value_or("");
}

class Replay : public ::testing::TestWithParam<ExpectedCase> {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root() + "/var/log");
    std::filesystem::create_directories(root() + "/etc");
    folder_.write("root/var/log/syslog", gossip() + GetParam().text + "\n" + gossip());
    folder_.write("root/etc/hostname", std::string(kHost) + "\n");
    folder_.write("root/etc/passwd", std::string("root:x:0:0::/root:/bin/sh\n") + kUser +
                                         ":x:1000:1000::/home/" + kUser + ":/bin/sh\n");
  }
  std::string root() const { return folder_.path() + "/root"; }

  std::string capture() {
    host::LiveHost disk(root());
    auto spool = host::Spool::create();
    EXPECT_TRUE(spool.ok());
    host::Recording recording(disk, *spool);
    host::collect_evidence(recording);
    host::Redactor redactor("a key of this test", host::known_names(disk));
    host::BundleOptions options;
    options.source = "sysroot";
    options.redactor = &redactor;
    const std::string path = folder_.path() + "/bundle.tar.gz";
    const base::Fd fd(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
    EXPECT_TRUE(host::write_bundle(recording, fd.get(), options).ok());
    return path;
  }

  TempFolder folder_;
};

TEST_P(Replay, RedactedBundleGivesTheSameFindings) {
  host::LiveHost disk(root());
  const auto before = essence(diagnose_inputs(host::collect_evidence(disk)));
  auto bundle = host::open_inputs({capture()});
  ASSERT_TRUE(bundle.ok()) << bundle.error().text();
  EXPECT_EQ(essence(diagnose_inputs(std::move(*bundle))), before);
}

TEST_P(Replay, RedactedBundleNamesNobody) {
  const std::string all = unpacked(read_file(capture()));
  EXPECT_THAT(all, HasSubstr("files/var/log/syslog"));
  for (const char* name : {kHost, kUser, kAddress, kSerial, kUuid, "rack7"}) {
    const auto at = all.find(name);
    EXPECT_EQ(at, std::string::npos) << name << (at == std::string::npos ? "" : all.substr(at, 120));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Replay, ::testing::ValuesIn(expected_cases()),
                         [](const auto& one) { return test_name(one.param.file); });

}  // namespace
}  // namespace gpuwright::tests
