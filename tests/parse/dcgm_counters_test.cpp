// Lists of counters as operators have them.
// SPDX-License-Identifier: Apache-2.0
#include "parse/dcgm_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using parse::parse_dcgm_counters;
using ::testing::HasSubstr;

TEST(DcgmCounters, AreReadWithTheirHelp) {
  const auto list = parse_dcgm_counters(
      "# Format\n"
      "# If line starts with a '#' it is considered a comment\n"
      "\n"
      "DCGM_FI_DEV_SM_CLOCK,  gauge, SM clock frequency (in MHz), now.\r\n"
      "# DCGM_FI_DEV_MEM_CLOCK, gauge, off\n"
      "DCGM_FI_DRIVER_VERSION, label, Driver Version\n",
      "counters.csv");
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[0].name, "DCGM_FI_DEV_SM_CLOCK");
  EXPECT_EQ((*list)[0].help, "SM clock frequency (in MHz), now.");
  EXPECT_EQ((*list)[1].type, "label");
  EXPECT_EQ((*list)[1].line, 6);
}

TEST(DcgmCounters, WhatIsWrongIsSaidWithItsLine) {
  for (const auto& [text, why] :
       {std::pair{"A, gauge\n", "needs NAME, TYPE, HELP"}, std::pair{"A B, gauge, x\n", "'A B' is no name"},
        std::pair{"A, gague, x\n", "type 'gague' is not"},
        std::pair{"A, gauge, x\nA, gauge, y\n", "'A' stands twice"}}) {
    const auto list = parse_dcgm_counters(text, "counters.csv");
    ASSERT_FALSE(list.ok()) << text;
    EXPECT_THAT(list.error().message, HasSubstr(why));
    EXPECT_THAT(list.error().where, HasSubstr("counters.csv:"));
  }
}

}  // namespace
}  // namespace gpuwright::tests
