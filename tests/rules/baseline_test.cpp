// What a GPU server should have beside its GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"

#include "facts/collector.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Machine healthy() {
  const auto source = source_of(written_machine("h100"));
  return facts::collect_machine(*source, knowledge());
}

std::vector<std::string> signals_of(const model::Machine& machine, const std::string& workload = {}) {
  const model::Observations none;
  const rules::Situation situation{machine, none, knowledge(), 0, workload};
  std::vector<std::string> signals;
  for (const model::Event& event :
       rules::check_baseline(rules::Look("baseline", situation), situation).events)
    signals.push_back(event.signal);
  return signals;
}

double quantity(const std::string& name, const model::Machine& machine) {
  const model::Observations none;
  const rules::Situation situation{machine, none, knowledge()};
  rules::Look look("baseline", situation);
  return rules::baseline_quantity(name, machine, look).value_or(-1);
}

TEST(Baseline, QuantitiesOfTheWrittenNode) {
  const model::Machine machine = healthy();
  EXPECT_DOUBLE_EQ(quantity("cores_per_gpu", machine), 14);
  EXPECT_NEAR(quantity("host_memory_per_gpu_memory", machine), 3.16, 0.01);
  EXPECT_DOUBLE_EQ(quantity("rdma_ports_per_gpu", machine), 1);
  EXPECT_DOUBLE_EQ(quantity("gpus_without_near_rdma_port", machine), 0);
  EXPECT_DOUBLE_EQ(quantity("gpus_of_fullest_node_beyond_emptiest", machine), 0);
  EXPECT_DOUBLE_EQ(quantity("lowest_pcie_generation_of_gpu_slots", machine), 5);
  EXPECT_DOUBLE_EQ(quantity("nvme_drives", machine), 4);
  EXPECT_NEAR(quantity("nvme_gigabytes_per_second", machine), 4 * 7.877, 0.01);
  EXPECT_DOUBLE_EQ(quantity("bonded_management_ports", machine), 2);
}

TEST(Baseline, TheWrittenNodeIsEnoughForAllWork) {
  for (const char* workload : {"", "training", "inference", "hpc", "shared-workstation"})
    EXPECT_THAT(signals_of(healthy(), workload), IsEmpty()) << workload;
}

TEST(Baseline, EachShortageIsNamed) {
  model::Machine machine = healthy();
  machine.memory.total = base::Bytes(std::int64_t{512} << 30);  // 0.8x
  machine.cpu.cores = std::int64_t{24};                         // 3 a GPU
  EXPECT_THAT(signals_of(machine), ElementsAre("baseline.host_memory_low", "baseline.cores_low"));
  machine = healthy();
  machine.memory.total = base::Bytes(std::int64_t{1000} << 30);  // 1.57x
  EXPECT_THAT(signals_of(machine), IsEmpty());
  EXPECT_THAT(signals_of(machine, "training"), ElementsAre("baseline.host_memory_tight"));
}

TEST(Baseline, APortOnTheOtherSocketIsFar) {
  auto written = written_machine("h100");
  for (int nic = 0; nic < 4; ++nic) {
    const std::string ports = "/sys/class/infiniband/mlx5_" + std::to_string(nic);
    std::erase_if(written.files, [&](const auto& file) { return file.first.starts_with(ports + "/"); });
    std::erase_if(written.links, [&](const auto& link) { return link.first.starts_with(ports + "/"); });
  }
  const auto source = source_of(written);
  const model::Machine machine = facts::collect_machine(*source, knowledge());
  EXPECT_DOUBLE_EQ(quantity("gpus_without_near_rdma_port", machine), 4);
  EXPECT_DOUBLE_EQ(quantity("rdma_ports_per_gpu", machine), 0.5);
}

TEST(Baseline, AnUnknownFactIsNoShortage) {
  model::Machine machine = healthy();
  machine.memory.total = {model::Absent{model::AbsentReason::Denied}, 1};
  const model::Observations none;
  const rules::Situation situation{machine, none, knowledge()};
  const model::Verdict verdict = rules::check_baseline(rules::Look("baseline", situation), situation);
  EXPECT_EQ(verdict.outcome, model::Outcome::Unknown);
}

TEST(Baseline, EachRowNamesAKnownQuantityAndASource) {
  const base::CsvTable* table = knowledge().table("baseline");
  ASSERT_NE(table, nullptr);
  for (const auto& row : table->rows) {
    EXPECT_TRUE(rules::knows_baseline_quantity(table->cell(row, "quantity"))) << row.line;
    EXPECT_FALSE(table->cell(row, "source").empty()) << row.line;
    const std::string signal = table->cell(row, "signal");
    EXPECT_TRUE(std::any_of(knowledge().causes().begin(), knowledge().causes().end(),
                            [&](const catalog::Cause& cause) {
                              return !cause.raised_by.empty() && cause.raised_by.front().signal == signal;
                            }))
        << signal;
  }
}

}  // namespace
}  // namespace gpuwright::tests
