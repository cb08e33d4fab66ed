// A finding as the reason of a drain in Slurm: short, ASCII, without quotes or other characters that scontrol
// or a site's scripts could take for more than text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// "gpuwright: gpu-lost-from-bus GPU 0000:3b:00 +1 more"; at most 100 characters. Empty where there is no
/// finding.
std::string slurm_reason(const std::vector<model::Finding>& findings);

}  // namespace gpuwright::report
