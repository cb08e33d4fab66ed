// Which node is looked at first.
// SPDX-License-Identifier: Apache-2.0
#include "rules/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace gpuwright::tests {
namespace {

using model::NodeReport;
using model::NodeVerdict;
using model::Severity;
using ::testing::ElementsAre;

NodeReport node(const std::string& name, std::vector<Severity> severities, std::int64_t sure = 90) {
  NodeReport report;
  report.node = name;
  for (const Severity severity : severities) {
    report.findings.emplace_back();
    report.findings.back().severity = severity;
    report.findings.back().sure = sure;
  }
  return report;
}

NodeReport silent(const std::string& name) {
  NodeReport report;
  report.node = name;
  report.no_answer = model::NoAnswer::TimedOut;
  return report;
}

std::vector<std::string> names(const model::FleetReport& fleet) {
  std::vector<std::string> result;
  for (const NodeReport& report : fleet.nodes) result.push_back(report.node);
  return result;
}

std::vector<NodeReport> some_nodes() {
  return {node("n10", {}),
          node("n9", {}),
          silent("n3"),
          node("n4", {Severity::Warning}),
          node("n5", {Severity::Critical}),
          node("n6", {Severity::Error, Severity::Critical}),
          node("n7", {Severity::Error}, 95),
          node("n8", {Severity::Error}, 60),
          node("n2", {Severity::Info}),
          node("n1", {Severity::Harmless})};
}

TEST(Fleet, PutsTheWorstFirstAndTheUnknownBehindErrors) {
  EXPECT_THAT(names(rules::judge_fleet(some_nodes())),
              ElementsAre("n6", "n5", "n7", "n8", "n3", "n4", "n2", "n1", "n9", "n10"));
}

TEST(Fleet, CountsVerdicts) {
  const auto fleet = rules::judge_fleet(some_nodes());
  EXPECT_EQ(fleet.counts.at(NodeVerdict::Critical), 2);
  EXPECT_EQ(fleet.counts.at(NodeVerdict::Unknown), 1);
  EXPECT_EQ(fleet.counts.at(NodeVerdict::Fine), 3);
}

RC_GTEST_PROP(Fleet, DoesNotCareForTheOrderOfNodes, ()) {
  std::vector<NodeReport> nodes = some_nodes();
  const auto expected = names(rules::judge_fleet(nodes));
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::shuffle(nodes.begin(), nodes.end(), random);
  RC_ASSERT(names(rules::judge_fleet(nodes)) == expected);
}

}  // namespace
}  // namespace gpuwright::tests
