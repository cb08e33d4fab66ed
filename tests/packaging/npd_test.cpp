// The node-problem-detector configuration that we ship names what the program has.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"
#include "report/node_problem.h"

#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gpuwright::tests {
namespace {

TEST(NodeProblemDetector, EachConditionHasOneRuleThatAsksForIt) {
  const std::string path = source_dir() + "/packaging/node-problem-detector/gpuwright.json";
  const auto json = kit::parse_json(read_file(path), path);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["plugin"].text(), "custom");
  std::vector<std::string> conditions;
  for (const auto& condition : (*json)["conditions"].items) conditions.push_back(condition["type"].text());
  EXPECT_THAT(conditions, ::testing::ContainerEq(report::condition_types()));
  std::map<std::string, int> rules;
  for (const auto& rule : (*json)["rules"].items) {
    EXPECT_EQ(rule["type"].text(), "permanent");
    EXPECT_THAT(rule["args"].texts(), ::testing::ElementsAre("doctor", "--quick", "--format", "node-problem",
                                                             "--condition", rule["condition"].text()));
    ++rules[rule["condition"].text()];
  }
  EXPECT_EQ(rules.size(), conditions.size());
  for (const auto& condition : conditions) EXPECT_EQ(rules[condition], 1) << condition;
}

}  // namespace
}  // namespace gpuwright::tests
