// The kernel's log: records, what is lost of them, and who may speak in the kernel's name.
// SPDX-License-Identifier: Apache-2.0
#include "host/kmsg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A /dev/kmsg that gives what it is told: a record, or minus errno.
struct FakeKmsg {
  struct Answer {
    std::string record{};
    ssize_t error = 0;
  };
  std::vector<Answer> answers;
  std::size_t at = 0;

  host::ReadRecord reader() {
    return [this](char* buffer, std::size_t size) -> ssize_t {
      if (at == answers.size()) return -EAGAIN;
      const Answer& answer = answers[at++];
      if (answer.error != 0) return answer.error;
      const auto count = std::min(size, answer.record.size());
      std::copy_n(answer.record.data(), count, buffer);
      return static_cast<ssize_t>(count);
    };
  }
};

TEST(Kmsg, RecordsBecomeLinesOfDmesg) {
  FakeKmsg fake{
      {{"6,0,1000000,-;first\n"},
       {"3,1,4242000001,-;NVRM: Xid (PCI:0000:3b:00): 79\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n"}}};
  const auto log = host::read_kernel_records(fake.reader());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->text, "[    1.000000] first\n[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79\n");
  EXPECT_EQ(log->records, 2);
  EXPECT_EQ(log->lost, 0);
  EXPECT_EQ(log->overwritten, 0);
}

TEST(Kmsg, CountsWhatWasOverwrittenBeforeAndDuringReading) {
  FakeKmsg fake{{{"6,500,1000000,-;a\n"},
                 {"6,501,1000001,-;b\n"},
                 {"", -EPIPE},
                 {"6,520,1000002,-;c\n"},
                 {"6,522,1000003,-;d\n"}}};
  const auto log = host::read_kernel_records(fake.reader());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->overwritten, 500);
  EXPECT_EQ(log->lost, 18 + 1);
  EXPECT_EQ(log->records, 4);
}

TEST(Kmsg, RecordsOfProgramsAreNoWordOfTheKernel) {
  // Facility 1 (user): 1 * 8 + 6. Anybody who is root may write such a line.
  FakeKmsg fake{{{"14,0,1000000,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"},
                 {"30,1,1000000,-;systemd[1]: Started.\n"},
                 {"6,2,1000001,-;real\n"}}};
  const auto log = host::read_kernel_records(fake.reader());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->text, "[    1.000001] real\n");
  EXPECT_EQ(log->foreign, 2);
  EXPECT_EQ(log->records, 1);
  EXPECT_EQ(log->lost, 0);
}

TEST(Kmsg, EscapedBytesComeBackButCannotControlATerminal) {
  FakeKmsg fake{{{"6,0,1000000,c,caller=T1;first\\x0asecond \\x1b[31m \\x5c \\x\n"}}};
  const auto log = host::read_kernel_records(fake.reader());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->text, "[    1.000000] first\n[    1.000000] second ?[31m \\ \\x\n");
}

TEST(Kmsg, SurvivesNonsenseAndTooLongRecords) {
  FakeKmsg fake{{{"", -EINVAL}, {"nonsense"}, {";"}, {"a,b,c;d"}, {std::string("6,3,5,-;x\0y\n", 12)}}};
  const auto log = host::read_kernel_records(fake.reader());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->records, 1);
}

TEST(Kmsg, ThatOnlyFailsIsAnErrorAndNotEndless) {
  const auto log = host::read_kernel_records([](char*, std::size_t) -> ssize_t { return -EPIPE; });
  EXPECT_FALSE(log.ok());
  const auto denied = host::read_kernel_records([](char*, std::size_t) -> ssize_t { return -EPERM; });
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().kind, base::ErrorKind::Denied);
}

TEST(Kmsg, BeyondItsBoundKeepsTheNewestAndCountsTheRest) {
  FakeKmsg fake;
  for (int number = 0; number < 1000; ++number) {
    fake.answers.push_back(
        {"6," + std::to_string(number) + ",1000000,-;line " + std::to_string(number) + "\n", 0});
  }
  const auto log = host::read_kernel_records(fake.reader(), 1000);
  ASSERT_TRUE(log.ok());
  EXPECT_LE(log->text.size(), 2000U);
  EXPECT_THAT(log->text, HasSubstr("line 999\n"));
  EXPECT_THAT(log->text, Not(HasSubstr("line 5\n")));
  EXPECT_EQ(log->lost + std::count(log->text.begin(), log->text.end(), '\n'), 1000);
}

TEST(Journal, KernelEntriesBecomeLinesAndOthersAreLeftOut) {
  const auto log = host::kernel_log_from_journal(
      "{\"_TRANSPORT\":\"kernel\",\"SYSLOG_FACILITY\":\"0\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"4242000001\","
      "\"MESSAGE\":\"NVRM: Xid\"}\n"
      "{\"_TRANSPORT\":\"kernel\",\"SYSLOG_FACILITY\":\"1\",\"__MONOTONIC_TIMESTAMP\":\"5\",\"MESSAGE\":"
      "\"NVRM: forged\"}\n"
      "{\"_TRANSPORT\":\"stdout\",\"MESSAGE\":\"NVRM: other\"}\n"
      "broken {\n"
      "{\"_TRANSPORT\":\"kernel\",\"__MONOTONIC_TIMESTAMP\":\"4242000002\",\"MESSAGE\":[104,105,27]}\n");
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->text, "[ 4242.000001] NVRM: Xid\n[ 4242.000002] hi?\n");
  EXPECT_EQ(log->foreign, 1);
}

TEST(Journal, WithoutKernelEntriesIsAnError) {
  EXPECT_FALSE(host::kernel_log_from_journal("").ok());
  EXPECT_FALSE(host::kernel_log_from_journal("-- No entries --\n").ok());
}

}  // namespace
}  // namespace gpuwright::tests
