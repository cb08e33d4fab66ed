// What watching costs: processor time and memory of this process and its children, as the kernel counts them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_state.h"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::watch {

/// Fills in processor time (of children that have ended, too) and memory. The proportional memory is looked
/// at seldom: it costs the kernel a walk through all pages.
void add_own_cost(const std::vector<pid_t>& children, model::SelfState& self);

/// NVIDIA GPUs (display controllers) below a folder like /sys/bus/pci/devices; -1 where it cannot be read.
/// Only what the kernel keeps of each device is read, no device is asked.
std::int64_t gpus_on_bus(const std::string& folder);

}  // namespace gpuwright::watch
