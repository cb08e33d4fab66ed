// Every fact of a machine is a value, or says why it is none; none is left that nobody looked at.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "host/live_host.h"
#include "model/fact_tree.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include "support/run.h"
#include <gtest/gtest.h>

#include <set>

namespace gpuwright::tests {
namespace {

void expect_reasons(const model::FactNode& node, const std::string& path) {
  if (node.kind == model::FactNode::Kind::Absent) {
    EXPECT_TRUE(node.looked) << path << " is absent and nobody said why";
    EXPECT_FALSE(node.place.input.empty()) << path;
  }
  if (node.kind == model::FactNode::Kind::Value) {
    EXPECT_FALSE(std::holds_alternative<std::monostate>(node.value)) << path;
  }
  for (const model::FactNode& child : node.children) expect_reasons(child, path + "." + child.name);
}

model::FactNode tree_of(host::Source& source) {
  return model::fact_tree(facts::collect_machine(source, knowledge()));
}

TEST(Walk, EveryFactOfThisMachineIsKnownOrSaysWhy) {
  host::LiveHost machine;
  expect_reasons(tree_of(machine), "machine");
}

TEST(Walk, EveryFactOfTheWrittenMachineIsKnownOrSaysWhy) {
  const auto source = source_of(written_machine("h100"));
  expect_reasons(tree_of(*source), "machine");
}

TEST(Walk, AnEmptyDiskHasOnlyReasonsAndNoZeros) {
  const TempFolder folder;
  host::LiveHost disk(folder.path());
  const model::FactNode tree = tree_of(disk);
  expect_reasons(tree, "machine");
  // What may be told of nothing: lists that were looked for and are empty, and what follows from a missing
  // tool.
  const std::set<std::string> allowed = {"network.rdma_stack"};
  for (const model::Fact& fact : model::flatten(tree)) {
    EXPECT_TRUE(!fact.known || allowed.count(fact.path) != 0) << fact.path << " = " << fact.value;
  }
}

TEST(Walk, PathsAreUnique) {
  const auto source = source_of(written_machine("h100"));
  std::set<std::string> seen;
  for (const model::Fact& fact : model::flatten(facts::collect_machine(*source, knowledge())))
    EXPECT_TRUE(seen.insert(fact.path).second) << fact.path;
}

}  // namespace
}  // namespace gpuwright::tests
