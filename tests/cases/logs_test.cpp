// The disguises themselves: if they lost a line or an address, the cases would prove nothing.
// SPDX-License-Identifier: Apache-2.0
#include "support/logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;

constexpr const char* kLog =
    "[   12.500000] NVRM: first\n"
    "               NVRM: goes on\n"
    "[   13.250000] second \"quoted\"\n";

TEST(Disguise, ReadsRecordsWithTheirContinuation) {
  const std::vector<Record> log = records(kLog);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_THAT(log[0].lines, ElementsAre("NVRM: first", "NVRM: goes on"));
  EXPECT_DOUBLE_EQ(log[0].seconds, 12.5);
  EXPECT_THAT(log[1].lines, ElementsAre("second \"quoted\""));
  EXPECT_DOUBLE_EQ(log[1].seconds, 13.25);
}

TEST(Disguise, WritesEveryForm) {
  const std::vector<Record> log = records(kLog);
  EXPECT_EQ(render(log, Stamp::Dmesg), kLog);
  EXPECT_EQ(render(log, Stamp::Bare), "NVRM: first\nNVRM: goes on\nsecond \"quoted\"\n");
  EXPECT_EQ(render(log, Stamp::Kmsg),
            "4,1000,12500000,-;NVRM: first\\x0aNVRM: goes on\n4,1001,13250000,-;second \"quoted\"\n");
  EXPECT_THAT(render(log, Stamp::DmesgHuman),
              ::testing::StartsWith("[Sun Nov  2 16:13:32 2025] NVRM: first\n"));
  EXPECT_THAT(render(log, Stamp::DmesgIso),
              ::testing::StartsWith("2025-11-02T16:13:32,500000+00:00 NVRM: first\n"));
  EXPECT_THAT(render(log, Stamp::Journal),
              ::testing::StartsWith("Nov 02 16:13:32 node1 kernel: NVRM: first\n"));
  EXPECT_THAT(render(log, Stamp::JournalJson),
              ::testing::HasSubstr("\"MESSAGE\":\"NVRM: first\\nNVRM: goes on\"}\n"));
  EXPECT_THAT(render(log, Stamp::JournalJson),
              ::testing::HasSubstr("\"MESSAGE\":\"second \\\"quoted\\\"\"}\n"));
}

TEST(Disguise, ReadsCalendarTimesAsDistances) {
  const std::vector<Record> log = records(
      "[Fri Aug 30 11:43:09 2024] one\n[Fri Aug 30 11:43:14 2024] two\n"
      "[2024-08-30T11:43:15.500000000Z]: three\n");
  ASSERT_EQ(log.size(), 3U);
  EXPECT_DOUBLE_EQ(log[1].seconds - log[0].seconds, 5.0);
  EXPECT_NEAR(log[2].seconds - log[0].seconds, 6.5, 1e-3);
}

TEST(Disguise, RenumbersEachBusTheSameWayEverywhere) {
  std::map<std::string, std::string> moved;
  const std::string text =
      renumber_gpus("a 0000:3b:00.0 b 0000:5e:00 c PCI:0000:3b:00): 13 d 11:43:09 e 00000000:5E:00.0", moved);
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(text, "a 0000:" + moved["3b"] + ":00.0 b 0000:" + moved["5e"] + ":00 c PCI:0000:" + moved["3b"] +
                      ":00): 13 d 11:43:09 e 00000000:" + moved["5e"] + ":00.0");
  EXPECT_NE(moved["3b"], moved["5e"]);
}

TEST(Disguise, KeepsEveryRecordAmongTheNoise) {
  const std::vector<Record> mixed = among_benign(records(kLog), 3);
  EXPECT_GT(mixed.size(), 20U);
  EXPECT_TRUE(std::is_sorted(mixed.begin(), mixed.end(),
                             [](const Record& a, const Record& b) { return a.seconds < b.seconds; }));
  EXPECT_EQ(std::count_if(mixed.begin(), mixed.end(),
                          [](const Record& one) { return one.lines.front() == "NVRM: first"; }),
            1);
}

}  // namespace
}  // namespace gpuwright::tests
