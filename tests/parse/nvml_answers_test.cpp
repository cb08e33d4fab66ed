// NVML's answers as gpuwright writes them, brought into the same report as nvidia-smi's.
// SPDX-License-Identifier: Apache-2.0
#include "parse/smi_formats.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::parse {
namespace {

constexpr const char* kAnswers =
    "gpuwright: NVML answers, version 1\n"
    "driver_version: 570.133.20  [nvmlSystemGetDriverVersion, 5 us]\n"
    "count: 2  [nvmlDeviceGetCount_v2, 2 us]\n"
    "GPU 0\n"
    "handle: found  [nvmlDeviceGetHandleByIndex_v2, 7 us]\n"
    "pci.bus_id: 00000000:3B:00.0  [nvmlDeviceGetPciInfo_v3, 3 us]\n"
    "name: NVIDIA H100 80GB HBM3  [nvmlDeviceGetName, 3 us]\n"
    "ecc.mode.current: Enabled  [nvmlDeviceGetEccMode, 1 us]\n"
    "temperature.gpu: 34  [nvmlDeviceGetTemperature, 9 us]\n"
    "fan.speed: [Not Supported]  [nvmlDeviceGetFanSpeed returned 3, 1 us]\n"
    "power.draw: 71.50  [nvmlDeviceGetPowerUsage, 40 us]\n"
    "clocks_event_reasons.active: 0x0000000000000080  [nvmlDeviceGetCurrentClocksEventReasons, 2 us]\n"
    "remapped_rows.pending: Yes  [nvmlDeviceGetRemappedRows, 2 us]\n"
    "memory.total: 81559 MiB  [nvmlDeviceGetMemoryInfo_v2, 2 us]\n"
    "link 0: active, remote 00000000:05:00.0, replay 0, recovery 1, crc 0\n"
    "link 1: inactive\n"
    "links: 2  [nvmlDeviceGetNvLinkState, 80 us]\n"
    "mig 0: gpu instance 7, compute instance 1, uuid MIG-0a\n"
    "process: C 4711 1048576 B\n"
    "GPU 1\n"
    "handle: found  [nvmlDeviceGetHandleByIndex_v2, 7 us]\n"
    "pci.bus_id: 00000000:5D:00.0  [nvmlDeviceGetPciInfo_v3, 3 us]\n"
    "temperature.gpu: [no answer after 1000 ms]  [nvmlDeviceGetTemperature]\n";

model::Observations parsed(const std::string& text) {
  model::Observations out;
  EXPECT_TRUE(parse_nvml_answers(text, {"NVML", 1}, tests::knowledge(), out));
  return out;
}

TEST(NvmlAnswers, FillTheReportOfEachGpu) {
  const model::Observations out = parsed(kAnswers);
  ASSERT_EQ(out.gpus.size(), 2u);
  const model::GpuReport& gpu = out.gpus[0];
  EXPECT_EQ(gpu.index.value(), 0);
  EXPECT_EQ(gpu.pci.value(), "0000:3b:00.0");
  EXPECT_EQ(gpu.driver.value(), "570.133.20");
  EXPECT_EQ(gpu.temperature.value(), base::Celsius(34));
  EXPECT_EQ(gpu.power_draw.value(), base::Watts(71.5));
  EXPECT_TRUE(gpu.power_brake.value());
  EXPECT_TRUE(gpu.remap_pending.value());
  EXPECT_TRUE(gpu.ecc_current.value());
  EXPECT_EQ(gpu.memory_total_bytes.value(), 81559LL << 20);
  ASSERT_NE(gpu.line_of(gpu.temperature), nullptr);
  EXPECT_EQ(gpu.line_of(gpu.temperature)->line, 9);
  ASSERT_EQ(gpu.mig.size(), 1u);
  EXPECT_EQ(gpu.mig[0].gpu_instance.value(), 7);
  EXPECT_EQ(gpu.mig[0].uuid, "MIG-0a");
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(gpu.processes[0].memory_bytes.value(), 1048576);
}

TEST(NvmlAnswers, LinksKeepStateFarEndAndCounters) {
  const model::Observations out = parsed(kAnswers);
  ASSERT_EQ(out.gpu_links.size(), 1u);
  const auto& links = out.gpu_links[0].links;
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].condition, model::LinkCondition::Up);
  EXPECT_EQ(links[0].remote, "0000:05:00.0");
  EXPECT_EQ(links[0].errors.at("recovery"), 1);
  EXPECT_EQ(links[1].condition, model::LinkCondition::Down);
}

TEST(NvmlAnswers, WhatDidNotComeIsAbsentWithItsReason) {
  const model::Observations out = parsed(kAnswers);
  const model::GpuReport& gpu = out.gpus[1];
  ASSERT_FALSE(gpu.temperature.known());
  EXPECT_EQ(gpu.temperature.reason(), model::AbsentReason::TimedOut);
  ASSERT_EQ(gpu.unreadable.size(), 1u);
  EXPECT_EQ(gpu.unreadable[0].field, "temperature.gpu");
  EXPECT_FALSE(gpu.power_draw.known());
}

TEST(NvmlAnswers, ALostGpuSaysSoThroughItsHandle) {
  const model::Observations out = parsed(
      "gpuwright: NVML answers, version 1\nGPU 3\nhandle: [GPU is lost]  [nvmlDeviceGetHandleByIndex_v2 "
      "returned 15, 9 us]\n");
  ASSERT_EQ(out.gpus.size(), 1u);
  EXPECT_EQ(out.gpus[0].index.value(), 3);
  ASSERT_EQ(out.gpus[0].unreadable.size(), 1u);
  EXPECT_EQ(out.gpus[0].unreadable[0].text, "[GPU is lost]");
}

}  // namespace
}  // namespace gpuwright::parse
