// Two processes that play one scenario from one start see the same machine, and write its kernel log once;
// many threads may ask at a time.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "support/fakegpu.h"
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace gpuwright::tests {
namespace {

constexpr const char* kScenario =
    "boards 4 h100-sxm\nload 60\nat 5s gpu 2 lost\nat 6s gpu 1 xid 94\nat 7s gpu 3 ecc corrected sram 5\n"
    "at 8s gpu 0 load 100\nat 9s gpu 0 throttle power-brake\n";

/// All readings of all GPUs in one text. Temperatures in whole degrees: both read within one.
std::string walk(const FakeGpu& fake) {
  std::string all;
  for (std::uint32_t index = 0; index < 4; ++index) {
    for (const char* call : {"nvmlDeviceGetPowerUsage", "nvmlDeviceGetCurrentClocksEventReasons",
                             "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPcieReplayCounter"}) {
      all += std::to_string(fake.number(call, index)) + " ";
    }
    all += fake.text("nvmlDeviceGetUUID", index) + " " + std::to_string(fake.celsius(index) / 4) + "\n";
  }
  return all;
}

TEST(FakeGpuAgreement, TwoProcessesSeeTheSameMachine) {
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  ::setenv("GPUWRIGHT_FAKEGPU_START", std::to_string(now - 60).c_str(), 1);
  const FakeGpu fake(kScenario);
  const auto ours = walk(fake);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Closed and opened again the library reads everything anew, as another program would.
    fake.find<decltype(nvml::nvmlShutdown)>("nvmlShutdown")();
    fake.find<decltype(nvml::nvmlInit_v2)>("nvmlInit_v2")();
    const auto theirs = walk(fake);
    const auto wrote = ::write(ends[1], theirs.data(), theirs.size());
    ::_exit(wrote == static_cast<ssize_t>(theirs.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string theirs(8192, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0; size += static_cast<std::size_t>(got)) {
    got = ::read(ends[0], theirs.data() + size, theirs.size() - size);
    ASSERT_GE(got, 0);
  }
  theirs.resize(size);
  ::close(ends[0]);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ours, theirs);
  EXPECT_NE(ours.find("\n-2 -2 -2 -2 "), std::string::npos) << ours;  // the lost one gave no handle
  const std::string log = fake.kernel_log();
  EXPECT_EQ(base::lines(log).size(), 3U) << log;
  ::unsetenv("GPUWRIGHT_FAKEGPU_START");
}

TEST(FakeGpuAgreement, ManyThreadsMayAskAtATime) {
  const FakeGpu fake("boards 8 h100-sxm\nload 30\n");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      for (int round = 0; round < 50; ++round) {
        if (fake.number("nvmlDeviceGetPowerUsage", index) != 259000) ++wrong;
        if (fake.text("nvmlDeviceGetName", index) != "NVIDIA H100 80GB HBM3") ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace gpuwright::tests
