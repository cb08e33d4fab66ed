// Each fault that a scenario can tell, and faults that come on command while a program runs.
// SPDX-License-Identifier: Apache-2.0
#include "support/fakegpu.h"
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <functional>
#include <thread>

namespace gpuwright::tests {
namespace {

using nvml::Return;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Ecc {
  std::uint64_t volatile_dram = 99, aggregate_sram = 99;
};

Ecc ecc_of(const FakeGpu& fake, std::uint32_t index) {
  Ecc ecc;
  const auto counter =
      fake.find<decltype(nvml::nvmlDeviceGetMemoryErrorCounter)>("nvmlDeviceGetMemoryErrorCounter");
  counter(fake.gpu(index), nvml::kUncorrected, nvml::kVolatile, nvml::kLocationDram, &ecc.volatile_dram);
  counter(fake.gpu(index), nvml::kCorrected, nvml::kAggregate, nvml::kLocationSram, &ecc.aggregate_sram);
  return ecc;
}

TEST(FakeGpuFaults, AFixedValueStays) {
  const FakeGpu fake("boards 4 h100-sxm\ngpu 3 temperature 91\ngpu 1 power 512.5\n");
  EXPECT_EQ(fake.celsius(3), 91);
  EXPECT_EQ(fake.celsius(2), 41);
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 1), 512500);
  EXPECT_NE(fake.number("nvmlDeviceGetCurrentClocksEventReasons", 3) & nvml::kReasonHardwareThermal, 0);
  fake.control("gpu 3 temperature model");
  EXPECT_EQ(fake.celsius(3), 41);
}

TEST(FakeGpuFaults, LoadMovesPowerClocksAndTheEnergyCount) {
  const FakeGpu fake("boards 1 h100-sxm\nload 100\n");
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), 700000);
  std::uint32_t clock = 0;
  fake.find<decltype(nvml::nvmlDeviceGetClockInfo)>("nvmlDeviceGetClockInfo")(fake.gpu(0), nvml::kClockSm,
                                                                              &clock);
  EXPECT_EQ(clock, 1980U);
  const auto before = fake.number("nvmlDeviceGetTotalEnergyConsumption", 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto used = fake.number("nvmlDeviceGetTotalEnergyConsumption", 0) - before;
  EXPECT_GE(used, 700 * 50);
  EXPECT_LT(used, 700 * 5000);
  fake.control("gpu 0 power-limit 350");
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), 350000);
  EXPECT_EQ(fake.number("nvmlDeviceGetCurrentClocksEventReasons", 0), nvml::kReasonSoftwarePowerCap);
}

TEST(FakeGpuFaults, TemperatureClimbsWithOneTimeConstant) {
  // Twenty seconds ago the load came: 63 of 100 of the way from 41 to 66.
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  ::setenv("GPUWRIGHT_FAKEGPU_START", std::to_string(now - 20).c_str(), 1);
  {
    const FakeGpu fake("boards 1 h100-sxm\nload 100\n");
    EXPECT_NEAR(static_cast<double>(fake.celsius(0)), 41 + 25 * 0.632, 1);
  }
  ::unsetenv("GPUWRIGHT_FAKEGPU_START");
}

TEST(FakeGpuFaults, ALostGpuIsLostForEveryCallAndTheKernelSaysSo) {
  const FakeGpu fake("boards 8 h100-sxm\nat 0s gpu 2 lost\n");
  nvml::Device device = nullptr;
  EXPECT_EQ(
      fake.find<decltype(nvml::nvmlDeviceGetHandleByIndex_v2)>("nvmlDeviceGetHandleByIndex_v2")(2, &device),
      Return::GpuIsLost);
  EXPECT_EQ(fake.celsius(3), 41);
  const auto log = fake.kernel_log();
  EXPECT_NE(
      log.find("] NVRM: Xid (PCI:0000:52:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
               "bus.\n"),
      std::string::npos)
      << log;
  EXPECT_NE(log.find("] NVRM: GPU 0000:52:00.0: GPU has fallen off the bus.\n"), std::string::npos) << log;
}

TEST(FakeGpuFaults, AHandleFromBeforeTheLossSaysLost) {
  const FakeGpu fake("boards 2 h100-sxm\n");
  const auto device = fake.gpu(1);
  std::uint32_t value = 0;
  const auto power = fake.find<decltype(nvml::nvmlDeviceGetPowerUsage)>("nvmlDeviceGetPowerUsage");
  EXPECT_EQ(power(device, &value), Return::Success);
  fake.control("gpu 1 lost");
  EXPECT_EQ(power(device, &value), Return::GpuIsLost);
  fake.control("gpu 1 reset");
  EXPECT_EQ(power(device, &value), Return::Success);
}

TEST(FakeGpuFaults, TimesCountFromTheStart) {
  const FakeGpu fake("boards 1 h100-sxm\nat 150ms gpu 0 temperature 77\n");
  EXPECT_EQ(fake.celsius(0), 41);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(fake.celsius(0), 77);
}

TEST(FakeGpuFaults, OneCallHangsAndTheOthersAnswer) {
  const FakeGpu fake("boards 2 h100-sxm\ngpu 1 hang nvmlDeviceGetTemperature 300ms\n");
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 1), 70000); }), 0.25);
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(fake.celsius(0), 41); }), 0.25);
  EXPECT_GT(seconds_of([&] { EXPECT_EQ(fake.celsius(1), 41); }), 0.1);
}

TEST(FakeGpuFaults, ALockedDriverHoldsEveryCallOfEveryGpu) {
  const FakeGpu fake("boards 2 h100-sxm\n");
  fake.control("driver-lock 300ms");
  EXPECT_GT(seconds_of([&] { EXPECT_EQ(fake.celsius(0), 41); }), 0.2);
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(fake.celsius(1), 41); }), 0.2);
}

TEST(FakeGpuFaults, ALockedDriverHoldsWhoOpensIt) {
  EXPECT_GT(seconds_of([] { const FakeGpu locked("boards 1 t4\ndriver-lock 300ms\n"); }), 0.2);
}

TEST(FakeGpuFaults, AnInjectedErrorComesBackAndGoes) {
  const FakeGpu fake("boards 1 h100-sxm\nat 0s gpu 0 error nvmlDeviceGetPowerUsage 999\n");
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), -999);
  fake.control("gpu 0 error nvmlDeviceGetPowerUsage 0");
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), 70000);
}

TEST(FakeGpuFaults, AMissingSymbolAnswersFunctionNotFound) {
  const FakeGpu fake("boards 1 h100-sxm\nmissing nvmlDeviceGetPowerUsage\n");
  EXPECT_EQ(fake.number("nvmlDeviceGetPowerUsage", 0), -13);
}

TEST(FakeGpuFaults, MemoryErrorsAndTheirRepairAreCounted) {
  const FakeGpu fake(
      "boards 1 h100-sxm\nboards 1 t4\ngpu 0 ecc uncorrected dram 1\ngpu 0 ecc corrected sram 5\n"
      "gpu 0 remap pending\ngpu 0 remap failure\ngpu 1 retire double-bit 3\ngpu 1 retire pending\n");
  ASSERT_EQ(fake.opened(), Return::Success);
  EXPECT_EQ(ecc_of(fake, 0).volatile_dram, 1U);
  EXPECT_EQ(ecc_of(fake, 0).aggregate_sram, 5U);
  std::uint32_t corrected = 9, uncorrected = 9, pending = 9, failed = 9;
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetRemappedRows)>("nvmlDeviceGetRemappedRows")(
                fake.gpu(0), &corrected, &uncorrected, &pending, &failed),
            Return::Success);
  EXPECT_EQ(corrected, 0U);
  EXPECT_EQ(uncorrected, 1U);
  EXPECT_EQ(pending, 1U);
  EXPECT_EQ(failed, 1U);
  std::uint32_t pages = 0;
  const auto retired = fake.find<decltype(nvml::nvmlDeviceGetRetiredPages)>("nvmlDeviceGetRetiredPages");
  EXPECT_EQ(retired(fake.gpu(1), nvml::kDoubleBit, &pages, nullptr), Return::InsufficientSize);
  EXPECT_EQ(pages, 3U);
  EXPECT_EQ(fake.number("nvmlDeviceGetRetiredPagesPendingStatus", 1), 1);
}

TEST(FakeGpuFaults, ThrottleReasonsAreTold) {
  const FakeGpu fake("boards 1 h100-sxm\nload 50\n");
  const struct {
    const char* word;
    std::int64_t bit;
  } reasons[] = {{"power-brake", nvml::kReasonPowerBrake | nvml::kReasonHardwareSlowdown},
                 {"hw-thermal", nvml::kReasonHardwareThermal | nvml::kReasonHardwareSlowdown},
                 {"sw-thermal", nvml::kReasonSoftwareThermal},
                 {"power-cap", nvml::kReasonSoftwarePowerCap}};
  for (const auto& reason : reasons) {
    fake.control(std::string("gpu 0 throttle ") + reason.word);
    EXPECT_EQ(fake.number("nvmlDeviceGetCurrentClocksEventReasons", 0), reason.bit) << reason.word;
    EXPECT_EQ(fake.number("nvmlDeviceGetCurrentClocksThrottleReasons", 0), reason.bit) << reason.word;
    fake.control("gpu 0 throttle none");
    EXPECT_EQ(fake.number("nvmlDeviceGetCurrentClocksEventReasons", 0), 0) << reason.word;
  }
}

TEST(FakeGpuFaults, LinksFallAndNarrow) {
  const FakeGpu fake(
      "boards 1 h100-sxm\ngpu 0 nvlink 3 down\ngpu 0 nvlink 4 crc-flit 12\ngpu 0 pcie 4 x8\n"
      "gpu 0 pcie replays 7\ngpu 0 fabric in-progress\n");
  ASSERT_EQ(fake.opened(), Return::Success);
  std::uint32_t active = 9;
  fake.find<decltype(nvml::nvmlDeviceGetNvLinkState)>("nvmlDeviceGetNvLinkState")(fake.gpu(0), 3, &active);
  EXPECT_EQ(active, 0U);
  std::uint64_t errors = 0;
  fake.find<decltype(nvml::nvmlDeviceGetNvLinkErrorCounter)>("nvmlDeviceGetNvLinkErrorCounter")(
      fake.gpu(0), 4, nvml::kLinkCrcFlit, &errors);
  EXPECT_EQ(errors, 12U);
  EXPECT_EQ(fake.number("nvmlDeviceGetCurrPcieLinkGeneration", 0), 4);
  EXPECT_EQ(fake.number("nvmlDeviceGetCurrPcieLinkWidth", 0), 8);
  EXPECT_EQ(fake.number("nvmlDeviceGetMaxPcieLinkGeneration", 0), 5);
  EXPECT_EQ(fake.number("nvmlDeviceGetPcieReplayCounter", 0), 7);
  nvml::FabricInfo fabric{};
  fake.find<decltype(nvml::nvmlDeviceGetGpuFabricInfo)>("nvmlDeviceGetGpuFabricInfo")(fake.gpu(0), &fabric);
  EXPECT_EQ(fabric.state, nvml::kFabricInProgress);
}

TEST(FakeGpuFaults, AnXidReachesTheEventSetOnceAndTheKernelLogOnce) {
  const FakeGpu fake("boards 2 h100-sxm\nprocess 1 4711 python3 40GiB\n");
  nvml::EventSet set = nullptr;
  ASSERT_EQ(fake.find<decltype(nvml::nvmlEventSetCreate)>("nvmlEventSetCreate")(&set), Return::Success);
  ASSERT_EQ(fake.find<decltype(nvml::nvmlDeviceRegisterEvents)>("nvmlDeviceRegisterEvents")(
                fake.gpu(1), nvml::kEventXid, set),
            Return::Success);
  const auto wait = fake.find<decltype(nvml::nvmlEventSetWait_v2)>("nvmlEventSetWait_v2");
  nvml::EventData data{};
  EXPECT_EQ(wait(set, &data, 0), Return::Timeout);
  fake.control("gpu 0 xid 13");  // of a GPU that nobody registered
  fake.control("gpu 1 xid 94");
  EXPECT_EQ(wait(set, &data, 2000), Return::Success);
  EXPECT_EQ(data.data, 94U);
  EXPECT_EQ(data.device, fake.gpu(1));
  EXPECT_EQ(wait(set, &data, 0), Return::Timeout);
  EXPECT_NE(fake.kernel_log().find("NVRM: Xid (PCI:0000:43:00): 94, pid=4711, name=python3, Contained"),
            std::string::npos)
      << fake.kernel_log();
  fake.control("gpu 1 lost");
  EXPECT_EQ(wait(set, &data, 2000), Return::Success);
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(wait(set, &data, 10), Return::GpuIsLost);
  EXPECT_EQ(fake.find<decltype(nvml::nvmlEventSetFree)>("nvmlEventSetFree")(set), Return::Success);
  EXPECT_EQ(wait(set, &data, 10), Return::InvalidArgument);
}

TEST(FakeGpuFaults, AWrongControlLineIsNamedAndPassedOver) {
  const FakeGpu fake("boards 1 h100-sxm\n");
  ::testing::internal::CaptureStderr();
  fake.control("gpu 0 explode");
  fake.control("gpu 0 temperature 55");
  EXPECT_EQ(fake.celsius(0), 55);
  const auto said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("control:1: 'explode' is neither a quantity nor a fault"), std::string::npos) << said;
}

TEST(FakeGpuFaults, PerformanceMetricsComeFromTwoSamples) {
  const FakeGpu fake("boards 1 h100-sxm\nload 80\n");
  nvml::GpmMetrics metrics{};
  metrics.version = 1;
  metrics.count = 2;
  metrics.metrics[0].id = 2;
  metrics.metrics[1].id = 999;
  const auto alloc = fake.find<decltype(nvml::nvmlGpmSampleAlloc)>("nvmlGpmSampleAlloc");
  const auto get = fake.find<decltype(nvml::nvmlGpmSampleGet)>("nvmlGpmSampleGet");
  for (auto* sample : {&metrics.first, &metrics.second}) {
    ASSERT_EQ(alloc(sample), Return::Success);
    ASSERT_EQ(get(fake.gpu(0), *sample), Return::Success);
  }
  EXPECT_EQ(fake.find<decltype(nvml::nvmlGpmMetricsGet)>("nvmlGpmMetricsGet")(&metrics), Return::Success);
  EXPECT_DOUBLE_EQ(metrics.metrics[0].value, 80);
  EXPECT_EQ(metrics.metrics[1].result, Return::NotSupported);
  const auto release = fake.find<decltype(nvml::nvmlGpmSampleFree)>("nvmlGpmSampleFree");
  EXPECT_EQ(release(metrics.first), Return::Success);
  EXPECT_EQ(release(metrics.first), Return::InvalidArgument);
  EXPECT_EQ(release(metrics.second), Return::Success);
}

TEST(FakeGpuFaults, ClosedMeansUninitialized) {
  const FakeGpu fake("boards 1 h100-sxm\n");
  const auto device = fake.gpu(0);
  EXPECT_EQ(fake.find<decltype(nvml::nvmlShutdown)>("nvmlShutdown")(), Return::Success);
  std::uint32_t value = 0;
  EXPECT_EQ(fake.find<decltype(nvml::nvmlDeviceGetPowerUsage)>("nvmlDeviceGetPowerUsage")(device, &value),
            Return::Uninitialized);
  EXPECT_EQ(fake.find<decltype(nvml::nvmlInit_v2)>("nvmlInit_v2")(), Return::Success);
}

}  // namespace
}  // namespace gpuwright::tests
