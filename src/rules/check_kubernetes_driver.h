// Checks of the GPU operator's driver on this node: its upgrade, its image, and pods that stand in its way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// A pod of the operator that brings the driver.
bool is_driver_pod(const model::PodFacts& pod);

/// Pods that hold a GPU were given it by kubelet. Source: Kubernetes documentation (device plugins), GPU
/// operator documentation (driver upgrades).
model::Verdict check_gpu_pods_requested(Look look, const Situation& situation);
/// A driver upgrade of this node comes to its end. Source: GPU operator documentation (driver upgrades).
model::Verdict check_driver_upgrade_ends(Look look, const Situation& situation);
/// There is a driver image for this kernel. Source: GPU operator documentation (precompiled drivers).
model::Verdict check_driver_image_exists(Look look, const Situation& situation);

}  // namespace gpuwright::rules
