// Checks of the services that GPUs need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// Fabric Manager is not in systemd's state "failed": without it GPUs behind NVSwitches refuse CUDA. Source:
/// Fabric Manager user guide; systemd, org.freedesktop.systemd1(5), ActiveState.
model::Verdict check_fabric_manager_failed(Look look, const Situation& situation);

}  // namespace gpuwright::rules
