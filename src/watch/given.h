// Joins what kubelet gave away with what runs on the GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_state.h"
#include "parse/pod_resources.h"

#include <vector>

namespace gpuwright::watch {

/// Sets `gpu.given`, and names the pod of a process on it where its groups alone did not: when it is a pod's
/// process and just one pod was given that GPU (or that part of it).
void join_given(const std::vector<parse::GivenContainer>& all, model::GpuState& gpu);

}  // namespace gpuwright::watch
