// Arithmetic over out-of-memory reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

#include <vector>

namespace gpuwright::rules {

/// For each oom.torch report that tells the GPU's capacity: oom.can_never_fit, oom.spilled, oom.own_limit,
/// oom.fragmented, oom.other_processes, oom.outside_pytorch, or oom.truly_full when none of them holds.
/// Amounts in the params are printable ("20.9 GiB").
std::vector<model::Event> judge_memory(const model::Observations& observations,
                                       const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
