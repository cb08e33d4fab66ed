// The odd one out: found where a clear majority disagrees, silent where everybody differs.
// SPDX-License-Identifier: Apache-2.0
#include "rules/peers.h"

#include "base/text.h"
#include "rules/fact_paths.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace gpuwright::tests {
namespace {

using model::AbsentReason;
using model::DifferenceKind;
using model::Snapshot;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const catalog::FactGuilt& guilt() {
  static const catalog::FactGuilt kGuilt(knowledge());
  return kGuilt;
}

void set(Snapshot& machine, const std::string& path, const std::string& value) {
  machine.facts[path] = {true, value, AbsentReason::NotFound};
}

void hide(Snapshot& machine, const std::string& path, AbsentReason reason) {
  machine.facts[path] = {false, {}, reason};
}

/// Equal machines but for what differs on every machine.
std::vector<Snapshot> fleet_of(int count) {
  std::vector<Snapshot> machines;
  for (int n = 1; n <= count; ++n) {
    Snapshot machine;
    machine.name = "n" + std::to_string(n);
    set(machine, "os.host_name", machine.name);
    set(machine, "os.uptime_s", std::to_string(1000 * n));
    set(machine, "os.kernel", "6.8.0-87-generic");
    set(machine, "os.command_line", "root=UUID=" + std::to_string(n * 7919) + ", ro, iommu=pt");
    set(machine, "driver.loaded_version", "580.95.05");
    set(machine, "driver.libnvidia_ml_version", "580.95.05");
    set(machine, "driver.packages[libnvidia-compute-580].version", "580.95.05-0ubuntu1");
    set(machine, "memory.total_bytes", std::to_string(2'000'000'000'000 + n * 4096));
    for (const char* address : {"0000:1b:00.0", "0000:43:00.0"}) {
      const std::string gpu = std::string("gpus[") + address + "].";
      set(machine, gpu + "serial", std::to_string(n * 131) + address);
      set(machine, gpu + "vbios", "96.00.89.00.01");
      set(machine, gpu + "power_limit_w", "700");
      set(machine, gpu + "pcie_replays", std::to_string(n % 4));
      set(machine, gpu + "temperature_c", std::to_string(30 + n));
      set(machine, std::string("pci[") + address + "].width", "16");
    }
    machines.push_back(std::move(machine));
  }
  return machines;
}

std::vector<std::string> paths(const model::OddOne& odd) {
  std::vector<std::string> result;
  for (const auto& difference : odd.differences) result.push_back(difference.path);
  return result;
}

TEST(FactPaths, KnowTheirParts) {
  EXPECT_THAT(rules::parts_of("gpus[0000:3b:00.0].nvlinks[3].state"),
              ElementsAre("gpus[0000:3b:00.0]", "gpus[0000:3b:00.0].nvlinks[3]"));
  EXPECT_EQ(rules::without_keys("gpus[0000:3b:00.0].nvlinks[3].state"), "gpus[].nvlinks[].state");
  EXPECT_EQ(rules::last_key("management.listening[[::]:9400].process"), "[::]:9400");
  EXPECT_EQ(rules::last_key("os.kernel"), "");
}

TEST(Peers, AlikeHaveNoOddOne) {
  const auto report = rules::compare_peers(fleet_of(16), guilt());
  EXPECT_THAT(report.odd, IsEmpty());
  EXPECT_THAT(report.splits, IsEmpty());
}

TEST(Peers, AnotherDriverIsOneDifferenceAndTheFirst) {
  auto machines = fleet_of(16);
  Snapshot& odd = machines[6];
  set(odd, "driver.loaded_version", "580.65.06");
  set(odd, "driver.libnvidia_ml_version", "580.65.06");
  set(odd, "driver.packages[libnvidia-compute-580].version", "580.65.06-0ubuntu1");
  set(odd, "os.numa_balancing", "1");
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  EXPECT_EQ(report.odd[0].name, "n7");
  ASSERT_THAT(paths(report.odd[0]), ElementsAre("driver.loaded_version"));
  const auto& difference = report.odd[0].differences[0];
  EXPECT_EQ(difference.value, "580.65.06");
  EXPECT_EQ(difference.others, "580.95.05");
  EXPECT_EQ(difference.agree, 15);
  EXPECT_EQ(difference.also.size(), 2U);
}

TEST(Peers, AMissingGpuIsToldOnce) {
  auto machines = fleet_of(8);
  std::erase_if(machines[2].facts,
                [](const auto& entry) { return entry.first.find("0000:43:00.0") != std::string::npos; });
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  ASSERT_THAT(paths(report.odd[0]), ElementsAre("gpus[0000:43:00.0]"));
  EXPECT_EQ(report.odd[0].differences[0].kind, DifferenceKind::Missing);
  EXPECT_THAT(report.odd[0].differences[0].also, Contains("pci[0000:43:00.0]"));
}

TEST(Peers, AGpuAtAnotherAddressIsNotMissing) {
  auto machines = fleet_of(8);
  std::map<std::string, model::SnapshotValue> moved;
  for (const auto& [path, value] : machines[2].facts)
    moved[base::replace_all(path, "0000:43:00.0", "0000:44:00.0")] = value;
  machines[2].facts = moved;
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  for (const auto& difference : report.odd[0].differences) EXPECT_LT(difference.guilt, 30) << difference.path;
}

TEST(Peers, WhatCouldNotBeReadIsNotMissing) {
  auto machines = fleet_of(8);
  std::erase_if(machines[2].facts, [](const auto& entry) { return entry.first.starts_with("gpus"); });
  hide(machines[2], "gpus", AbsentReason::TimedOut);
  hide(machines[3], "driver.loaded_version", AbsentReason::Denied);
  EXPECT_THAT(rules::compare_peers(machines, guilt()).odd, IsEmpty());
  hide(machines[3], "driver.loaded_version", AbsentReason::NotFound);
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  EXPECT_THAT(paths(report.odd[0]), ElementsAre("driver.loaded_version"));
  EXPECT_EQ(report.odd[0].differences[0].value, "");
}

TEST(Peers, OptionsAreComparedOneByOne) {
  auto machines = fleet_of(5);
  set(machines[4], "os.command_line", "root=UUID=1, ro");
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  EXPECT_THAT(paths(report.odd[0]), ElementsAre("os.command_line{iommu}"));
  EXPECT_EQ(report.odd[0].differences[0].others, "pt");
  EXPECT_GT(report.odd[0].differences[0].guilt, 30) << "an option is as guilty as its list";
}

TEST(Peers, CountsAndAmountsAreOddOnlyFarFromTheOthers) {
  auto machines = fleet_of(8);
  set(machines[1], "gpus[0000:1b:00.0].pcie_replays", "9");
  set(machines[1], "memory.total_bytes", "1990000000000");
  EXPECT_THAT(rules::compare_peers(machines, guilt()).odd, IsEmpty());
  set(machines[1], "gpus[0000:1b:00.0].pcie_replays", "90000");
  set(machines[1], "memory.total_bytes", "1900000000000");
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  EXPECT_THAT(paths(report.odd[0]), ElementsAre("memory.total_bytes", "gpus[0000:1b:00.0].pcie_replays"));
}

TEST(Peers, HalvesAreASplitAndNobodyIsOdd) {
  auto machines = fleet_of(8);
  for (int at = 0; at < 4; ++at)
    set(machines[static_cast<std::size_t>(at)], "driver.loaded_version", "570.1.1");
  const auto report = rules::compare_peers(machines, guilt());
  EXPECT_THAT(report.odd, IsEmpty());
  ASSERT_EQ(report.splits.size(), 1U);
  EXPECT_EQ(report.splits[0].groups.size(), 2U);
  EXPECT_THAT(report.splits[0].groups[0].names.size(), 4U);
}

TEST(Peers, OfTwoTheSecondDiffersFromTheFirst) {
  auto machines = fleet_of(2);
  set(machines[1], "os.kernel", "6.8.0-90-generic");
  const auto report = rules::compare_peers(machines, guilt());
  ASSERT_EQ(report.odd.size(), 1U);
  EXPECT_EQ(report.odd[0].name, "n2");
  EXPECT_EQ(report.odd[0].differences[0].path, "os.kernel");
  EXPECT_EQ(report.odd[0].differences[0].others, "6.8.0-87-generic");
}

TEST(Peers, GpusOfOneMachineAreComparedToo) {
  Snapshot machine = fleet_of(1).front();
  for (const char* address : {"0000:52:00.0", "0000:61:00.0"}) {
    set(machine, std::string("gpus[") + address + "].vbios", "96.00.89.00.01");
    set(machine, std::string("gpus[") + address + "].power_limit_w", "700");
    set(machine, std::string("pci[") + address + "].width", "16");
  }
  set(machine, "pci[0000:52:00.0].width", "8");
  set(machine, "gpus[0000:61:00.0].power_limit_w", "500");
  const auto report = rules::compare_peers(rules::gpus_of(machine), guilt());
  ASSERT_EQ(report.odd.size(), 2U);
  EXPECT_EQ(report.odd[0].name, "GPU 0000:61:00.0");
  EXPECT_EQ(report.odd[1].name, "GPU 0000:52:00.0");
  EXPECT_EQ(report.odd[1].differences[0].path, "pci[].width");
}

RC_GTEST_PROP(Peers, OrderOfMachinesDoesNotMatter, ()) {
  auto machines = fleet_of(*rc::gen::inRange(3, 9));
  const auto values = rc::gen::element<std::string>("a", "b", "c");
  for (Snapshot& machine : machines) {
    set(machine, "driver.flavour", *values);
    set(machine, "os.kernel", *values);
    set(machine, "gpus[0000:1b:00.0].power_limit_w", *rc::gen::element<std::string>("700", "701", "500"));
    if (*rc::gen::inRange(0, 4) == 0) hide(machine, "os.bios_version", AbsentReason::NotFound);
    if (*rc::gen::inRange(0, 4) == 0) hide(machine, "driver.flavour", AbsentReason::Denied);
  }
  const auto expected = rules::compare_peers(machines, guilt());
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::shuffle(machines.begin(), machines.end(), random);
  const auto shuffled = rules::compare_peers(machines, guilt());
  RC_ASSERT(expected.odd.size() == shuffled.odd.size());
  for (std::size_t at = 0; at < expected.odd.size(); ++at) {
    RC_ASSERT(expected.odd[at].name == shuffled.odd[at].name);
    RC_ASSERT(paths(expected.odd[at]) == paths(shuffled.odd[at]));
  }
  RC_ASSERT(expected.splits.size() == shuffled.splits.size());
}

RC_GTEST_PROP(Peers, AMajorityIsNeverOdd, ()) {
  auto machines = fleet_of(*rc::gen::inRange(3, 12));
  const std::size_t odd = *rc::gen::inRange<std::size_t>(1, (machines.size() + 2) / 3);
  for (std::size_t at = 0; at < odd; ++at) set(machines[at], "gpus[0000:1b:00.0].vbios", "other");
  const auto report = rules::compare_peers(machines, guilt());
  if (odd * 3 <= machines.size()) RC_ASSERT(report.odd.size() == odd);
  for (const auto& one : report.odd) RC_ASSERT(one.differences[0].value == "other");
}

}  // namespace
}  // namespace gpuwright::tests
