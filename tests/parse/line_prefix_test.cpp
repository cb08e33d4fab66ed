// SPDX-License-Identifier: Apache-2.0
#include "parse/line_prefix.h"

#include <gtest/gtest.h>

namespace gpuwright::parse {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(LinePrefix, DmesgSecondsAreTimeSinceBoot) {
  const LinePrefix prefix = read_line_prefix("[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0");
  EXPECT_EQ(prefix.time.since_boot_ns, 1843 * kSecond + 308'145'000);
  EXPECT_FALSE(prefix.time.wall_ns.has_value());
  EXPECT_TRUE(prefix.is_log);
}

TEST(LinePrefix, DmesgHumanTimeIsWallTime) {
  const LinePrefix prefix = read_line_prefix("[Fri Aug 30 11:43:09 2024] NVRM: Xid (PCI:0000:cb:00): 13");
  EXPECT_EQ(prefix.time.wall_ns, 1'725'018'189 * kSecond);
}

TEST(LinePrefix, FabricManagerTimeIsWallTime) {
  EXPECT_EQ(read_line_prefix("[Feb 27 2025 15:10:02] [ERROR] [tid 12727] detected").time.wall_ns,
            1'740'669'002 * kSecond);
}

TEST(LinePrefix, IsoTimeHonoursItsOffset) {
  const LinePrefix prefix = read_line_prefix("2024-08-30T13:43:09+02:00 node7 kernel: NVRM: Xid");
  EXPECT_EQ(prefix.time.wall_ns, 1'725'018'189 * kSecond);
  EXPECT_EQ(prefix.host, "node7");
  EXPECT_TRUE(prefix.is_kernel);
}

TEST(LinePrefix, ALogLevelIsNoHost) {
  EXPECT_EQ(read_line_prefix("2024-01-01T10:00:00.000000Z ERROR shard-manager: Shard ended").host, "");
  EXPECT_EQ(read_line_prefix("2024-01-01T10:00:00Z node7 shard-manager: Shard ended").host, "node7");
}
TEST(LinePrefix, BracketedIsoTimeWithColonIsRead) {
  const LinePrefix prefix = read_line_prefix("[2026-04-22T21:30:51.526447914Z]: NVRM: nvAssertFailedNoLog");
  EXPECT_EQ(prefix.time.wall_ns, 1'776'893'451 * kSecond + 526'447'914);
}

TEST(LinePrefix, DecodedDmesgNamesItsFacility) {
  const LinePrefix kernel =
      read_line_prefix("kern  :warn  : 2025-01-21T04:41:44,283302+00:00 NVRM: Xid (PCI:0000:38:00): 13");
  EXPECT_EQ(kernel.time.wall_ns, 1'737'434'504 * kSecond + 283'302'000);
  EXPECT_TRUE(kernel.is_kernel);
  const LinePrefix seconds = read_line_prefix("kern  :err   : [  123.456789] NVRM: Xid");
  EXPECT_EQ(seconds.time.since_boot_ns, 123 * kSecond + 456'789'000);
  EXPECT_TRUE(read_line_prefix("user  :notice: [  123.456789] NVRM: Xid (PCI:0000:38:00): 79").is_foreign);
}

TEST(LinePrefix, SyslogWithoutYearGivesHostButNoWallTime) {
  const LinePrefix prefix = read_line_prefix("Aug  3 11:43:09 node1 kernel: [  123.456789] NVRM: Xid");
  EXPECT_EQ(prefix.host, "node1");
  EXPECT_TRUE(prefix.is_kernel);
  EXPECT_FALSE(prefix.time.wall_ns.has_value());
  EXPECT_EQ(prefix.time.since_boot_ns, 123 * kSecond + 456'789'000);
}

TEST(LinePrefix, RawKmsgRecordOfTheKernelIsTheKernels) {
  const LinePrefix prefix = read_line_prefix("3,1234,98765432,-;NVRM: Xid (PCI:0000:3b:00): 79");
  EXPECT_EQ(prefix.time.since_boot_ns, 98'765'432'000);
  EXPECT_TRUE(prefix.is_kernel);
  EXPECT_FALSE(prefix.is_foreign);
}

TEST(LinePrefix, SyslogWithoutYearGivesTheTimeOfTheYear) {
  const auto of_year = [](const char* line) { return read_line_prefix(line).time.of_year_ns; };
  EXPECT_EQ(of_year("Jan  1 00:00:10 h kernel: x"), 10 * kSecond);
  EXPECT_EQ(of_year("Mar 01 01:00:00 h kernel: x"), (60 * 86400 + 3600) * kSecond);
  EXPECT_FALSE(of_year("Feb 31 01:00:00 h kernel: x").has_value());
}

TEST(LinePrefix, RawKmsgRecordOfAProcessIsForeign) {
  EXPECT_TRUE(read_line_prefix("11,1234,98765432,-;NVRM: Xid (PCI:0000:3b:00): 79").is_foreign);
}

TEST(LinePrefix, JournalJsonGivesMessageTimesAndHost) {
  std::string message;
  LinePrefix prefix;
  ASSERT_TRUE(read_json_line(
      R"({"_HOSTNAME":"gpu-7","__MONOTONIC_TIMESTAMP":"98765432","__REALTIME_TIMESTAMP":"1725018189000000",)"
      R"("_TRANSPORT":"kernel","MESSAGE":"NVRM: \"x\" \u00b5s\n"})",
      message, prefix));
  EXPECT_EQ(message, "NVRM: \"x\" \xC2\xB5s ");
  EXPECT_EQ(prefix.host, "gpu-7");
  EXPECT_EQ(prefix.time.since_boot_ns, 98'765'432'000);
  EXPECT_EQ(prefix.time.wall_ns, 1'725'018'189 * kSecond);
  EXPECT_TRUE(prefix.is_kernel);
}

TEST(LinePrefix, TextWithoutPrefixHasNoTime) {
  for (const char* line : {"", "NVRM: Xid (PCI:0000:3b:00): 79", "RuntimeError: CUDA error",
                           "12:30:01 up 3 days", "[rank0]: x", "{not json", "[12]"}) {
    const LinePrefix prefix = read_line_prefix(line);
    EXPECT_FALSE(prefix.time.since_boot_ns || prefix.time.wall_ns) << line;
    EXPECT_FALSE(prefix.is_log) << line;
  }
}

TEST(LinePrefix, AbsurdNumbersAreNoTimes) {
  EXPECT_FALSE(read_line_prefix("[99999999999999999999.123456] x").time.since_boot_ns);
  EXPECT_FALSE(read_line_prefix("[Fri Aug 99 11:43:09 2024] x").time.wall_ns);
  EXPECT_FALSE(read_line_prefix("3,1,99999999999999999999,-;x").time.since_boot_ns);
}

}  // namespace
}  // namespace gpuwright::parse
