// Checks of modes that somebody set on the GPUs, and of who keeps the driver loaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// More than one process may use a GPU, unless a scheduler owns it. Source: NVML, nvmlComputeMode_t.
model::Verdict check_compute_mode(Look look, const Situation& situation);
/// A GPU in MIG mode has MIG devices. Source: NVIDIA MIG user guide.
model::Verdict check_mig_layout(Look look, const Situation& situation);
/// A changed MIG mode has taken effect. Source: NVIDIA MIG user guide.
model::Verdict check_mig_mode(Look look, const Situation& situation);
/// The persistence daemon, where it is installed, does its work. Source: NVIDIA driver persistence.
model::Verdict check_persistence(Look look, const Situation& situation);
/// What keeps the driver from being unloaded, where somebody tried. Source: NVIDIA persistence daemon.
model::Verdict check_unload_blocker(Look look, const Situation& situation);

}  // namespace gpuwright::rules
