// Driver against program, GPU generation against build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

#include <vector>

namespace gpuwright::rules {

/// cuda.driver_below_build with `supported` ("11.4") where a too-old error and the driver's CUDA version are
/// both known; cuda.arch_missing with `sm` and `archs` where a GPU's generation is not among those of the
/// build.
std::vector<model::Event> judge_cuda(const model::Observations& observations,
                                     const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
