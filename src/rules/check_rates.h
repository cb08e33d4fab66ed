// Checks of counters against the time in which they grew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// The PCIe links of the GPUs repeat no more packets than their speed and width allow, over the machine's
/// time since boot. Source: NVIDIA/DCGM (health of PCIe).
model::Verdict check_pcie_replay_rate(Look look, const Situation& situation);

}  // namespace gpuwright::rules
