// `gpuwright capture` as a person runs it.
// SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLog =
    "May  3 10:00:00 blade-x77 kernel: [ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, pid=77, "
    "name=lumen_train, GPU has fallen off the bus.\n"
    "May  3 10:00:01 blade-x77 sshd[9]: Accepted publickey for jdoe42 from 203.0.113.7 port 22 ssh2\n";

class Capture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() + "/root/var/log");
    folder_.write("root/var/log/syslog", kLog);
  }
  std::string bundle() const { return folder_.path() + "/b.tar.gz"; }
  Ran capture(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv = {program(), "capture", "--sysroot", folder_.path() + "/root",
                                     "-o",      bundle()};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv);
  }
  std::string content() const { return run({"tar", "xzOf", bundle()}).out; }

  TempFolder folder_;
};

TEST_F(Capture, PacksWhatDoctorReadsForItsOwnerAlone) {
  const Ran ran = capture();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("files/var/log/syslog"));
  EXPECT_THAT(ran.out, HasSubstr("could not read:"));
  EXPECT_THAT(ran.out, HasSubstr("gpuwright doctor " + bundle()));
  struct stat status = {};
  ASSERT_EQ(::stat(bundle().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  const Ran doctor = run({program(), "doctor", bundle()});
  EXPECT_EQ(doctor.exit_code, 1) << doctor.out << doctor.err;
  EXPECT_THAT(doctor.out, HasSubstr("0000:3b:00"));
  EXPECT_THAT(doctor.out, HasSubstr("fallen off the bus"));
}

TEST_F(Capture, NamesNobodyUnlessAsked) {
  ASSERT_EQ(capture().exit_code, 0);
  for (const char* name : {"blade-x77", "jdoe42", "203.0.113.7", "lumen_train"})
    EXPECT_THAT(content(), Not(HasSubstr(name)));
  const Ran open = capture({"--no-redact"});
  ASSERT_EQ(open.exit_code, 0);
  EXPECT_THAT(open.out, HasSubstr("NOT redacted"));
  EXPECT_THAT(content(), HasSubstr(kLog));
}

TEST_F(Capture, UsesANewKeyEachTime) {
  ASSERT_EQ(capture().exit_code, 0);
  const std::string first = content();
  ASSERT_EQ(capture().exit_code, 0);
  EXPECT_NE(content().substr(content().find("kernel:") - 20), first.substr(first.find("kernel:") - 20));
}

TEST_F(Capture, TakesFurtherFilesRedacted) {
  const std::string extra =
      folder_.write("job-jdoe42.log", "blade-x77:10:11 [0] NCCL WARN from 203.0.113.7 /home/jdoe42/x\n");
  const Ran ran = capture({extra});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(content(), HasSubstr("[0] NCCL WARN from 10."));
  for (const char* name : {"blade-x77", "jdoe42", "203.0.113.7"}) {
    EXPECT_THAT(content(), Not(HasSubstr(name)));
    EXPECT_THAT(run({"tar", "tzf", bundle()}).out, Not(HasSubstr(name)));
  }
}

TEST_F(Capture, OfAFileThatIsMissingExitsTwoAndWritesNothing) {
  const Ran ran = capture({"/nonexistent/x.log"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("/nonexistent/x.log"));
  EXPECT_FALSE(std::filesystem::exists(bundle()));
}

TEST_F(Capture, IntoAFolderThatIsMissingExitsTwo) {
  const Ran ran =
      run({program(), "capture", "--sysroot", folder_.path() + "/root", "-o", "/nonexistent/b.tar.gz"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("/nonexistent/b.tar.gz"));
}

TEST_F(Capture, ChangedAfterwardsIsRefusedByDoctor) {
  ASSERT_EQ(capture().exit_code, 0);
  const std::string x = folder_.path() + "/x";
  std::filesystem::create_directories(x);
  ASSERT_EQ(run({"tar", "xzf", bundle(), "-C", x}).exit_code, 0);
  folder_.write("x/files/var/log/syslog", "all is well\n");
  const std::string changed = folder_.path() + "/changed.tar.gz";
  ASSERT_EQ(run({"tar", "czf", changed, "-C", x, "manifest.json", "files"}).exit_code, 0);
  const Ran ran = run({program(), "doctor", changed});
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("changed.tar.gz"));
}

TEST(DoctorSysroot, ReadsTheDiskAndSaysWhatItCouldNot) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/var/log");
  folder.write("var/log/messages", kLog);
  const Ran ran = run({program(), "doctor", "--sysroot", folder.path()});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0000:3b:00"));
  EXPECT_THAT(ran.out, HasSubstr("no commands are run in a sysroot"));
  const Ran missing = run({program(), "doctor", "--sysroot", folder.path() + "/none"});
  EXPECT_EQ(missing.exit_code, 2);
}

}  // namespace
}  // namespace gpuwright::tests
