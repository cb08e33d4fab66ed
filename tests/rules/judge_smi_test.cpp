// The judges of nvidia-smi, links and DCGM: each signal once firing, once quiet, on the smallest text that
// says it.
// SPDX-License-Identifier: Apache-2.0
#include "rules/gpu_identity.h"
#include "rules/judge_gpu.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include "support/scan.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gpuwright::tests {
namespace {

using ::testing::Contains;
using ::testing::Not;
using JudgeFunction = std::vector<model::Event> (*)(const model::Observations&, const catalog::Catalog&);

std::vector<model::Event> judged(JudgeFunction judge, const std::string& text) {
  return judge(observe(text), knowledge());
}

/// The alarms only: context is not what these tests are about.
std::set<std::string> signals(JudgeFunction judge, const std::string& text) {
  std::set<std::string> names;
  for (const model::Event& event : judged(judge, text))
    if (event.level == model::EventLevel::Alarm && event.signal != "smi.driver_version")
      names.insert(event.signal);
  return names;
}

std::set<std::string> gpu(const std::string& text) {
  return signals(rules::judge_gpus, text);
}
std::set<std::string> links(const std::string& text) {
  return signals(rules::judge_links, text);
}
std::set<std::string> dcgm(const std::string& text) {
  return signals(rules::judge_dcgm, text);
}
using Set = std::set<std::string>;

std::string section(const std::string& name, const std::vector<std::string>& rows) {
  std::string text = "GPU 00000000:3B:00.0\n    " + name + "\n";
  for (const std::string& row : rows) text += "        " + row + "\n";
  return text;
}

std::string remap(const std::string& rows, const std::string& pending, const std::string& failed,
                  const std::string& none) {
  return section("Remapped Rows", {"Uncorrectable Error : " + rows, "Pending : " + pending,
                                   "Remapping Failure Occurred : " + failed}) +
         "        Bank Remap Availability Histogram\n            Low : 0 bank(s)\n            None : " +
         none + " bank(s)\n";
}

TEST(JudgeGpu, RowRemapping) {
  EXPECT_EQ(gpu(remap("0", "No", "No", "0")), Set{});
  EXPECT_EQ(gpu(remap("4", "Yes", "No", "0")), Set{"gpu.remap_pending"});
  EXPECT_EQ(gpu(remap("4", "No", "Yes", "0")), Set{"gpu.remap_failed"});
  EXPECT_EQ(gpu(remap("512", "No", "No", "0")), Set{"gpu.remap_limit"});
  EXPECT_EQ(gpu(remap("511", "No", "No", "0")), Set{"gpu.row_remapped"});
  EXPECT_EQ(gpu(remap("8", "No", "No", "1")), Set{"gpu.remap_bank_exhausted"});
}

TEST(JudgeGpu, TheEventNamesTheGpuAndProvesItself) {
  const std::vector<model::Event> events = judged(rules::judge_gpus, remap("4", "Yes", "No", "0"));
  const auto event = std::find_if(events.begin(), events.end(),
                                  [](const model::Event& one) { return one.signal == "gpu.remap_pending"; });
  ASSERT_NE(event, events.end());
  EXPECT_EQ(event->subject.id, "0000:3b:00");
  EXPECT_EQ(param(*event, "uncorrectable"), "4");
  EXPECT_EQ(param(*event, "bus_id"), "0000:3b:00.0");
  ASSERT_EQ(event->evidence.size(), 2U);
  EXPECT_EQ(event->evidence[0].line, 4);
}

std::string pages(const std::string& single, const std::string& twice, const std::string& pending) {
  return section("Retired Pages", {"Single Bit ECC : " + single, "Double Bit ECC : " + twice,
                                   "Pending Page Blacklist : " + pending});
}

TEST(JudgeGpu, RetiredPages) {
  EXPECT_EQ(gpu(pages("0", "0", "No")), Set{});
  EXPECT_EQ(gpu(pages("N/A", "N/A", "N/A")), Set{});
  EXPECT_EQ(gpu(pages("6", "0", "Yes")), Set{"gpu.retired_pages_pending"});
  EXPECT_EQ(gpu(pages("60", "5", "No")), Set{"gpu.retired_pages_limit"});
  EXPECT_EQ(gpu(pages("2", "3", "No")), Set{"gpu.retired_pages_some"});
  EXPECT_EQ(gpu(pages("30", "14", "No")), Set{"gpu.retired_pages_some"});
  EXPECT_EQ(gpu(pages("2", "15", "No")), Set{"gpu.retired_pages_many"});
}

std::string ecc(const std::string& vol_dram, const std::string& vol_corrected, const std::string& agg_dram,
                const std::string& threshold) {
  return section("ECC Errors",
                 {"Volatile", "    SRAM Correctable : 0", "    DRAM Correctable : " + vol_corrected,
                  "    DRAM Uncorrectable : " + vol_dram, "Aggregate", "    DRAM Uncorrectable : " + agg_dram,
                  "    SRAM Threshold Exceeded : " + threshold});
}

TEST(JudgeGpu, EccCounters) {
  EXPECT_EQ(gpu(ecc("0", "12", "0", "No")), Set{});
  EXPECT_EQ(gpu(ecc("N/A", "N/A", "N/A", "N/A")), Set{});
  EXPECT_EQ(gpu(ecc("2", "0", "2", "No")), Set{"gpu.ecc_uncorrected"});
  EXPECT_EQ(gpu(ecc("0", "0", "2", "No")), Set{"gpu.ecc_uncorrected_past"});
  EXPECT_EQ(gpu(ecc("0", "0", "0", "Yes")), Set{"gpu.sram_threshold"});
  EXPECT_EQ(gpu(ecc("0", "9600000000", "0", "No")), Set{"gpu.ecc_corrected_storm"});
}

TEST(JudgeGpu, HardwareRepairs) {
  EXPECT_EQ(gpu(section("ECC Errors", {"Channel Repair Pending : No", "TPC Repair Pending : No",
                                       "Unrepairable Memory : No"})),
            Set{});
  EXPECT_EQ(gpu(section("ECC Errors", {"TPC Repair Pending : Yes"})), Set{"gpu.repair_pending"});
  EXPECT_EQ(gpu(section("ECC Errors", {"Unrepairable Memory : Yes"})), Set{"gpu.unrepairable_memory"});
}

TEST(JudgeGpu, ClockReasons) {
  const std::string name = "Clocks Event Reasons";
  EXPECT_EQ(gpu(section(name, {"Idle : Active", "Applications Clocks Setting : Active"})), Set{});
  EXPECT_EQ(gpu(section(name, {"HW Slowdown : Active", "HW Thermal Slowdown : Not Active",
                               "HW Power Brake Slowdown : Active"})),
            Set{"gpu.power_brake"});
  EXPECT_EQ(gpu(section(name, {"HW Slowdown : Active", "HW Thermal Slowdown : Active",
                               "HW Power Brake Slowdown : Not Active"})),
            Set{"gpu.hw_thermal"});
  EXPECT_EQ(gpu(section(name, {"HW Slowdown : Active"})), Set{"gpu.hw_slowdown"});
  EXPECT_EQ(gpu(section(name, {"SW Thermal Slowdown : Active"})), Set{"gpu.sw_thermal"});
  EXPECT_EQ(gpu(section(name, {"SW Power Cap : Active"})), Set{"gpu.power_cap"});
}

TEST(JudgeGpu, Temperatures) {
  const std::string name = "Temperature";
  EXPECT_EQ(gpu(section(name, {"GPU Current Temp : 41 C", "GPU Slowdown Temp : 89 C"})), Set{});
  EXPECT_EQ(gpu(section(name, {"GPU Current Temp : 90 C", "GPU Slowdown Temp : 89 C"})),
            Set{"gpu.over_temperature"});
  EXPECT_EQ(gpu(section(name, {"GPU Current Temp : 37 C", "GPU T.Limit Temp : 51 C",
                               "GPU Slowdown T.Limit Temp : -3 C"})),
            Set{});
  EXPECT_EQ(gpu(section(name, {"GPU Current Temp : 91 C", "GPU T.Limit Temp : -4 C",
                               "GPU Slowdown T.Limit Temp : -3 C"})),
            Set{"gpu.over_temperature"});
  EXPECT_EQ(gpu(section(name, {"GPU Current Temp : 37 C", "GPU T.Limit Temp : -5 C",
                               "GPU Slowdown T.Limit Temp : -3 C"})),
            Set{"gpu.margin_negative"})
      << "a cool GPU with a negative margin is a doubtful reading";
  EXPECT_EQ(gpu(section(name, {"Memory Current Temp : 96 C", "Memory Max Operating Temp : 95 C"})),
            Set{"gpu.memory_over_temperature"});
}

TEST(JudgeGpu, TheLastDegreesBeforeTheBoardsOwnLimit) {
  const auto margin = [](const std::string& left, const std::string& temperature = "84") {
    return gpu(
        section("Temperature", {"GPU Current Temp : " + temperature + " C",
                                "GPU T.Limit Temp : " + left + " C", "GPU Slowdown T.Limit Temp : -3 C"}));
  };
  EXPECT_EQ(margin("6"), Set{});
  EXPECT_EQ(margin("5"), Set{"gpu.near_thermal_limit"});
  EXPECT_EQ(margin("2"), Set{"gpu.at_thermal_limit"});
  EXPECT_EQ(margin("0"), Set{"gpu.at_thermal_limit"});
  EXPECT_EQ(margin("2", "41"), Set{}) << "a cool GPU with a small margin is a doubtful reading";
  const auto slowdown = [](const std::string& temperature) {
    return gpu(
        section("Temperature", {"GPU Current Temp : " + temperature + " C", "GPU Slowdown Temp : 96 C"}));
  };
  EXPECT_EQ(slowdown("90"), Set{}) << "hotter than a fixed number, and far from the board's own limit";
  EXPECT_EQ(slowdown("91"), Set{"gpu.near_thermal_limit"});
  EXPECT_EQ(slowdown("94"), Set{"gpu.at_thermal_limit"});
  EXPECT_EQ(slowdown("96"), Set{"gpu.over_temperature"});
}

TEST(JudgeGpu, FixedTemperaturesOnlyWhereTheBoardTellsNoLimit) {
  const auto bare = [](const std::string& temperature) {
    return gpu(section("Temperature", {"GPU Current Temp : " + temperature + " C"}));
  };
  EXPECT_EQ(bare("84"), Set{});
  EXPECT_EQ(bare("85"), Set{"gpu.hot_without_limit"});
  EXPECT_EQ(bare("92"), Set{"gpu.very_hot_without_limit"});
  const auto memory = [](const std::vector<std::string>& rows) { return gpu(section("Temperature", rows)); };
  EXPECT_EQ(memory({"Memory Current Temp : 99 C", "Memory Max Operating Temp : 105 C"}), Set{});
  EXPECT_EQ(memory({"Memory Current Temp : 100 C", "Memory Max Operating Temp : 105 C"}),
            Set{"gpu.memory_near_limit"});
  EXPECT_EQ(memory({"Memory Current Temp : 94 C"}), Set{});
  EXPECT_EQ(memory({"Memory Current Temp : 95 C"}), Set{"gpu.memory_near_limit"});
}

TEST(JudgeGpu, APowerLimitThatIsNotTheDefault) {
  const auto limits = [](const std::string& now, const std::string& by_default) {
    return gpu(section("GPU Power Readings", {"Current Power Limit : " + now + " W",
                                              "Default Power Limit : " + by_default + " W"}));
  };
  EXPECT_EQ(limits("700.00", "700.00"), Set{});
  EXPECT_EQ(limits("699.50", "700.00"), Set{});
  EXPECT_EQ(limits("400.00", "700.00"), Set{"gpu.power_limit_lowered"});
  EXPECT_EQ(limits("450.00", "400.00"), Set{"gpu.power_limit_raised"});
}

std::string csv(const std::string& header, const std::string& row) {
  return header + "\n" + row + "\n";
}

TEST(JudgeGpu, PcieLink) {
  const std::string header =
      "index, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max, pstate";
  EXPECT_EQ(gpu(csv(header, "0, 5, 5, 16, 16, P0")), Set{});
  EXPECT_EQ(gpu(csv(header, "0, 5, 5, 8, 16, P0")), Set{"gpu.pcie_width"});
  EXPECT_EQ(gpu(csv(header, "0, 1, 5, 16, 16, P8")), Set{"gpu.pcie_generation_idle"});
  EXPECT_EQ(gpu(csv(header, "0, 1, 5, 16, 16, P0")), Set{"gpu.pcie_generation"});
  EXPECT_EQ(gpu(csv(header, "0, [N/A], 5, [N/A], 16, P0")), Set{});
  const std::string busy = "index, pcie.link.gen.current, pcie.link.gen.max, pstate, utilization.gpu [%]";
  EXPECT_EQ(gpu(csv(busy, "0, 1, 5, P0, 19 %")), Set{"gpu.pcie_generation_idle"});
  EXPECT_EQ(gpu(csv(busy, "0, 1, 5, P0, 20 %")), Set{"gpu.pcie_generation"});
  EXPECT_EQ(gpu(read_file(source_dir() + "/tests/data/captures/nvidia-smi-xml/tesla-t4.xml")),
            Set{"gpu.pcie_width_vm"});
}

TEST(JudgeGpu, Fabric) {
  EXPECT_EQ(gpu(section("Fabric", {"State : Completed", "Status : Success"})), Set{});
  EXPECT_EQ(gpu(section("Fabric", {"State : N/A", "Status : N/A"})), Set{});
  EXPECT_EQ(gpu(section("Fabric", {"State : In Progress", "Status : N/A"})), Set{"gpu.fabric_not_ready"});
  EXPECT_EQ(gpu(section("Fabric", {"State : Completed", "Status : Failure"})), Set{"gpu.fabric_failed"});
  EXPECT_EQ(
      gpu(section("Fabric", {"State : Completed", "Status : Success", "Health", "    Bandwidth : Degraded"})),
      Set{"gpu.fabric_degraded"});
}

TEST(JudgeGpu, RecoveryActionInOldAndNewWords) {
  const std::string header = "index, gpu_recovery_action";
  EXPECT_EQ(gpu(csv(header, "1, None")), Set{});
  EXPECT_EQ(gpu(csv(header, "1, Reset")), Set{"gpu.recovery.reset"});
  EXPECT_EQ(gpu(csv(header, "1, PF FLR")), Set{"gpu.recovery.reset"});
  EXPECT_EQ(gpu(csv(header, "1, Reboot")), Set{"gpu.recovery.reboot"});
  EXPECT_EQ(gpu(csv(header, "1, OS Reboot")), Set{"gpu.recovery.reboot"});
  EXPECT_EQ(gpu(csv(header, "1, Drain P2P")), Set{"gpu.recovery.drain_p2p"});
  EXPECT_EQ(gpu(csv(header, "1, Drain and Reset")), Set{"gpu.recovery.drain_reset"});
  EXPECT_EQ(gpu(csv(header, "1, Recover IMEX Domain")), Set{"gpu.recovery.imex"});
  EXPECT_EQ(gpu(csv(header, "1, Something New")), Set{"gpu.recovery.unknown"});
}

TEST(JudgeGpu, ModesAndExclusion) {
  EXPECT_EQ(gpu(section("ECC Mode", {"Current : Enabled", "Pending : Enabled"})), Set{});
  EXPECT_EQ(gpu(section("ECC Mode", {"Current : Enabled", "Pending : Disabled"})),
            Set{"gpu.ecc_mode_pending"});
  EXPECT_EQ(gpu(section("MIG Mode", {"Current : Disabled", "Pending : Enabled"})), Set{"gpu.mig_pending"});
  EXPECT_EQ(gpu("Model: \t\t NVIDIA L4\nBus Location: \t 0000:1b:00.0\nGPU Excluded:\t Yes\n"),
            Set{"gpu.excluded"});
}

TEST(JudgeGpu, UnreadableValues) {
  EXPECT_EQ(gpu(section("Temperature", {"GPU Current Temp : N/A"})), Set{});
  EXPECT_EQ(gpu(section("Temperature", {"GPU Current Temp : Unknown Error"})), Set{"smi.unknown_error"});
  EXPECT_EQ(gpu(section("Temperature", {"GPU Current Temp : GPU requires reset"})),
            Set{"smi.gpu_requires_reset"});
  EXPECT_EQ(gpu(section("Temperature", {"GPU Current Temp : GPU is lost"})), Set{"smi.gpu_lost"});
}

std::string discovery(int count) {
  std::string text = std::to_string(count) + " GPUs found.\n| GPU ID | Device Information |\n";
  for (int i = 0; i < count; ++i)
    text += "| " + std::to_string(i) + "      | Name: NVIDIA A100-SXM4-80GB |\n";
  return text;
}

std::string table(int count) {
  std::string text = "| NVIDIA-SMI 580.65.06   Driver Version: 580.65.06   CUDA Version: 13.0 |\n";
  for (int i = 0; i < count; ++i)
    text += "|   " + std::to_string(i) + "  NVIDIA A100-SXM4-80GB  On  | 00000000:0" + std::to_string(i) +
            ":00.0 Off |   0 |\n";
  return text;
}

TEST(JudgeGpu, OneListWithFewerGpusThanAnother) {
  EXPECT_EQ(gpu(table(8) + discovery(8)), Set{});
  EXPECT_EQ(gpu(table(7) + discovery(8)), Set{"smi.gpu_missing"});
  EXPECT_EQ(gpu(table(7)), Set{"smi.gpu_count_odd"});
  EXPECT_EQ(gpu(table(4)), Set{});
}

TEST(JudgeLinks, AllLinksOfOneGpuAreDown) {
  const std::string up = "GPU 0: NVIDIA B200 (UUID: GPU-1)\n\t Link 0: 50 GB/s\n";
  const std::string refusal = "NVML: Unable to retrieve NVLink information as all links are inActive\n";
  EXPECT_EQ(links(up), Set{});
  EXPECT_EQ(links(up + "GPU 2: NVIDIA B200 (UUID: GPU-2)\n" + refusal), Set{"nvlink.gpu_links_down"});
  EXPECT_EQ(links("GPU 2: NVIDIA B200 (UUID: GPU-2)\n" + refusal), Set{"nvlink.gpu_links_down"});
  EXPECT_EQ(
      links("GPU 0: NVIDIA B200 (UUID: GPU-1)\n" + refusal + "GPU 1: NVIDIA B200 (UUID: GPU-2)\n" + refusal),
      Set{"nvlink.board_links_down"});
  EXPECT_EQ(links("GPU 0: NVIDIA A100 80GB PCIe (UUID: GPU-2)\n" + refusal), Set{"nvlink.no_bridge"});
  EXPECT_EQ(links("GPU 0: NVIDIA L40S (UUID: GPU-2)\n" + refusal), Set{"nvlink.no_bridge"});
  EXPECT_EQ(links("GPU 0: NVIDIA H100 NVL (UUID: GPU-2)\n" + refusal), Set{"nvlink.all_links_down"});
}

TEST(JudgeLinks, SomeLinksAreDown) {
  const std::string states = "\t Link 0: 25.781 GB/s\n\t Link 1: <inactive>\n";
  EXPECT_EQ(links("GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-1)\n" + states), Set{"nvlink.some_links_down"});
  EXPECT_EQ(links("GPU 3: NVIDIA RTX A6000 (UUID: GPU-1)\n" + states), Set{"nvlink.some_links_unused"});
}

TEST(JudgeLinks, SpeedsAndCounters) {
  const std::string head = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n";
  EXPECT_EQ(links(head + "\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n"), Set{});
  EXPECT_EQ(links(head + "\t Link 0: 26.562 GB/s\n\t Link 1: 13.281 GB/s\n"), Set{"nvlink.slow_link"});
  EXPECT_EQ(
      links(head + "\t Link 0: Replay Errors: 0\n\t Link 0: Recovery Errors: 0\n\t Link 0: CRC Errors: 3\n"),
      Set{});
  EXPECT_EQ(links(head + "\t Link 0: Replay Errors: 7\n\t Link 0: Recovery Errors: 1\n"),
            Set{"nvlink.error_counters"});
}

TEST(JudgeLinks, DcgmLettersWithTheModelFromElsewhere) {
  const std::string letters = "|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        D D D D\n";
  EXPECT_EQ(links(letters), Set{"nvlink.all_links_down"});
  const std::string ids =
      "Successfully ran diagnostic for group.\n| GPU Device IDs Detected   | 20b5 |\n| Denylist | Pass |\n";
  EXPECT_EQ(links(ids + letters), Set{"nvlink.no_bridge"});
}

TEST(JudgeLinks, Topology) {
  const std::string head = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  EXPECT_EQ(links(head + "GPU0\t X \tNV18\tPIX\t0-55\t0\t\tN/A\nGPU1\tNV18\t X \tPXB\t56-111\t1\t\tN/A\n"),
            Set{});
  EXPECT_EQ(links(head + "GPU0\t X \tSYS\tPIX\t0-55\t0\t\tN/A\nGPU1\tSYS\t X \tPXB\t56-111\t1\t\tN/A\n"),
            Set{"gpu.peers_across_sockets"});
  EXPECT_EQ(links(head + "GPU0\t X \tNV18\tPIX\t0-55\t0\t\tN/A\nGPU1\tNV18\t X \tSYS\t56-111\t1\t\tN/A\n"),
            Set{"gpu.nic_far"});
  EXPECT_EQ(links(head + "GPU0\t X \tNV18\tPIX\t0-95\tN/A\t\tN/A\nGPU1\tNV18\t X \tPIX\t0-95\tN/A\t\tN/A\n"),
            Set{"gpu.numa_unknown"});
}

TEST(JudgeDcgm, AFailureIsNamedByItsMessageAndTheSummaryIsNotASecondOne) {
  const std::string head = "| Overall Health            | Failure |\n| -> 3 | Failure |\n";
  EXPECT_EQ(dcgm(head + "|    -> NVLINK system | Failure |\n| | GPU 3's NvLink link 0 is currently down |\n"),
            Set{"dcgm.nvlink_down"});
  EXPECT_EQ(dcgm(head + "|    -> PMU system | Failure |\n| | words nobody knows |\n"), Set{"dcgm.failure"});
  EXPECT_EQ(dcgm("Overall Health: Failure\n"), Set{"dcgm.failure"});
}

TEST(JudgeDcgm, APassIsContext) {
  for (const char* text :
       {"Overall Health: Healthy\n",
        "Successfully ran diagnostic for group.\n| Denylist                  | Pass |\n"}) {
    const std::vector<model::Event> events = judged(rules::judge_dcgm, text);
    ASSERT_EQ(events.size(), 1U) << text;
    EXPECT_EQ(events[0].level, model::EventLevel::Context);
  }
}

TEST(JudgeDcgm, AnXidInATestIsThatXid) {
  const Set found = dcgm(
      "Successfully ran diagnostic for group.\n| PCIe | Fail - GPU: 0 |\n| Warning | Detected XID 79 for GPU "
      "0 |\n");
  EXPECT_THAT(found, Contains("xid.79"));
  EXPECT_THAT(found, Not(Contains("dcgm.xid"))) << "it only accompanies the Xid";
}

TEST(GpuIdentity, TheNameTellsHowABoardUsesNvlink) {
  using rules::NvlinkUse;
  EXPECT_EQ(rules::nvlink_use("NVIDIA A100-SXM4-80GB", ""), NvlinkUse::Always);
  EXPECT_EQ(rules::nvlink_use("NVIDIA H100 80GB HBM3", ""), NvlinkUse::Always);
  EXPECT_EQ(rules::nvlink_use("NVIDIA GB200", ""), NvlinkUse::Always);
  EXPECT_EQ(rules::nvlink_use("NVIDIA A100 80GB PCIe", ""), NvlinkUse::Bridge);
  EXPECT_EQ(rules::nvlink_use("NVIDIA H200 NVL", ""), NvlinkUse::Bridge);
  EXPECT_EQ(rules::nvlink_use("Tesla T4", ""), NvlinkUse::Never);
  EXPECT_EQ(rules::nvlink_use("NVIDIA GeForce RTX 4090", ""), NvlinkUse::Never);
  EXPECT_EQ(rules::nvlink_use("", "20b5"), NvlinkUse::Bridge);
  EXPECT_EQ(rules::nvlink_use("Graphics Device", ""), NvlinkUse::Unknown);
  EXPECT_TRUE(rules::is_multi_node_nvlink("NVIDIA GB300"));
  EXPECT_FALSE(rules::is_multi_node_nvlink("NVIDIA B200"));
}

}  // namespace
}  // namespace gpuwright::tests
