// What watching costs: processor time and memory of this process and its children, as the kernel counts them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_state.h"

#include <sys/types.h>

#include <vector>

namespace gpuwright::watch {

/// Fills in processor time (of children that have ended, too) and memory. The proportional memory is looked
/// at seldom: it costs the kernel a walk through all pages.
void add_own_cost(const std::vector<pid_t>& children, model::SelfState& self);

}  // namespace gpuwright::watch
