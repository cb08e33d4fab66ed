// The side of sampling that may hang: a forked child that opens the driver's library once, and asks each time
// it is told to. Before anything that may sleep in the kernel it writes what that is (SampleTag), so that its
// parent knows who is to blame when no answer comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/gpus_on_bus.h"
#include "host/nvml_samples.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::host::nvml {

struct SampleJob {
  SamplePlan plan;
  std::vector<std::uint32_t> only;  ///< these GPUs; empty: all
  std::vector<std::uint32_t> skip;  ///< but not these
  std::string bus = kPciDevices;    ///< where it is told which sleep
};

/// Obeys `fd` until it closes.
void run_sample_worker(int fd, const SampleJob& job);

}  // namespace gpuwright::host::nvml
