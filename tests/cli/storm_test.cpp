// A few random machines; tests/integration has a hundred.
// SPDX-License-Identifier: Apache-2.0
#include "support/storm.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(Storm, FifteenBrokenMachinesAreAnswered) {
  const auto longest = look_at_machines(1, 15);
  ::testing::Test::RecordProperty("longest_ms", static_cast<int>(longest.count()));
}

TEST(Storm, OneSeedIsOneMachine) {
  EXPECT_EQ(broken_machine(7, "/silent").scenario, broken_machine(7, "/silent").scenario);
  EXPECT_NE(broken_machine(7, "/silent").scenario, broken_machine(8, "/silent").scenario);
}

}  // namespace
}  // namespace gpuwright::tests
