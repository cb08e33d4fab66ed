// What people really hand to `gpuwright doctor` at three in the morning: nothing, the wrong file, half a
// file, a file they may not read. Each gets one clear line and the right exit code.
// SPDX-License-Identifier: Apache-2.0
#include "support/logs.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kXid79 = "[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n";

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::string out(count, '\0');
  for (char& c : out) c = static_cast<char>(random() & 0xff);
  return out;
}

std::string utf16(const std::string& text, bool big) {
  std::string out = big ? "\xfe\xff" : "\xff\xfe";
  for (const char c : text) {
    if (big) out += '\0';
    out += c;
    if (!big) out += '\0';
  }
  return out;
}

Ran doctor(const std::vector<std::string>& arguments, const std::string& input = {}) {
  std::vector<std::string> argv = {program(), "doctor"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, input);
}

TEST(DoctorInput, WithAFaultExitsOneAndNamesTheGpu) {
  const Ran ran = doctor({"-"}, kXid79);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0000:3b:00"));
  EXPECT_THAT(ran.out, HasSubstr("fallen off the bus"));
}

TEST(DoctorInput, EmptyIsNotAFaultAndIsSaid) {
  const Ran ran = doctor({"-"}, "");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_FALSE(ran.out.empty());
  EXPECT_THAT(ran.out, Not(HasSubstr("healthy")));
}

TEST(DoctorInput, OfRandomBytesIsSurvived) {
  const Ran ran = doctor({"-"}, random_bytes(300'000));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST(DoctorInput, InOneLineOfTenMegabytesIsSurvived) {
  const Ran ran = doctor({"-"}, std::string(10'000'000, 'a') + "\n" + kXid79);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_LT(ran.took.count(), 20'000);
  EXPECT_LT(ran.out.size(), 20'000U);
}

TEST(DoctorInput, FromAWindowsEditorIsRead) {
  for (const bool big : {false, true}) {
    const Ran ran = doctor({"-"}, utf16(kXid79, big));
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("0000:3b:00"));
  }
}

TEST(DoctorInput, InLatin1IsReadAndPrintedAsValidText) {
  const Ran ran = doctor(
      {"-"},
      std::string(
          "[ 1.000001] Ger\xe4t st\xf6rt NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("\xe4")));
}

TEST(DoctorInput, WithControlSequencesCannotWriteToTheTerminal) {
  const Ran ran = doctor({"-"}, std::string("[ 1.000001] \x1b]0;owned\x07\x1b[31mNVRM: Xid (PCI:0000:3b:00): "
                                            "79, GPU has fallen off the bus.\n"));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x07")));
}

TEST(DoctorInput, CutInTheMiddleOfItsCompressionIsReadAsFarAsItGoes) {
  const TempFolder folder;
  const Ran zipped = run({"gzip", "-c"}, kXid79 + benign_syslog(1, 20'000));
  ASSERT_EQ(zipped.exit_code, 0);
  const std::string path = folder.write("kern.log.gz", zipped.out.substr(0, zipped.out.size() / 2));
  const Ran ran = doctor({path});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0000:3b:00"));
  EXPECT_THAT(ran.out + ran.err, HasSubstr("kern.log.gz"));
}

TEST(DoctorInput, ThatIsMissingExitsTwoWithOneLineNamingIt) {
  const Ran ran = doctor({"/nonexistent/kern.log"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("/nonexistent/kern.log"));
  EXPECT_EQ(count_lines(ran.err), 1U) << ran.err;
}

TEST(DoctorInput, ThatMayNotBeReadExitsTwoWithOneLineNamingIt) {
  const TempFolder folder;
  const std::string path = folder.write("kern.log", kXid79);
  ::chmod(folder.path().c_str(), 0755);
  ::chmod(path.c_str(), 0);
  std::vector<std::string> argv = {program(), "doctor", path};
  if (::geteuid() == 0) {
    const std::string copy = folder.path() + "/gpuwright";
    std::filesystem::copy_file(program(), copy);
    ::chmod(copy.c_str(), 0755);
    argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, "doctor", path};
  }
  const Ran ran = run(argv);
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr(path));
  EXPECT_EQ(count_lines(ran.err), 1U) << ran.err;
}

TEST(DoctorInput, OfSeveralFilesIsJudgedTogether) {
  const TempFolder folder;
  folder.write("a.log", kXid79);
  folder.write("b.log", "[ 4243.000001] NVRM: Xid (PCI:0000:3b:00): 45, pid=1, name=python3, Ch 00000008\n");
  const Ran ran = doctor({folder.path()});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("a.log"));
}

TEST(DoctorInput, ThatIsHealthyExitsZero) {
  const Ran ran = doctor({"-"}, benign_syslog(3, 500));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace gpuwright::tests
