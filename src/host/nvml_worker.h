// Asking NVML without being hung by it. A call of a sick driver may sleep in the kernel where not even
// SIGKILL ends it: so a forked worker asks, and we wait for each answer only so long. Who does not answer is
// left behind, and further workers, one for each GPU, ask the rest. All that was answered, and what was not,
// becomes one text, which is recorded, replayed and parsed as any other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpuwright::host {

struct NvmlDeadlines {
  std::chrono::milliseconds call{1000};  ///< for one answer
  std::chrono::milliseconds gpu{2000};   ///< for all answers of one GPU
};

/// The side that asks, in the forked child: nvml::run_probe, or what a test puts in its place.
using NvmlProbe = std::function<void(int fd, const std::vector<std::uint32_t>& gpus)>;

/// All answers as text:
///
///   gpuwright: NVML answers, version 1
///   driver_version: 570.133.20  [nvmlSystemGetDriverVersion, 12 us]
///   GPU 0
///   temperature.gpu: 34  [nvmlDeviceGetTemperature, 9 us]
///   power.draw: [GPU is lost]  [nvmlDeviceGetPowerUsage returned 15, 3 us]
///   pstate: [no answer after 1000 ms]  [nvmlDeviceGetPerformanceState]
///
/// Errors: NotFound (no NVML here), Malformed (a library that is none), Io. That a call hangs is an answer,
/// no error. Call it while the process has one thread only.
base::Result<std::string> ask_nvml(const NvmlDeadlines& deadlines = {});
base::Result<std::string> ask_nvml(const NvmlDeadlines& deadlines, const NvmlProbe& probe);

}  // namespace gpuwright::host
