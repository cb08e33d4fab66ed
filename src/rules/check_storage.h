// Checks of disks, arrays and mounts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// Each array and mount that a file promises is there. Source: mdadm(8), fstab(5).
model::Verdict check_arrays_run(Look look, const Situation& situation);

}  // namespace gpuwright::rules
