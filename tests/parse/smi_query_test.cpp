// nvidia-smi -q as text and as XML: the same facts come out of both, of whole logs, of single sections and of
// cut documents.
// SPDX-License-Identifier: Apache-2.0
#include "parse/smi_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using model::GpuReport;
using Parser = decltype(&parse::parse_smi_query_text);

std::vector<GpuReport> gpus(Parser parser, const std::string& text) {
  model::Observations out;
  parser(text, parse::BlockContext{"input", 1}, knowledge(), out);
  return out.gpus;
}

std::vector<GpuReport> text_gpus(const std::string& text) {
  return gpus(parse::parse_smi_query_text, text);
}
std::vector<GpuReport> xml_gpus(const std::string& text) {
  return gpus(parse::parse_smi_query_xml, text);
}

std::string capture(const std::string& name) {
  return read_file(source_dir() + "/tests/data/captures/" + name);
}

TEST(SmiQueryText, ReadsAWholeNodeOfEightGpus) {
  const std::vector<GpuReport> all = text_gpus(capture("nvidia-smi-q/b200_x8_q.txt"));
  ASSERT_EQ(all.size(), 8U);
  const GpuReport& first = all[0];
  EXPECT_EQ(first.index.value(), 0);
  EXPECT_EQ(all[7].index.value(), 7);
  EXPECT_EQ(first.pci.value(), "0000:1b:00.0");
  EXPECT_EQ(first.name.value(), "NVIDIA B200");
  EXPECT_EQ(first.driver.value(), "570.124.06");
  EXPECT_EQ(first.cuda.value(), "12.9");
  EXPECT_EQ(first.attached.value(), 8);
  EXPECT_EQ(first.device_id.value(), "2901");
  EXPECT_EQ(first.gsp_firmware.value(), "570.124.06");
  EXPECT_EQ(first.recovery_action.value(), "None");
  EXPECT_TRUE(first.ecc_current.value());
  EXPECT_FALSE(first.sram_threshold_exceeded.value());
  EXPECT_EQ(first.volatile_sram_parity.value(), 0);
  EXPECT_EQ(first.banks_max.value(), 3840);
  EXPECT_TRUE(first.idle.value());
  EXPECT_FALSE(first.power_brake.value());
  EXPECT_EQ(first.temperature.value().count(), 37);
  EXPECT_EQ(first.margin.value().count(), 51);
  EXPECT_EQ(first.slowdown_margin.value().count(), -3);
  EXPECT_EQ(first.power_limit.value().count(), 1000);
  EXPECT_EQ(first.pcie_generation.value(), 5);
  EXPECT_EQ(first.pcie_width_max.value(), 16);
  EXPECT_EQ(first.fabric_state.value(), "Completed");
  EXPECT_EQ(first.memory_total_bytes.value(), 183359LL * 1024 * 1024);
}

TEST(SmiQueryText, WhatTheToolDoesNotKnowIsAbsentAndNotZero) {
  const GpuReport first = text_gpus(capture("nvidia-smi-q/b200_x8_q.txt")).at(0);
  EXPECT_FALSE(first.retired_single_bit.known());
  EXPECT_EQ(first.retired_single_bit.reason(), model::AbsentReason::Unsupported);
  EXPECT_FALSE(first.reset_required.known());
  EXPECT_FALSE(first.fabric_bandwidth.known());
  EXPECT_FALSE(first.slowdown_temperature.known());
}

TEST(SmiQueryText, EachFactKeepsItsLine) {
  const GpuReport second = text_gpus(capture("nvidia-smi-q/bad_nvsmi8_output.txt")).at(1);
  const model::Evidence* line = second.line_of(second.retired_double_bit);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->line, 18);
  EXPECT_EQ(line->text, "Double Bit ECC                    : 61");
  EXPECT_TRUE(second.retirement_pending.value());
}

TEST(SmiQueryText, OldNamesOfTheClockReasonsMeanTheSame) {
  const GpuReport old =
      text_gpus(
          "    Clocks Throttle Reasons\n        HW Slowdown                       : Active\n"
          "            HW Power Brake Slowdown       : Active\n")
          .at(0);
  EXPECT_TRUE(old.hardware_slowdown.value());
  EXPECT_TRUE(old.power_brake.value());
  EXPECT_FALSE(old.index.known());
}

TEST(SmiQueryText, CountersOfTheClockReasonsAreNotTheReasons) {
  const GpuReport load = text_gpus(capture("nvidia-smi-q/l40s_load_q.txt")).at(0);
  EXPECT_FALSE(load.software_thermal_slowdown.value());
  EXPECT_FALSE(load.software_power_cap.value());
  ASSERT_EQ(load.processes.size(), 2U);
  EXPECT_EQ(load.processes[0].name, "ffmpeg");
  EXPECT_EQ(load.processes[1].pid.value(), 20038);
  EXPECT_EQ(load.processes[1].memory_bytes.value(), 681LL * 1024 * 1024);
}

TEST(SmiQueryText, MigDevicesDoNotSpeakForTheGpu) {
  const GpuReport gpu = text_gpus(capture("nvidia-smi-q/h100mig_idle_q.txt")).at(0);
  ASSERT_EQ(gpu.mig.size(), 4U);
  EXPECT_EQ(gpu.mig[3].gpu_instance.value(), 10);
  EXPECT_EQ(gpu.mig[3].sram_uncorrected.value(), 0);
  EXPECT_TRUE(gpu.mig_current.value());
  EXPECT_FALSE(gpu.utilization_percent.known());
  EXPECT_FALSE(gpu.remap_pending.known());
}

TEST(SmiQueryText, ASectionWithoutIndentationIsStillASection) {
  const GpuReport gpu =
      text_gpus("Remapped Rows\nUncorrectable Error : 4\nPending : Yes\nRemapping Failure Occurred : No\n")
          .at(0);
  EXPECT_TRUE(gpu.remap_pending.value());
  EXPECT_EQ(gpu.remapped_uncorrected.value(), 4);
  EXPECT_FALSE(gpu.remap_failed.value());
}

TEST(SmiQueryText, TheSameSectionAgainIsTheNextGpu) {
  const std::vector<GpuReport> all =
      text_gpus("    Remapped Rows\n        Pending : No\n    Remapped Rows\n        Pending : Yes\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].remap_pending.value());
  EXPECT_TRUE(all[1].remap_pending.value());
  EXPECT_EQ(all[1].index.value(), 1);
}

TEST(SmiQueryText, OneGpuOfSeveralHasNoIndex) {
  const std::vector<GpuReport> all = text_gpus(
      "Attached GPUs                             : 8\nGPU 00000000:3B:00.0\n    Persistence Mode : "
      "Enabled\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].index.known());
  EXPECT_EQ(all[0].attached.value(), 8);
}

TEST(SmiQueryText, AnUnreadableValueIsNotedAndAbsent) {
  const GpuReport gpu =
      text_gpus("GPU 00000000:3B:00.0\n    Temperature\n        GPU Current Temp : Unknown Error\n").at(0);
  EXPECT_FALSE(gpu.temperature.known());
  ASSERT_EQ(gpu.unreadable.size(), 1U);
  EXPECT_EQ(gpu.unreadable[0].text, "Unknown Error");
  EXPECT_EQ(gpu.unreadable[0].evidence.line, 3);
}

TEST(SmiQueryText, RightsAreNotErrors) {
  const GpuReport gpu =
      text_gpus("GPU 00000000:3B:00.0\n    MIG Mode\n        Current : Insufficient Permissions\n").at(0);
  EXPECT_EQ(gpu.mig_current.reason(), model::AbsentReason::Denied);
  EXPECT_TRUE(gpu.unreadable.empty());
}

TEST(SmiQueryXml, BothGenerationsOfTheDocumentTypeFillTheSameFields) {
  const GpuReport v12 = xml_gpus(capture("nvidia-smi-xml/rtx-3080-v12.xml")).at(0);
  const GpuReport v13 = xml_gpus(capture("nvidia-smi-xml/rtx-3080-v13.xml")).at(0);
  for (const GpuReport* gpu : {&v12, &v13}) {
    EXPECT_EQ(gpu->name.value(), "NVIDIA GeForce RTX 3080");
    EXPECT_TRUE(gpu->pci.known());
    EXPECT_TRUE(gpu->power_draw.known());
    EXPECT_TRUE(gpu->hardware_slowdown.known());
    EXPECT_FALSE(gpu->ecc_current.known());
    EXPECT_EQ(gpu->shutdown_temperature.value().count(), 98);
    EXPECT_EQ(gpu->index.value(), 0);
  }
  EXPECT_EQ(v12.driver.value(), "536.40");
  EXPECT_EQ(v13.driver.value(), "595.58.03");
  EXPECT_EQ(v13.recovery_action.value(), "None");
}

TEST(SmiQueryXml, ThrottleReasonsOfOldDriversAreRead) {
  const GpuReport t4 = xml_gpus(capture("nvidia-smi-xml/tesla-t4.xml")).at(0);
  EXPECT_FALSE(t4.hardware_thermal_slowdown.value());
  EXPECT_EQ(t4.pcie_width.value(), 8);
  EXPECT_EQ(t4.pcie_width_max.value(), 16);
  EXPECT_EQ(t4.retired_double_bit.value(), 0);
  EXPECT_FALSE(t4.retirement_pending.value());
  EXPECT_EQ(t4.virtualization.value(), "Pass-Through");
  ASSERT_EQ(t4.processes.size(), 2U);
  EXPECT_EQ(t4.processes[1].name, "python");
}

TEST(SmiQueryXml, AMinimalDocumentSaysOnlyWhatItHas) {
  const GpuReport gpu = xml_gpus(capture("nvidia-smi-xml/gtx-1070-ti.xml")).at(0);
  EXPECT_EQ(gpu.pci.value(), "0000:01:00.0");
  EXPECT_EQ(gpu.temperature.value().count(), 39);
  EXPECT_FALSE(gpu.power_draw.known());
  EXPECT_FALSE(gpu.driver.known());
  EXPECT_FALSE(gpu.remap_pending.known());
}

TEST(SmiQueryXml, ADocumentCutInTheMiddleKeepsWhatIsComplete) {
  const std::string cut =
      "<nvidia_smi_log><attached_gpus>2</attached_gpus><gpu id=\"00000000:3B:00.0\"><remapped_rows>"
      "<remapped_row_unc>4</remapped_row_unc><remapped_row_pending>Yes</remapped_row_pending>"
      "<remapped_row_failure>Ye";
  const GpuReport gpu = xml_gpus(cut).at(0);
  EXPECT_EQ(gpu.pci.value(), "0000:3b:00.0");
  EXPECT_EQ(gpu.remapped_uncorrected.value(), 4);
  EXPECT_TRUE(gpu.remap_pending.value());
  EXPECT_FALSE(gpu.remap_failed.known());
  EXPECT_FALSE(gpu.index.known()) << "one of two GPUs was read: its number is unknown";
}

TEST(SmiQueryXml, AFragmentWithoutRootIsRead) {
  const GpuReport gpu =
      xml_gpus(
          "<remapped_rows>\n<remapped_row_unc>512</remapped_row_unc>\n<row_remapper_histogram>\n"
          "<row_remapper_histogram_none>1 bank(s)</row_remapper_histogram_none>\n")
          .at(0);
  EXPECT_EQ(gpu.remapped_uncorrected.value(), 512);
  EXPECT_EQ(gpu.banks_none.value(), 1);
  EXPECT_EQ(gpu.line_of(gpu.banks_none)->line, 4);
}

}  // namespace
}  // namespace gpuwright::tests
