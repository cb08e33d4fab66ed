// When a node of a Slurm cluster is drained, left alone and given back.
// SPDX-License-Identifier: Apache-2.0
#include "rules/slurm_drain.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using rules::DrainSituation;
using rules::DrainVerdict;

model::SlurmNode node(const std::string& name, const std::string& state, const std::string& reason = "",
                      const std::string& since = "") {
  model::SlurmNode node;
  node.name = name;
  node.state = state;
  node.reason = reason;
  node.since = since;
  node.partitions = {"gpu"};
  return node;
}

DrainSituation sick(std::vector<model::SlurmNode> nodes) {
  DrainSituation situation;
  situation.node = "n1";
  situation.nodes = std::move(nodes);
  situation.reason = "gpuwright: gpu-lost-from-bus GPU 0000:3b:00";
  situation.causes = {"gpu-lost-from-bus"};
  situation.saw_all = true;
  return situation;
}

DrainSituation well(std::vector<model::SlurmNode> nodes) {
  DrainSituation situation = sick(std::move(nodes));
  situation.reason.clear();
  situation.causes.clear();
  return situation;
}

model::Finding finding(const std::string& cause, model::Severity severity, std::int64_t sure = 90) {
  model::Finding finding;
  finding.cause = cause;
  finding.severity = severity;
  finding.sure = sure;
  return finding;
}

TEST(SlurmDrain, OnlyWhatMakesTheNodeUnusableCounts) {
  using model::Severity;
  const auto& catalog = knowledge();
  EXPECT_TRUE(rules::makes_unusable(finding("gpu-lost-from-bus", Severity::Critical), catalog));
  EXPECT_FALSE(rules::makes_unusable(finding("gpu-lost-from-bus", Severity::Critical, 59), catalog))
      << "a guess";
  EXPECT_FALSE(rules::makes_unusable(finding("gpu-row-remap-pending", Severity::Error), catalog));
  EXPECT_TRUE(
      rules::makes_unusable(finding("gpu-row-remap-pending", Severity::Error), catalog, Severity::Error));
  EXPECT_TRUE(rules::makes_unusable(finding("driver-call-stuck", Severity::Error), catalog))
      << "no job gets past its first call";
  ASSERT_NE(catalog.cause("driver-call-stuck"), nullptr) << "the name in the list is a cause";
  for (const catalog::Cause& cause : catalog.causes()) {
    if (cause.who != "user") continue;
    EXPECT_FALSE(rules::makes_unusable(finding(cause.id, Severity::Critical), catalog)) << cause.id;
  }
}

TEST(SlurmDrain, AnIdleOrBusyNodeIsDrained) {
  for (const char* state : {"idle", "mixed", "allocated", "idle*", "completing", "idle+planned"})
    EXPECT_EQ(decide_drain(sick({node("n1", state)}), 5).verdict, DrainVerdict::Drain) << state;
  EXPECT_EQ(decide_drain(well({node("n1", "idle")}), 5).verdict, DrainVerdict::NothingToDo);
  EXPECT_EQ(decide_drain(sick({node("n2", "idle")}), 5).verdict, DrainVerdict::NodeUnknown);
}

TEST(SlurmDrain, ADrainedNodeIsLeftAsItIs) {
  for (const char* state :
       {"idle+drain", "mixed+drain", "down*+drain", "draining", "drained*", "idle*+drain+maint"}) {
    EXPECT_EQ(decide_drain(sick({node("n1", state, "new fans")}), 5).verdict, DrainVerdict::DrainedByOthers)
        << state;
    EXPECT_EQ(decide_drain(sick({node("n1", state)}), 5).verdict, DrainVerdict::DrainedByOthers) << state;
    EXPECT_EQ(decide_drain(sick({node("n1", state, "gpuwright: x")}), 5).verdict, DrainVerdict::DrainedByUs);
    EXPECT_EQ(decide_drain(sick({node("n1", state, "see gpuwright: x")}), 5).verdict,
              DrainVerdict::DrainedByOthers);
  }
}

TEST(SlurmDrain, AtLeastOneNodeAndTheShareMayBeDrained) {
  EXPECT_EQ(rules::most_drained(4, 5), 1);
  EXPECT_EQ(rules::most_drained(0, 5), 1);
  EXPECT_EQ(rules::most_drained(20, 5), 1);
  EXPECT_EQ(rules::most_drained(39, 5), 1);
  EXPECT_EQ(rules::most_drained(40, 5), 2);
  EXPECT_EQ(rules::most_drained(100, 7), 7);
  EXPECT_EQ(rules::most_drained(1000, 0), 1);
  EXPECT_EQ(rules::most_drained(3, 100), 3);
}

TEST(SlurmDrain, NoMoreAreDrainedThanMayBeWhoeverDrainedThem) {
  std::vector<model::SlurmNode> nodes = {node("n1", "idle")};
  for (int i = 2; i <= 40; ++i) nodes.push_back(node("n" + std::to_string(i), "idle"));
  nodes[5].state = "idle+drain";
  EXPECT_EQ(decide_drain(sick(nodes), 5).verdict, DrainVerdict::Drain) << "one of two";
  nodes[6].state = "mixed+drain";
  const auto decision = decide_drain(sick(nodes), 5);
  EXPECT_EQ(decision.verdict, DrainVerdict::TooMany);
  EXPECT_EQ(decision.partition, "gpu");
  EXPECT_EQ(decision.drained, 2);
  EXPECT_EQ(decision.total, 40);
  EXPECT_EQ(decision.allowed, 2);
  nodes[6].partitions = {"cpu"};
  EXPECT_EQ(decide_drain(sick(nodes), 5).verdict, DrainVerdict::TooMany)
      << "one of the 39 that are left may be";
  EXPECT_EQ(decide_drain(sick(nodes), 10).verdict, DrainVerdict::Drain);
  nodes[0].partitions = {"gpu", "cpu"};
  EXPECT_EQ(decide_drain(sick(nodes), 10).verdict, DrainVerdict::TooMany) << "its other partition counts too";
}

TEST(SlurmDrain, ANodeThatIsDownIsNotDrained) {
  std::vector<model::SlurmNode> nodes = {node("n1", "idle"), node("n2", "down*")};
  EXPECT_EQ(decide_drain(sick(nodes), 5).verdict, DrainVerdict::Drain);
}

TEST(SlurmDrain, OfNodesThatDrainTogetherTheFirstStay) {
  const std::vector<model::SlurmNode> nodes = {
      node("n3", "idle+drain", "gpuwright: a", "1000"), node("n1", "idle+drain", "gpuwright: a", "1001"),
      node("n2", "idle+drain", "gpuwright: a", "1001"), node("n4", "idle")};
  for (const auto& [name, verdict] :
       {std::pair{"n3", DrainVerdict::DrainedByUs}, std::pair{"n1", DrainVerdict::Undrain},
        std::pair{"n2", DrainVerdict::Undrain}}) {
    DrainSituation situation = sick(nodes);
    situation.node = name;
    EXPECT_EQ(decide_to_keep(situation, 25).verdict, verdict) << name;
  }
  DrainSituation two = sick(nodes);
  EXPECT_EQ(decide_to_keep(two, 50).verdict, DrainVerdict::DrainedByUs) << "n1 is the second of two";
  two.node = "n2";
  EXPECT_EQ(decide_to_keep(two, 50).verdict, DrainVerdict::Undrain);
}

TEST(SlurmDrain, ADrainOfOthersThatCameInBetweenIsNotTakenBack) {
  DrainSituation situation =
      sick({node("n1", "idle+drain", "new fans"), node("n2", "idle+drain", "gpuwright: a", "5")});
  EXPECT_EQ(decide_to_keep(situation, 5).verdict, DrainVerdict::DrainedByOthers);
  situation.nodes[0].state = "idle";
  EXPECT_EQ(decide_to_keep(situation, 5).verdict, DrainVerdict::NothingToDo) << "somebody resumed it";
}

TEST(SlurmDrain, OnlyOurOwnDrainIsClearedAndOnlyOnceItsCauseHasGone) {
  const std::string reason = "gpuwright: gpu-lost-from-bus GPU 0000:3b:00";
  EXPECT_EQ(decide_undrain(well({node("n1", "idle+drain", reason)})).verdict, DrainVerdict::Undrain);
  EXPECT_EQ(decide_undrain(well({node("n1", "mixed+drain", reason)})).verdict, DrainVerdict::Undrain);
  EXPECT_EQ(decide_undrain(well({node("n1", "idle")})).verdict, DrainVerdict::NothingToDo);
  EXPECT_EQ(decide_undrain(well({node("n1", "idle+drain", "new fans")})).verdict,
            DrainVerdict::DrainedByOthers);
  EXPECT_EQ(decide_undrain(well({node("n1", "idle+drain", "")})).verdict, DrainVerdict::DrainedByOthers);
  EXPECT_EQ(decide_undrain(sick({node("n1", "idle+drain", reason)})).verdict, DrainVerdict::CauseRemains);
  EXPECT_EQ(decide_undrain(well({node("n1", "down*+drain", reason)})).verdict, DrainVerdict::DownToo);
}

TEST(SlurmDrain, ACauseBelowTheThresholdRemainsACause) {
  DrainSituation situation =
      well({node("n1", "idle+drain", "gpuwright: gpu-row-remap-pending GPU 0000:3b:00")});
  situation.causes = {"gpu-row-remap-pending"};
  EXPECT_EQ(decide_undrain(situation).verdict, DrainVerdict::CauseRemains);
  situation.causes = {"gpu-power-capped"};
  EXPECT_EQ(decide_undrain(situation).verdict, DrainVerdict::Undrain);
}

TEST(SlurmDrain, WhatWasNotSeenHasNotGone) {
  DrainSituation situation = well({node("n1", "idle+drain", "gpuwright: gpu-lost-from-bus GPU 0000:3b:00")});
  situation.saw_all = false;
  EXPECT_EQ(decide_undrain(situation).verdict, DrainVerdict::CannotTell);
  situation.saw_all = true;
  situation.log_may_have_forgotten = true;
  EXPECT_EQ(decide_undrain(situation).verdict, DrainVerdict::CannotTell);
}

TEST(SlurmDrain, OldKernelLinesDoNotDrainANodeThatWasResumed) {
  model::Finding old = finding("uncontained-memory-error", model::Severity::Critical);
  old.evidence = {{"kernel log", 7, "NVRM: Xid ..."}};
  old.last.since_boot_ns = 1000;
  EXPECT_TRUE(rules::is_old_news(old, 1000));
  EXPECT_FALSE(rules::is_old_news(old, 999)) << "it came again";
  old.evidence.push_back({"NVML", 3, "handle: [GPU is lost]"});
  EXPECT_FALSE(rules::is_old_news(old, 1000)) << "the GPU says so now";
  old.evidence.clear();
  EXPECT_FALSE(rules::is_old_news(old, 1000));
  DrainSituation situation = sick({node("n1", "idle")});
  situation.all_old_news = true;
  EXPECT_EQ(decide_drain(situation, 5).verdict, DrainVerdict::OldNews);
}

}  // namespace
}  // namespace gpuwright::tests
