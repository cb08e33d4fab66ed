// A spec beside a machine: a spec of the machine never differs from it, one changed value is found, and what
// cannot be seen is said.
// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_machine.h"

#include "catalog/spec_types.h"
#include "facts/collector.h"
#include "model/fact_tree.h"
#include "report/spec_yaml.h"
#include "rules/spec_probes.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include "support/spec.h"
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace gpuwright::tests {
namespace {

using rules::SpecVerdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Outcome = SpecVerdict::Outcome;

const model::Machine& h100() {
  static const model::Machine kMachine = [] {
    const auto source = source_of(written_machine("h100"));
    return facts::collect_machine(*source, knowledge());
  }();
  return kMachine;
}

std::vector<SpecVerdict> compared(const std::string& yaml, const model::Machine& machine) {
  const parse::SpecReading reading = read_spec(yaml);
  EXPECT_TRUE(reading.ok()) << yaml << ::testing::PrintToString(spec_faults(yaml));
  return rules::compare_with_machine(reading.spec, machine, knowledge());
}

/// "key: wanted, found" of the differences; "key: could not look" of what is unknown.
std::vector<std::string> told(const std::string& yaml, const model::Machine& machine) {
  std::vector<std::string> lines;
  for (const SpecVerdict& verdict : compared(yaml, machine)) {
    if (verdict.outcome == Outcome::Differs)
      lines.push_back(fmt::format("{}: {}, {} ({})", verdict.path, verdict.wanted, verdict.found,
                                  verdict.subjects.size()));
    if (verdict.outcome == Outcome::Unknown) lines.push_back(verdict.path + ": could not look");
  }
  return lines;
}

std::string spec_of(const model::Machine& machine) {
  return report::spec_yaml(rules::spec_of_machine(machine, "training", knowledge()).spec, knowledge(), {});
}

TEST(SpecOfMachine, IsValidAndNeverDiffersFromIt) {
  const std::string yaml = spec_of(h100());
  EXPECT_THAT(spec_faults(yaml), IsEmpty()) << yaml;
  EXPECT_THAT(told(yaml, h100()), IsEmpty()) << yaml;
  EXPECT_THAT(yaml, HasSubstr("model: NVIDIA H100 80GB HBM3\n      count: 8\n"));
  EXPECT_THAT(yaml, HasSubstr("distribution: "));
  EXPECT_THAT(yaml, HasSubstr("power_limit: 700 W"));
}

model::Machine with_gpus(int count) {
  model::Machine machine = h100();
  std::vector<model::GpuFacts> gpus = machine.gpus.value();
  gpus.resize(static_cast<std::size_t>(count), gpus.front());
  machine.gpus = gpus;
  return machine;
}

TEST(SpecBesideMachine, DifferencesNameWhatIsWantedAndFound) {
  EXPECT_THAT(told("gpu: {power_limit: 0.7 kW, ecc: true, compute_mode: default}", h100()), IsEmpty());
  EXPECT_THAT(told("gpu: {power_limit: 500 W}", h100()), ElementsAre("gpu.power_limit: 500 W, 700 W (8)"));
  EXPECT_THAT(told("gpu: {inventory: [{model: H100, count: 8, min_memory: 80 GB}]}", h100()), IsEmpty());
  EXPECT_THAT(told("gpu: {inventory: [{model: H100, count: 8}]}", with_gpus(7)),
              ElementsAre("gpu.inventory[H100].count: 8, 7 (1)"));
  EXPECT_THAT(told("gpu: {inventory: [{model: H10, count: 8}]}", h100()),
              ElementsAre("gpu.inventory[H10].count: 8, 0 (1)"));
  EXPECT_THAT(told("network: {ports: [{name: nosuch9, mtu: 9000}]}", h100()),
              ElementsAre("network.ports[nosuch9].name: nosuch9, none (1)",
                          "network.ports[nosuch9].mtu: 9000, none (1)"));
  EXPECT_THAT(told("workload: {class: hpc}\nmonitoring: {period: 5 s}", h100()), IsEmpty());
}

TEST(SpecBesideMachine, OverridesAndSelectorsChooseTheGpus) {
  EXPECT_THAT(told("gpu: {power_limit: 500 W, overrides: [{gpus: [0, 1], power_limit: 700 W}]}", h100()),
              ElementsAre("gpu.power_limit: 500 W, 700 W (6)"));
  EXPECT_THAT(told("gpu: {power_limit: 700 W, overrides: [{gpus: [3], power_limit: 500 W}]}", h100()),
              ElementsAre("gpu.overrides[0].power_limit: 500 W, 700 W (1)"));
  EXPECT_THAT(told("gpu: {ecc: true, overrides: [{gpus: [all], ecc: true}]}", h100()), IsEmpty());
}

TEST(SpecBesideMachine, UnknownIsSaidAndNeverMet) {
  model::Machine machine = h100();
  std::vector<model::GpuFacts> gpus = machine.gpus.value();
  gpus[2].report.ecc_current = model::Field<bool>(model::Absent{model::AbsentReason::TimedOut});
  machine.gpus = gpus;
  const auto verdicts = compared("gpu: {ecc: true}", machine);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].outcome, Outcome::Meets);
  EXPECT_EQ(verdicts[0].subjects.size(), 7U);
  EXPECT_EQ(verdicts[1].outcome, Outcome::Unknown);
  EXPECT_EQ(verdicts[1].reason, model::AbsentReason::TimedOut);
  EXPECT_THAT(told("gpu: {ecc: true, inventory: [{model: H100, count: 8}]}", model::Machine()),
              ElementsAre("gpu.inventory[H100].count: could not look", "gpu.ecc: could not look"));
  EXPECT_THAT(told("gpu: {accounting: true}", h100()), ElementsAre("gpu.accounting: could not look"));
}

TEST(SpecBesideMachine, FindingsCarryTheirProof) {
  const parse::SpecReading reading = read_spec("gpu:\n  power_limit: 500 W\n");
  const auto verdicts = rules::compare_with_machine(reading.spec, h100(), knowledge());
  const auto findings = rules::spec_findings(verdicts, reading.spec, knowledge());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].cause, "differs-from-spec");
  EXPECT_EQ(findings[0].also.size(), 7U);
  EXPECT_EQ(findings[0].params.at("wanted"), "500 W");
  EXPECT_EQ(findings[0].params.at("found"), "700 W");
  EXPECT_EQ(findings[0].evidence.front().line, 2);
  EXPECT_EQ(findings[0].evidence.front().input, "gpuwright.yaml");
}

/// Each key that says how it is seen can be seen: its facts are names of the tree, its probe is in the list.
TEST(SpecTable, EveryRowSaysHowItIsSeen) {
  std::set<std::string> probes;
  for (const rules::SpecProbe& probe : rules::all_spec_probes()) {
    EXPECT_TRUE(probes.insert(probe.key).second) << probe.key;
    const catalog::SpecKey* key = knowledge().spec_keys().find(probe.key);
    ASSERT_NE(key, nullptr) << probe.key;
    EXPECT_EQ(key->read, catalog::SpecRead::Probe) << probe.key;
  }
  for (const catalog::SpecKey& key : knowledge().spec_keys().rows()) {
    EXPECT_EQ(probes.count(key.key), key.read == catalog::SpecRead::Probe ? 1U : 0U) << key.key;
  }
}

/// The tree of a machine with one element in every list has every path that the table names.
TEST(SpecTable, FactsThatItNamesExist) {
  model::Machine machine = h100();
  machine.network.interfaces = std::vector<model::NicFacts>(1);
  machine.network.rdma_ports = std::vector<model::RdmaFacts>(1);
  machine.storage.mounts = std::vector<model::MountFacts>(1);
  machine.storage.raids = std::vector<model::RaidFacts>(1);
  machine.management.dpus = std::vector<model::DpuFacts>(1);
  std::set<std::string> names;
  for (const model::Fact& fact : model::flatten(machine)) names.insert(catalog::spec_key_of(fact.path));
  for (const catalog::SpecKey& key : knowledge().spec_keys().rows()) {
    for (const std::string& fact : key.facts)
      EXPECT_EQ(names.count(catalog::spec_key_of(fact)), 1U) << key.key << ": " << fact;
  }
}

/// A machine with GPUs of several kinds and modes, some of which do not answer.
model::Machine random_machine() {
  model::Machine machine = h100();
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("NVIDIA H100 80GB HBM3", "NVIDIA H100", "NVIDIA A100-SXM4-80GB",
                                    "Tesla T4", "NVIDIA GeForce RTX 4090"));
  std::vector<model::GpuFacts> gpus;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 16); ++i) {
    model::GpuFacts gpu = h100().gpus.value().front();
    model::GpuReport& report = gpu.report;
    report.index = static_cast<std::int64_t>(i);
    report.pci = fmt::format("0000:{:02x}:00.0", 16 + i);
    report.uuid = fmt::format("GPU-00000000-0000-0000-0000-{:012x}", i);
    report.name = names[i];
    report.power_limit = base::Watts(*rc::gen::inRange(50, 1000));
    report.compute_mode = *rc::gen::element<std::string>("Default", "Exclusive_Process", "Prohibited");
    report.persistence = *rc::gen::arbitrary<bool>();
    report.memory_total_bytes = *rc::gen::inRange<std::int64_t>(1 << 20, std::int64_t{1} << 40);
    report.mig_current = *rc::gen::arbitrary<bool>();
    report.mig.clear();
    for (int k = *rc::gen::inRange(0, 4); report.mig_current.value() && k > 0; --k) {
      model::MigInstance instance;
      instance.profile = *rc::gen::element<std::string>("1g.10gb", "3g.40gb", "");
      report.mig.push_back(instance);
    }
    if (*rc::gen::arbitrary<bool>())
      report.ecc_current = model::Field<bool>(model::Absent{model::AbsentReason::TimedOut});
    if (*rc::gen::inRange(0, 8) == 0)
      report.name = model::Field<std::string>(model::Absent{model::AbsentReason::Denied});
    gpus.push_back(gpu);
  }
  machine.gpus = gpus;
  return machine;
}

RC_GTEST_PROP(SpecOfMachine, OfAnyMachineIsValidAndMet, ()) {
  const model::Machine machine = random_machine();
  const std::string yaml = spec_of(machine);
  RC_ASSERT(spec_faults(yaml).empty());
  RC_ASSERT(told(yaml, machine).empty());
}

/// Values of one fact each: turned into another, they are found.
RC_GTEST_PROP(SpecOfMachine, AnyOtherPowerLimitIsFound, ()) {
  const int watts = *rc::gen::inRange(10, 5001);
  const auto lines = told(fmt::format("gpu: {{power_limit: {} W}}", watts), h100());
  RC_ASSERT(lines.empty() == (watts == 700));
}

}  // namespace
}  // namespace gpuwright::tests
