// Checks of the RDMA stack beside the GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// NICs can reach GPU memory directly. Source: NVIDIA GPUDirect RDMA documentation.
model::Verdict check_gpudirect(Look look, const Situation& situation);
/// The loaded RDMA modules are those of the installed stack. Source: NVIDIA DOCA-Host installation guide.
model::Verdict check_rdma_modules(Look look, const Situation& situation);

}  // namespace gpuwright::rules
