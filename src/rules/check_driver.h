// Checks of the driver stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// User libraries and the loaded module are of one version. Source: NVIDIA driver installation guide.
model::Verdict check_library_matches_module(Look look, const Situation& situation);

}  // namespace gpuwright::rules
