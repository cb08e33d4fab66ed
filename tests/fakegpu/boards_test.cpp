// What each board answers, and what it does not have.
// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include "support/fakegpu.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <vector>

namespace gpuwright::tests {
namespace {

using nvml::Return;

constexpr std::int64_t kNotSupported = -static_cast<std::int64_t>(Return::NotSupported);

TEST(FakeGpuBoards, TheDefaultIsEightHealthyH100) {
  const FakeGpu fake("");
  ASSERT_EQ(fake.opened(), Return::Success);
  std::uint32_t count = 0;
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetCount_v2)>("nvmlDeviceGetCount_v2")(&count),
            Return::Success);
  EXPECT_EQ(count, 8U);
  EXPECT_EQ(fake.text("nvmlDeviceGetName", 7), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(fake.celsius(0), 41);
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), 70000);
  EXPECT_EQ(fake.number("nvmlDeviceGetEnforcedPowerLimit", 0), 700000);
  EXPECT_EQ(fake.number("nvmlDeviceGetCurrentClocksEventReasons", 0), nvml::kReasonIdle);
  EXPECT_EQ(fake.kernel_log(), "");
  EXPECT_STREQ(fake.find<const char*()>("gpuwright_fakegpu_scenario")(), "default");
}

TEST(FakeGpuBoards, EveryRowOfTheTableComesUpWithItsNameAndMemory) {
  const auto table = base::parse_csv(read_file(source_dir() + "/fakegpu/boards.csv"), "boards.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows.size(), 8U);
  for (const auto& row : table->rows) {
    const FakeGpu fake("boards 1 " + table->cell(row, "id") + "\n");
    ASSERT_EQ(fake.opened(), Return::Success) << table->cell(row, "id");
    EXPECT_EQ(fake.text("nvmlDeviceGetName", 0), table->cell(row, "name"));
    nvml::Memory memory{};
    EXPECT_EQ(
        fake.find<decltype(nvml::nvmlDeviceGetMemoryInfo)>("nvmlDeviceGetMemoryInfo")(fake.gpu(0), &memory),
        Return::Success);
    EXPECT_EQ(std::to_string(memory.total >> 20), table->cell(row, "memory_mib"));
    EXPECT_EQ(memory.used + memory.free, memory.total);
    EXPECT_FALSE(table->cell(row, "source").empty());
  }
}

TEST(FakeGpuBoards, WhatABoardHasNotIsNotSupported) {
  const FakeGpu fake("boards 1 t4\nboards 1 rtx-4090\nboards 1 h100-sxm\n");
  ASSERT_EQ(fake.opened(), Return::Success);
  const std::uint32_t t4 = 0, geforce = 1, h100 = 2;
  EXPECT_EQ(fake.number("nvmlDeviceGetFanSpeed", h100), kNotSupported);
  EXPECT_EQ(fake.number("nvmlDeviceGetFanSpeed", t4), kNotSupported);
  EXPECT_EQ(fake.number("nvmlDeviceGetNumFans", geforce), 2);
  EXPECT_EQ(fake.number("nvmlDeviceGetRetiredPagesPendingStatus", t4), 0);
  EXPECT_EQ(fake.number("nvmlDeviceGetRetiredPagesPendingStatus", h100), kNotSupported);
  nvml::RemapperHistogram banks{};
  const auto histogram =
      fake.find<decltype(nvml::nvmlDeviceGetRowRemapperHistogram)>("nvmlDeviceGetRowRemapperHistogram");
  EXPECT_EQ(histogram(fake.gpu(t4), &banks), Return::NotSupported);
  EXPECT_EQ(histogram(fake.gpu(h100), &banks), Return::Success);
  EXPECT_EQ(banks.max, 2560U);
  std::uint32_t active = 0;
  const auto link = fake.find<decltype(nvml::nvmlDeviceGetNvLinkState)>("nvmlDeviceGetNvLinkState");
  EXPECT_EQ(link(fake.gpu(t4), 0, &active), Return::NotSupported);
  EXPECT_EQ(link(fake.gpu(h100), 17, &active), Return::Success);
  EXPECT_EQ(active, 1U);
  EXPECT_EQ(link(fake.gpu(h100), 18, &active), Return::InvalidArgument);
  std::uint64_t errors = 0;
  const auto ecc = fake.find<decltype(nvml::nvmlDeviceGetTotalEccErrors)>("nvmlDeviceGetTotalEccErrors");
  EXPECT_EQ(ecc(fake.gpu(geforce), 0, 0, &errors), Return::NotSupported);
  std::uint32_t current = 9, pending = 9;
  const auto mig = fake.find<decltype(nvml::nvmlDeviceGetMigMode)>("nvmlDeviceGetMigMode");
  EXPECT_EQ(mig(fake.gpu(t4), &current, &pending), Return::NotSupported);
  EXPECT_EQ(mig(fake.gpu(h100), &current, &pending), Return::Success);
  EXPECT_EQ(current, 0U);
}

TEST(FakeGpuBoards, ShortBuffersAndNullsAreRefused) {
  const FakeGpu fake("");
  char small[4] = "";
  const auto name = fake.find<decltype(nvml::nvmlDeviceGetName)>("nvmlDeviceGetName");
  EXPECT_EQ(name(fake.gpu(0), small, sizeof small), Return::InsufficientSize);
  EXPECT_EQ(name(fake.gpu(0), nullptr, 96), Return::InvalidArgument);
  EXPECT_EQ(name(nullptr, small, sizeof small), Return::InvalidArgument);
  EXPECT_EQ(name(reinterpret_cast<nvml::Device>(small), small, sizeof small), Return::InvalidArgument);
  nvml::MemoryV2 memory{};
  memory.version = 2;  // without the size: what the real library refuses, too
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetMemoryInfo_v2)>("nvmlDeviceGetMemoryInfo_v2")(fake.gpu(0),
                                                                                                &memory),
            Return::ArgumentVersionMismatch);
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetFieldValues)>("nvmlDeviceGetFieldValues")(fake.gpu(0), 3,
                                                                                            nullptr),
            Return::InvalidArgument);
}

/// A call that fills numbers behind further arguments: with the argument between the GPU and the number.
std::int64_t numbered(const FakeGpu& fake, const char* call, std::uint32_t argument) {
  std::uint32_t value = 0;
  const auto result = fake.find<decltype(nvml::nvmlDeviceGetClockInfo)>(call)(fake.gpu(0), argument, &value);
  return result == Return::Success ? value : -static_cast<std::int64_t>(result);
}

TEST(FakeGpuBoards, EveryQuantityThatALineFixesIsRead) {
  const FakeGpu fake(
      "boards 1 rtx-4090\ngpu 0 temperature 61\ngpu 0 power 300.5\ngpu 0 utilization 77\ngpu 0 "
      "memory-utilization 44\n"
      "gpu 0 graphics-clock 1234\ngpu 0 memory-clock 5001\ngpu 0 video-clock 999\ngpu 0 fan 55\n"
      "gpu 0 pcie-sent 1000\ngpu 0 pcie-received 2000\ngpu 0 pstate 8\ngpu 0 persistence 0\ngpu 0 "
      "compute-mode 3\n"
      "gpu 0 energy 12.5\ngpu 0 memory-used 4GiB\ngpu 0 vbios 95.02.3C.00.99\ngpu 0 uuid GPU-1\ngpu 0 "
      "encoder 12\n");
  ASSERT_EQ(fake.opened(), Return::Success);
  EXPECT_EQ(fake.celsius(0), 61);
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), 300500);
  nvml::Utilization busy{};
  fake.find<decltype(nvml::nvmlDeviceGetUtilizationRates)>("nvmlDeviceGetUtilizationRates")(fake.gpu(0),
                                                                                            &busy);
  EXPECT_EQ(busy.gpu, 77U);
  EXPECT_EQ(busy.memory, 44U);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetClockInfo", nvml::kClockSm), 1234);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetClockInfo", nvml::kClockMemory), 5001);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetClockInfo", nvml::kClockVideo), 999);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetPcieThroughput", nvml::kPcieSent), 1000);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetPcieThroughput", nvml::kPcieReceived), 2000);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetFanSpeed_v2", 1), 55);
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetFanSpeed_v2", 2),
            -static_cast<std::int64_t>(Return::InvalidArgument));
  EXPECT_EQ(numbered(fake, "nvmlDeviceGetTemperatureThreshold", nvml::kThresholdSlowdown), 92);
  EXPECT_EQ(fake.number("nvmlDeviceGetPerformanceState", 0), 8);
  EXPECT_EQ(fake.number("nvmlDeviceGetPersistenceMode", 0), 0);
  EXPECT_EQ(fake.number("nvmlDeviceGetComputeMode", 0), 3);
  EXPECT_EQ(fake.number("nvmlDeviceGetTotalEnergyConsumption", 0), 12500);
  nvml::MemoryV2 memory{};
  memory.version = nvml::version_of<nvml::MemoryV2>(2);
  fake.find<decltype(nvml::nvmlDeviceGetMemoryInfo_v2)>("nvmlDeviceGetMemoryInfo_v2")(fake.gpu(0), &memory);
  EXPECT_EQ(memory.used, 4ULL << 30);
  EXPECT_EQ(fake.text("nvmlDeviceGetVbiosVersion", 0), "95.02.3C.00.99");
  EXPECT_EQ(fake.text("nvmlDeviceGetUUID", 0), "GPU-1");
  std::uint32_t encoder = 0, period = 0;
  fake.find<decltype(nvml::nvmlDeviceGetEncoderUtilization)>("nvmlDeviceGetEncoderUtilization")(
      fake.gpu(0), &encoder, &period);
  EXPECT_EQ(encoder, 12U);
}

TEST(FakeGpuBoards, FieldsAnswerEachForItself) {
  const FakeGpu fake("boards 1 h100-sxm\ngpu 0 memory-temperature 88\ngpu 0 pcie replays 3\n");
  nvml::FieldValue values[3] = {};
  values[0].field = nvml::kFieldMemoryTemperature;
  values[1].field = 5000;
  values[2].field = nvml::kFieldLinkSpeed;
  values[2].scope = 4;
  EXPECT_EQ(
      fake.find<decltype(nvml::nvmlDeviceGetFieldValues)>("nvmlDeviceGetFieldValues")(fake.gpu(0), 3, values),
      Return::Success);
  EXPECT_EQ(values[0].result, Return::Success);
  EXPECT_EQ(values[0].value.u32, 88U);
  EXPECT_EQ(values[1].result, Return::NotSupported);
  EXPECT_EQ(values[2].value.u32, 26562U);
}

TEST(FakeGpuBoards, OlderNamesWriteNoMoreThanTheirStructuresHold) {
  const FakeGpu fake("boards 1 h100-sxm\nprocess 0 4711 python3 40GiB\nprocess 0 4712 Xorg 22MiB graphics\n");
  nvml::PciInfoV2 old{};
  old.subsystem_id = 77;
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetPciInfo)>("nvmlDeviceGetPciInfo")(fake.gpu(0), &old),
            Return::Success);
  EXPECT_STREQ(old.bus_id, "0000:1B:00.0");
  EXPECT_EQ(old.subsystem_id, 77U);
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetPciInfo_v2)>("nvmlDeviceGetPciInfo_v2")(fake.gpu(0), &old),
            Return::Success);
  EXPECT_EQ(old.subsystem_id, 0x16C110DEU);
  std::uint32_t count = 0;
  const auto list =
      fake.find<decltype(nvml::nvmlDeviceGetComputeRunningProcesses)>("nvmlDeviceGetComputeRunningProcesses");
  EXPECT_EQ(list(fake.gpu(0), &count, nullptr), Return::InsufficientSize);
  EXPECT_EQ(count, 1U);
  nvml::ProcessInfoV1 process{};
  EXPECT_EQ(list(fake.gpu(0), &count, &process), Return::Success);
  EXPECT_EQ(process.used_memory, 40ULL << 30);
}

TEST(FakeGpuBoards, MigInstancesHaveHandlesOfTheirOwn) {
  const FakeGpu fake("boards 1 h100-sxm\nmig 0 1g.10gb 3g.40gb\nprocess 0 4711 python3 2GiB instance 2\n");
  ASSERT_EQ(fake.opened(), Return::Success);
  nvml::Device instance = nullptr;
  const auto by_index =
      fake.find<decltype(nvml::nvmlDeviceGetMigDeviceHandleByIndex)>("nvmlDeviceGetMigDeviceHandleByIndex");
  ASSERT_EQ(by_index(fake.gpu(0), 1, &instance), Return::Success);
  EXPECT_EQ(by_index(fake.gpu(0), 2, &instance), Return::NotFound);
  char name[96] = "";
  fake.find<decltype(nvml::nvmlDeviceGetName)>("nvmlDeviceGetName")(instance, name, sizeof name);
  EXPECT_STREQ(name, "NVIDIA H100 80GB HBM3 MIG 3g.40gb");
  nvml::DeviceAttributes attributes{};
  fake.find<decltype(nvml::nvmlDeviceGetAttributes_v2)>("nvmlDeviceGetAttributes_v2")(instance, &attributes);
  EXPECT_EQ(attributes.gpu_instance_slices, 3U);
  std::uint32_t count = 1;
  nvml::ProcessInfo process{};
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetComputeRunningProcesses_v3)>(
                "nvmlDeviceGetComputeRunningProcesses_v3")(instance, &count, &process),
            Return::Success);
  EXPECT_EQ(process.pid, 4711U);
  EXPECT_EQ(process.gpu_instance, 2U);
  std::uint32_t celsius = 0;
  EXPECT_EQ(
      fake.find<decltype(nvml::nvmlDeviceGetTemperature)>("nvmlDeviceGetTemperature")(instance, 0, &celsius),
      Return::NotSupported);
}

TEST(FakeGpuBoards, ALineThatMeansNothingIsNamedAndTheLibraryDoesNotOpen) {
  const struct {
    const char* scenario;
    const char* says;
  } wrong[] = {
      {"boards 2 h100-sxm\n\ngpu 5 lost\n", "scenario:3: '5' is no GPU"},
      {"boards 2 h100\n", "scenario:1: no board is called 'h100'; there are a100-sxm4-80gb"},
      {"boards 17 t4\n", "scenario:1: '17' is not a whole number from 0 to 16"},
      {"boards 1 t4\ngpu 0 temprature 91\n", "scenario:2: 'temprature' is neither a quantity nor a fault"},
      {"boards 1 t4\nat soon gpu 0 lost\n", "scenario:2: time 'soon' is none; write it like 5s"},
      {"boards 1 t4\ngpu 0 remap pending\n", "scenario:2: t4 has no row remapping"},
      {"boards 1 t4\nmig 0 1g.10gb\n", "scenario:2: t4 has no profile 1g.10gb; this board has no MIG"},
  };
  for (const auto& one : wrong) {
    ::testing::internal::CaptureStderr();
    const FakeGpu fake(one.scenario);
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(fake.opened(), Return::Success) << one.scenario;
    EXPECT_NE(said.find(one.says), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace gpuwright::tests
