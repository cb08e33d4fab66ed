// The dry run of the collectors.
// SPDX-License-Identifier: Apache-2.0
#include "facts/asked_tools.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

TEST(AskedTools, AreThoseThatAreRunInAnyCase) {
  std::vector<std::string> names;
  for (const host::ToolCall& call : facts::asked_tools(knowledge(), facts::Extent::All)) {
    ASSERT_FALSE(call.argv.empty());
    EXPECT_GT(call.deadline.count(), 0) << call.argv.front();
    names.push_back(call.argv.front());
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"mokutil", "systemctl", "docker"}));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("modinfo"))) << "of which kernel?";
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("kubectl"))) << "is this a node?";
}

}  // namespace
}  // namespace gpuwright::tests
