// Faults of setting a GPU server up, as machines that are written down: the sick one is named, and its
// healthy twin, which differs from it as little as can be, stays quiet.
// SPDX-License-Identifier: Apache-2.0
#include "kit/yaml.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include "support/paths.h"
#include "support/run.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace gpuwright::tests {
namespace {

std::vector<std::string> fault_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/data/faults")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Fault {
  kit::Node node;
  WrittenMachine base;
};

Fault fault_at(const std::string& path) {
  auto node = kit::parse_yaml(read_file(path), path);
  EXPECT_TRUE(node.ok()) << (node.ok() ? "" : node.error().text());
  Fault fault;
  if (!node) return fault;
  fault.node = std::move(*node);
  fault.base = written_machine(fault.node["from"].text());
  return fault;
}

model::Diagnosis diagnosis_of(const Fault& fault, const char* part) {
  const std::string& other = fault.node[part]["from"].text();
  WrittenMachine machine = other.empty() ? fault.base : written_machine(other);
  apply(fault.node[part], machine, fault.node["id"].text() + " " + part);
  const auto source = source_of(machine);
  model::Diagnosis diagnosis = diagnose_machine(*source);
  for (const model::Finding& finding : diagnosis.findings)
    EXPECT_FALSE(finding.evidence.empty()) << finding.cause << " has no proof";
  return diagnosis;
}

class Faults : public ::testing::TestWithParam<std::string> {};

TEST_P(Faults, TheSickMachineIsNamed) {
  const Fault fault = fault_at(GetParam());
  const model::Diagnosis diagnosis = diagnosis_of(fault, "sick");
  ASSERT_FALSE(diagnosis.findings.empty());
  const std::vector<std::string> expected = fault.node["expect"].texts();
  EXPECT_NE(std::find(expected.begin(), expected.end(), diagnosis.findings.front().cause), expected.end())
      << summary(diagnosis);
}

TEST_P(Faults, ItsHealthyTwinIsQuiet) {
  const Fault fault = fault_at(GetParam());
  const model::Diagnosis diagnosis = diagnosis_of(fault, "twin");
  // What ages on a machine that works may be told: a branch or a release that has ended, a flavour without
  // future.
  const std::vector<std::string> advice = {"driver-branch-ended", "gpu-should-use-open-modules",
                                           "os-past-its-end"};
  for (const model::Finding& finding : diagnosis.findings) {
    EXPECT_NE(std::find(advice.begin(), advice.end(), finding.cause), advice.end()) << summary(diagnosis);
    EXPECT_NE(finding.cause, fault.node["expect"].text());
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Setup, Faults, ::testing::ValuesIn(fault_files()), name_of);

TEST(Machines, TheHealthyOneHasNoFindingAndEveryCheckLooked) {
  const auto source = source_of(written_machine("h100"));
  const model::Diagnosis diagnosis = diagnose_machine(*source);
  EXPECT_TRUE(diagnosis.findings.empty()) << summary(diagnosis);
  ASSERT_FALSE(diagnosis.checks.empty());
  for (const model::Verdict& verdict : diagnosis.checks) {
    EXPECT_NE(verdict.outcome, model::Outcome::Unknown)
        << verdict.check << ": " << verdict.missing.front().place.input << ": "
        << verdict.missing.front().place.text;
  }
}

TEST(Machines, TheProgramReadsTheFixtureFolderAlike) {
  const Fault fault = fault_at(source_dir() + "/tests/data/faults/PF-05.yaml");
  WrittenMachine machine = fault.base;
  apply(fault.node["sick"], machine, "PF-05");
  const TempFolder folder;
  write_fixture(machine, folder.path());
  const Ran ran = run({program(), "doctor", folder.path(), "--quiet"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("User libraries and the loaded kernel module differ"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace gpuwright::tests
