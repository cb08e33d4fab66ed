// Days, months and years of the knowledge.
// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(Day, AMonthEndsWithItsLastDayAndAYearWithDecember) {
  EXPECT_EQ(base::last_day_of("1970-01-01"), 0);
  EXPECT_EQ(base::last_day_of("2026-06"), base::last_day_of("2026-06-30"));
  EXPECT_EQ(base::last_day_of("2028-02"), base::last_day_of("2028-02-29"));
  EXPECT_EQ(base::last_day_of("2031"), base::last_day_of("2031-12-31"));
  EXPECT_EQ(*base::last_day_of("2026-12-01") - *base::last_day_of("2026-11"), 1);
}

TEST(Day, WhatIsNoDayIsNone) {
  for (const char* text : {"", "26-11-30", "2026-13", "2026-02-30", "2026-11-30-1", "2026-1-1", "today",
                           "2026-", "-001-01-01", "2026-+1"})
    EXPECT_FALSE(base::last_day_of(text).has_value()) << text;
}

TEST(Day, AUnixTimeHasItsDay) {
  EXPECT_EQ(base::day_text(0), "1970-01-01");
  EXPECT_EQ(base::day_text(1'796'083'199), "2026-11-30");
  EXPECT_EQ(base::day_text(1'796'083'200), "2026-12-01");
  EXPECT_EQ(base::day_text(-1), "1969-12-31");
}

TEST(Day, AMomentIsReadAndWritten) {
  EXPECT_EQ(base::second_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(base::second_text(1'796'083'200), "2026-12-01T00:00:00Z");
  EXPECT_EQ(base::moment_of("2026-12-01T00:00:00Z"), 1'796'083'200);
  EXPECT_EQ(base::moment_of("2026-12-01 01:02"), 1'796'083'200 + 3720);
  EXPECT_EQ(base::moment_of("2026-12"), 1'796'083'200);
  EXPECT_EQ(base::moment_of("1970"), 0);
  for (const char* text : {"", "yesterday", "2026-02-30", "2026-12-01T", "2026-12-01T24:00",
                           "2026-12-01T1:00", "2026-12-01x01:00", "2026-13"})
    EXPECT_FALSE(base::moment_of(text).has_value()) << text;
}

}  // namespace
}  // namespace gpuwright::tests
