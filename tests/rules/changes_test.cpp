// What changed before it broke: the guilty change before the harmless ones, whatever the first symptom is.
// SPDX-License-Identifier: Apache-2.0
#include "rules/changes.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpuwright::tests {
namespace {

using model::AbsentReason;
using model::DifferenceKind;
using model::Snapshot;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const catalog::FactGuilt& guilt() {
  static const catalog::FactGuilt kGuilt(knowledge());
  return kGuilt;
}

void set(Snapshot& machine, const std::string& path, const std::string& value) {
  machine.facts[path] = {true, value, AbsentReason::NotFound};
}

Snapshot machine() {
  Snapshot snapshot;
  set(snapshot, "os.kernel", "6.8.0-85-generic");
  set(snapshot, "os.uptime_s", "1000");
  set(snapshot, "driver.loaded_version", "580.82.07");
  set(snapshot, "driver.packages[nvidia-container-toolkit].version", "1.17.8-1");
  for (int n = 0; n < 8; ++n) {
    const std::string gpu = "gpus[0000:" + std::to_string(n + 1) + "b:00.0].";
    set(snapshot, gpu + "vbios", "96.00.89.00.01");
    set(snapshot, gpu + "serial", "16500" + std::to_string(n));
    set(snapshot, gpu + "uuid", "GPU-" + std::to_string(n));
    set(snapshot, gpu + "pcie_replays", "3");
  }
  return snapshot;
}

std::vector<std::string> ranked(const Snapshot& now, const rules::Symptom& symptom) {
  std::vector<std::string> paths;
  for (const auto& change : rules::rank_changes(machine(), now, symptom, guilt()))
    paths.push_back(change.path);
  return paths;
}

TEST(Changes, OfNothingAreNone) {
  EXPECT_THAT(ranked(machine(), {}), IsEmpty());
  Snapshot later = machine();
  set(later, "os.uptime_s", "90000");
  set(later, "gpus[0000:1b:00.0].pcie_replays", "5");
  EXPECT_THAT(ranked(later, {"pcie", ""}), IsEmpty());
}

TEST(Changes, AreRankedAgainstTheFirstSymptom) {
  Snapshot now = machine();
  set(now, "driver.packages[nvidia-container-toolkit].version", "1.18.0-1");
  set(now, "gpus[0000:1b:00.0].vbios", "96.00.A5.00.01");
  set(now, "driver.loaded_version", "580.95.05");
  EXPECT_EQ(ranked(now, {"link", ""}).front(), "gpus[0000:1b:00.0].vbios");
  EXPECT_EQ(ranked(now, {"driver", ""}).front(), "driver.loaded_version");
  EXPECT_EQ(ranked(now, {"container", ""}).front(), "driver.packages[nvidia-container-toolkit].version");
  EXPECT_EQ(ranked(now, {"memory", "0000:1b:00"}).front(), "gpus[0000:1b:00.0].vbios");
}

TEST(Changes, OnAnotherDeviceAreLessGuilty) {
  Snapshot now = machine();
  set(now, "gpus[0000:2b:00.0].vbios", "96.00.A5.00.01");
  set(now, "driver.loaded_version", "580.95.05");
  EXPECT_EQ(ranked(now, {"link", "0000:1b:00"}).front(), "driver.loaded_version");
  EXPECT_EQ(ranked(now, {"link", "0000:2b:00"}).front(), "gpus[0000:2b:00.0].vbios");
}

TEST(Changes, OfNamesTellAReplacedCardButNotRedaction) {
  Snapshot now = machine();
  set(now, "gpus[0000:3b:00.0].serial", "17777");
  set(now, "gpus[0000:3b:00.0].uuid", "GPU-x");
  EXPECT_THAT(ranked(now, {"link", ""}), ElementsAre("gpus[0000:3b:00.0].serial", "gpus[0000:3b:00.0].uuid"));
  for (int n = 0; n < 8; ++n)
    set(now, "gpus[0000:" + std::to_string(n + 1) + "b:00.0].serial", "redacted" + std::to_string(n));
  EXPECT_THAT(ranked(now, {"link", ""}), ElementsAre("gpus[0000:3b:00.0].uuid"));
}

TEST(Changes, OfPartsAreToldOnceForAllTheirFacts) {
  Snapshot now = machine();
  std::erase_if(now.facts, [](const auto& entry) { return entry.first.starts_with("gpus[0000:8b"); });
  const auto changes = rules::rank_changes(machine(), now, {}, guilt());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].path, "gpus[0000:8b:00.0]");
  EXPECT_EQ(changes[0].kind, DifferenceKind::Missing);
}

TEST(FirstSymptom, IsTheEarliestError) {
  model::Diagnosis diagnosis;
  EXPECT_EQ(rules::first_symptom(diagnosis), nullptr);
  const auto add = [&](const char* cause, model::Severity severity, std::optional<std::int64_t> at) {
    model::Finding finding;
    finding.cause = cause;
    finding.severity = severity;
    finding.first.since_boot_ns = at;
    diagnosis.findings.push_back(finding);
  };
  add("late", model::Severity::Critical, 900);
  add("early", model::Severity::Error, 100);
  add("earlier warning", model::Severity::Warning, 10);
  add("timeless", model::Severity::Error, std::nullopt);
  EXPECT_EQ(rules::first_symptom(diagnosis)->cause, "early");
}

RC_GTEST_PROP(Changes, FromAToBAndBackNameTheSameFacts, ()) {
  Snapshot now = machine();
  const auto value = rc::gen::element<std::string>("x", "y", "580.82.07");
  for (const char* path : {"os.kernel", "driver.loaded_version", "gpus[0000:1b:00.0].vbios"}) {
    if (*rc::gen::arbitrary<bool>()) set(now, path, *value);
    if (*rc::gen::inRange(0, 5) == 0) now.facts.erase(path);
  }
  std::vector<std::string> forth, back;
  for (const auto& one : rules::rank_changes(machine(), now, {}, guilt())) forth.push_back(one.path);
  for (const auto& one : rules::rank_changes(now, machine(), {}, guilt())) back.push_back(one.path);
  RC_ASSERT(forth == back);
}

}  // namespace
}  // namespace gpuwright::tests
