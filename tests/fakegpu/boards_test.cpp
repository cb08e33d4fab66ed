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
