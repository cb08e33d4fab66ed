// What Slurm and Kubernetes are told.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"
#include "report/node_problem.h"
#include "report/slurm_reason.h"

#include "support/diagnose.h"
#include "support/json_schema.h"
#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace gpuwright::tests {
namespace {

using model::Severity;
using report::ConditionStatus;
using ::testing::HasSubstr;

model::Finding lost(const std::string& gpu = "0000:3b:00") {
  model::Finding finding;
  finding.cause = "gpu-lost-from-bus";
  finding.subject.kind = model::SubjectKind::Gpu;
  finding.subject.id = gpu;
  finding.severity = Severity::Critical;
  finding.sure = 95;
  return finding;
}

TEST(SlurmReason, NamesTheCauseAndTheDevice) {
  EXPECT_EQ(report::slurm_reason({lost()}), "gpuwright: gpu-lost-from-bus GPU 0000:3b:00");
  EXPECT_EQ(report::slurm_reason({lost("#2")}), "gpuwright: gpu-lost-from-bus GPU 2");
  EXPECT_EQ(report::slurm_reason({lost(), lost("0000:5e:00")}),
            "gpuwright: gpu-lost-from-bus GPU 0000:3b:00 +1 more");
  EXPECT_EQ(report::slurm_reason({}), "");
  model::Finding host = lost();
  host.subject = {};
  host.cause = "driver-call-stuck";
  EXPECT_EQ(report::slurm_reason({host}), "gpuwright: driver-call-stuck");
}

TEST(SlurmReason, HoldsNothingThatBreaksScontrolOrAScript) {
  model::Finding evil = lost("0000:3b:00\" State=DOWN '$(reboot)`\n\x1b[31m" + std::string(300, 'x'));
  evil.subject.host = "some host";
  const std::string reason = report::slurm_reason({evil, lost()});
  EXPECT_LE(reason.size(), 100U);
  EXPECT_THAT(reason, HasSubstr("+1 more"));
  EXPECT_EQ(reason.find_first_of("\"'`$=()\n\x1b,|;&<>\\"), std::string::npos) << reason;
}

TEST(NodeProblem, EachConditionSaysWhatItKnows) {
  model::Diagnosis diagnosis;
  diagnosis.findings = {lost()};
  const auto conditions = report::node_conditions(diagnosis, knowledge(), Severity::Error, "");
  ASSERT_EQ(conditions.size(), report::condition_types().size());
  EXPECT_EQ(conditions[0].type, "GpuUnhealthy");
  EXPECT_EQ(conditions[0].status, ConditionStatus::True);
  EXPECT_EQ(conditions[0].reason, "GpuLostFromBus");
  EXPECT_EQ(conditions[0].message, "GPU 0000:3b:00: GPU lost from the PCIe bus (critical, 95 % sure)");
  for (std::size_t i = 1; i < conditions.size(); ++i) EXPECT_EQ(conditions[i].status, ConditionStatus::False);
  EXPECT_EQ(report::plugin_answer(conditions, "").exit_code, 1);
  EXPECT_EQ(report::plugin_answer(conditions, "GpuUnhealthy").exit_code, 1);
  EXPECT_EQ(report::plugin_answer(conditions, "GpuFabricUnhealthy").exit_code, 0);
  EXPECT_EQ(report::plugin_answer(conditions, "Nonsense").exit_code, 2);
}

TEST(NodeProblem, WhatWasNotSeenIsUnknownAndNeverFine) {
  model::Diagnosis diagnosis;
  const auto blind = report::node_conditions(diagnosis, knowledge(), Severity::Error, "no GPU answered");
  for (const auto& condition : blind) EXPECT_EQ(condition.status, ConditionStatus::Unknown);
  EXPECT_EQ(report::plugin_answer(blind, "").exit_code, 2);
  EXPECT_EQ(report::plugin_answer(blind, "").line, "cannot tell: no GPU answered");
  diagnosis.findings = {lost()};
  const auto half = report::node_conditions(diagnosis, knowledge(), Severity::Error, "no GPU answered");
  EXPECT_EQ(half[0].status, ConditionStatus::True);
  EXPECT_EQ(half[1].status, ConditionStatus::Unknown);
  EXPECT_EQ(report::plugin_answer(half, "").exit_code, 1);
}

TEST(NodeProblem, WeakerFindingsAndFaultsOfProgramsRaiseNothing) {
  model::Diagnosis diagnosis;
  diagnosis.findings = {lost()};
  diagnosis.findings.front().severity = Severity::Warning;
  EXPECT_EQ(report::plugin_answer(report::node_conditions(diagnosis, knowledge(), Severity::Error, ""), "")
                .exit_code,
            0);
  diagnosis.findings.clear();
  for (const catalog::Cause& cause : knowledge().causes()) {
    if (cause.at != "application" && cause.at != "container" && cause.who != "user") continue;
    model::Finding finding = lost();
    finding.cause = cause.id;
    diagnosis.findings.push_back(finding);
  }
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(report::plugin_answer(report::node_conditions(diagnosis, knowledge(), Severity::Error, ""), "")
                .exit_code,
            0);
}

TEST(NodeProblem, ReasonsAreWordsThatKubernetesTakes) {
  for (const catalog::Cause& cause : knowledge().causes()) {
    model::Diagnosis diagnosis;
    model::Finding finding = lost();
    finding.cause = cause.id;
    diagnosis.findings = {finding};
    for (const auto& condition : report::node_conditions(diagnosis, knowledge(), Severity::Error, "")) {
      ASSERT_FALSE(condition.reason.empty());
      EXPECT_TRUE(std::isupper(static_cast<unsigned char>(condition.reason.front()))) << condition.reason;
      for (const char character : condition.reason)
        EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(character))) << condition.reason;
      EXPECT_EQ(condition.message.find('\n'), std::string::npos);
    }
  }
}

TEST(NodeProblem, JsonHoldsEveryConditionAndKeepsToItsSchema) {
  model::Diagnosis diagnosis;
  diagnosis.findings = {lost()};
  const std::string text =
      report::render_conditions_json(report::node_conditions(diagnosis, knowledge(), Severity::Error, ""));
  EXPECT_THAT(schema_breaches(text, read_file(source_dir() + "/docs/schema/conditions.schema.json")),
              ::testing::IsEmpty());
  const auto json = kit::parse_json(text, "json");
  ASSERT_TRUE(json.ok());
  ASSERT_EQ((*json)["conditions"].items.size(), report::condition_types().size());
  EXPECT_EQ((*json)["conditions"].items[0]["status"].text(), "True");
  EXPECT_EQ((*json)["conditions"].items[0]["reason"].text(), "GpuLostFromBus");
  EXPECT_EQ((*json)["conditions"].items[1]["status"].text(), "False");
}

}  // namespace
}  // namespace gpuwright::tests
