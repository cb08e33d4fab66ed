// The default table, lists, CSV, topology and the driver's /proc files.
// SPDX-License-Identifier: Apache-2.0
#include "parse/smi_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using Parser = decltype(&parse::parse_smi_table);

model::Observations read(Parser parser, const std::string& text) {
  model::Observations out;
  parser(text, parse::BlockContext{"input", 1}, knowledge(), out);
  return out;
}

std::string capture(const std::string& name) {
  return read_file(source_dir() + "/tests/data/captures/" + name);
}

TEST(SmiTable, ReadsARow) {
  const model::Observations out =
      read(parse::parse_smi_table, capture("nvidia-smi-table/h100_idle_table.txt"));
  ASSERT_EQ(out.gpus.size(), 1U);
  const model::GpuReport& gpu = out.gpus[0];
  EXPECT_EQ(gpu.name.value(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.pci.value(), "0000:00:09.0");
  EXPECT_EQ(gpu.driver.value(), "590.48.01");
  EXPECT_EQ(gpu.uncorrected_cell.value(), 0);
  EXPECT_EQ(gpu.temperature.value().count(), 41);
  EXPECT_EQ(gpu.power_draw.value().count(), 69);
  EXPECT_EQ(gpu.power_limit.value().count(), 700);
  EXPECT_EQ(gpu.memory_total_bytes.value(), 81559LL * 1024 * 1024);
  EXPECT_EQ(gpu.performance_state.value(), "P0");
  EXPECT_EQ(gpu.compute_mode.value(), "Default");
  EXPECT_TRUE(gpu.persistence.value());
  EXPECT_FALSE(gpu.mig_current.value());
  EXPECT_TRUE(gpu.processes.empty());
}

TEST(SmiTable, AnExclusiveModeIsNoDefault) {
  std::string text = capture("nvidia-smi-table/h100_idle_table.txt");
  const std::string word = "   Default";
  ASSERT_NE(text.find(word), std::string::npos);
  text.replace(text.find(word), word.size(), "E. Process");
  const model::Observations out = read(parse::parse_smi_table, text);
  ASSERT_EQ(out.gpus.size(), 1U);
  EXPECT_EQ(out.gpus[0].compute_mode.value(), "Exclusive_Process");
}

TEST(SmiTable, ReadsMigDevicesAndProcesses) {
  const model::Observations out =
      read(parse::parse_smi_table, capture("nvidia-smi-table/h100mig_load_table.txt"));
  ASSERT_EQ(out.gpus.size(), 1U);
  const model::GpuReport& gpu = out.gpus[0];
  EXPECT_TRUE(gpu.mig_current.value());
  EXPECT_FALSE(gpu.uncorrected_cell.known()) << "with MIG the cell shows the mode, not a count";
  EXPECT_FALSE(gpu.utilization_percent.known());
  ASSERT_EQ(gpu.mig.size(), 4U);
  EXPECT_EQ(gpu.mig[1].gpu_instance.value(), 3);
  EXPECT_EQ(gpu.mig[1].sram_uncorrected.value(), 0);
  ASSERT_EQ(gpu.processes.size(), 3U);
  EXPECT_EQ(gpu.processes[2].pid.value(), 21198);
  EXPECT_EQ(gpu.processes[2].name, "./gpu_burn");
}

TEST(SmiTable, ASickGpuDoesNotHideItsNeighbour) {
  const model::Observations out =
      read(parse::parse_smi_table,
           "|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    3 |\n"
           "| N/A   32C    P0    60W / 400W |      0MiB / 81920MiB |      0%      Default |\n"
           "|   1  NVIDIA A100-SXM...  On   | 00000000:0B:00.0 Off |                 ERR! |\n"
           "|ERR!  ERR! ERR!    ERR! / ERR! |   Unknown Error      |    ERR!         ERR! |\n");
  ASSERT_EQ(out.gpus.size(), 2U);
  EXPECT_EQ(out.gpus[0].uncorrected_cell.value(), 3);
  EXPECT_TRUE(out.gpus[0].unreadable.empty());
  EXPECT_FALSE(out.gpus[1].uncorrected_cell.known());
  EXPECT_FALSE(out.gpus[1].temperature.known());
  EXPECT_GE(out.gpus[1].unreadable.size(), 2U);
  EXPECT_EQ(out.gpus[1].pci.value(), "0000:0b:00.0");
}

TEST(SmiList, ReadsGpusAndMigDevices) {
  const model::Observations out = read(parse::parse_smi_list, capture("nvidia-smi-table/h100mig_list_L.txt"));
  ASSERT_EQ(out.gpus.size(), 1U);
  ASSERT_EQ(out.gpus[0].mig.size(), 4U);
  EXPECT_EQ(out.gpus[0].mig[0].profile, "3g.40gb");
  EXPECT_EQ(out.gpus[0].mig[3].uuid, "MIG-00000003-0000-0000-0000-000000000003");
  EXPECT_TRUE(out.gpu_links.empty());
}

TEST(SmiList, ReadsTheSpeedOfEachLink) {
  const model::Observations out = read(parse::parse_smi_list, capture("nvlink/a100_nvlink_status.txt"));
  ASSERT_EQ(out.gpu_links.size(), 8U);
  ASSERT_EQ(out.gpu_links[7].links.size(), 12U);
  EXPECT_EQ(out.gpu_links[7].links[11].gigabytes_per_second.value(), 25);
  EXPECT_EQ(out.gpu_links[7].links[11].condition, model::LinkCondition::Up);
}

TEST(SmiList, ReadsARefusalAndSingleDeadLinks) {
  const model::Observations all = read(parse::parse_smi_list, capture("nvlink/bad_nvlink_status.txt"));
  ASSERT_EQ(all.gpu_links.size(), 1U);
  EXPECT_TRUE(all.gpu_links[0].all_inactive);
  EXPECT_EQ(all.gpu_links[0].index.value(), 6);
  const model::Observations some =
      read(parse::parse_smi_list,
           "GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-1)\n Link 0: 25.781 GB/s\n Link 3: <inactive>\n");
  ASSERT_EQ(some.gpu_links.at(0).links.size(), 2U);
  EXPECT_EQ(some.gpu_links[0].links[1].condition, model::LinkCondition::Down);
}

TEST(SmiList, ReadsErrorCountersAndRemoteEnds) {
  const model::Observations out =
      read(parse::parse_smi_list,
           "GPU 0: NVIDIA H100 (UUID: GPU-1)\n\t Link 1: Replay Errors: 12\n\t Link 1: CRC Errors: 443211\n"
           "\t Link 1: Remote Device 00000008:05:00.0: Link 4\n");
  ASSERT_EQ(out.gpu_links.size(), 1U);
  const model::LinkState& link = out.gpu_links[0].links.at(0);
  EXPECT_EQ(link.errors.at("replay"), 12);
  EXPECT_EQ(link.errors.at("crc"), 443211);
  EXPECT_EQ(link.remote, "0008:05:00.0");
}

TEST(SmiCsv, TheHeaderNamesTheColumns) {
  const model::Observations out =
      read(parse::parse_smi_csv,
           "index, clocks_throttle_reasons.active, temperature.gpu, memory.used [MiB]\n"
           "0, 0x0000000000000001, 33, 10\n1, 0x0000000000000088, 52, 20\n");
  ASSERT_EQ(out.gpus.size(), 2U);
  EXPECT_TRUE(out.gpus[0].idle.value());
  EXPECT_FALSE(out.gpus[0].power_brake.value());
  EXPECT_TRUE(out.gpus[1].power_brake.value());
  EXPECT_TRUE(out.gpus[1].hardware_slowdown.value());
  EXPECT_EQ(out.gpus[1].memory_used_bytes.value(), 20LL * 1024 * 1024);
}

TEST(SmiCsv, WithoutHeaderTheCommandLineNamesThem) {
  const model::Observations out =
      read(parse::parse_smi_csv,
           "$ nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv,noheader\n1, Reset\n"
           "$ dcgmi health -c\nOverall Health: Healthy\n");
  ASSERT_EQ(out.gpus.size(), 1U);
  EXPECT_EQ(out.gpus[0].index.value(), 1);
  EXPECT_EQ(out.gpus[0].recovery_action.value(), "Reset");
}

TEST(SmiCsv, NotSupportedIsAbsent) {
  const model::Observations out =
      read(parse::parse_smi_csv,
           "index, ecc.errors.corrected.volatile.total, retired_pages.pending\n0, [N/A], [Not Supported]\n");
  ASSERT_EQ(out.gpus.size(), 1U);
  EXPECT_FALSE(out.gpus[0].volatile_total_corrected.known());
  EXPECT_FALSE(out.gpus[0].retirement_pending.known());
}

TEST(SmiCsv, AListOfNamesIsNoTable) {
  EXPECT_TRUE(read(parse::parse_smi_csv,
                   "inforom.checksum_validation\ngpu_recovery_action\ngom.current\ngom.pending\n")
                  .gpus.empty());
}

TEST(SmiTopology, ReadsDistancesAffinityAndNicNames) {
  const model::Observations out = read(parse::parse_smi_topology, capture("topo/h200_x8_8nic_topo.txt"));
  ASSERT_EQ(out.topologies.size(), 1U);
  const model::Topology& topology = out.topologies[0];
  ASSERT_EQ(topology.names.size(), 16U);
  ASSERT_EQ(topology.columns.size(), 16U);
  EXPECT_EQ(topology.cells[0][1], "NV18");
  EXPECT_EQ(topology.cells[0][8], "PIX");
  EXPECT_EQ(topology.cells[7][8], "SYS");
  EXPECT_EQ(topology.cpu_affinity[4], "56-111,168-223");
  EXPECT_EQ(topology.numa_affinity[4], "1");
  EXPECT_EQ(topology.nic_names.at("NIC7"), "rocep206s0");
}

TEST(SmiTopology, ReadsAMatrixWhoseTabsBecameSpaces) {
  const model::Observations out = read(parse::parse_smi_topology,
                                       "        GPU0  GPU1  CPU Affinity  NUMA Affinity  GPU NUMA ID\n"
                                       "GPU0     X    SYS   0-27,56-83    0              N/A\n"
                                       "GPU1    SYS    X    28-55,84-111  1              N/A\n");
  ASSERT_EQ(out.topologies.size(), 1U);
  EXPECT_EQ(out.topologies[0].cells[0][1], "SYS");
  EXPECT_EQ(out.topologies[0].cpu_affinity[1], "28-55,84-111");
}

TEST(ProcGpuInformation, ReadsModelAddressAndExclusion) {
  const model::Observations out = read(
      parse::parse_proc_gpu_information,
      "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 123\nGPU UUID: \t GPU-11\nVideo BIOS: \t 96.00\n"
      "Bus Location: \t 0000:1b:00.0\nDevice Minor: \t 0\nGPU Firmware: \t 580.65.06\nGPU Excluded:\t Yes\n");
  ASSERT_EQ(out.gpus.size(), 1U);
  EXPECT_EQ(out.gpus[0].name.value(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(out.gpus[0].pci.value(), "0000:1b:00.0");
  EXPECT_EQ(out.gpus[0].gsp_firmware.value(), "580.65.06");
  EXPECT_TRUE(out.gpus[0].excluded.value());
}

}  // namespace
}  // namespace gpuwright::tests
