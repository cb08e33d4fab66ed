// Checks of what fits what: driver, GPU, module flavour, CUDA, cuDNN, frameworks, distribution. The questions
// and their sources stand in compatibility.h; here they are asked of a machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// The driver branch is still maintained today.
model::Verdict check_branch_life(Look look, const Situation& situation);

/// The driver runs every GPU on the bus.
model::Verdict check_driver_runs_gpus(Look look, const Situation& situation);

/// GPUs that work with proprietary modules and could have the open ones, which alone have a future. What does
/// not work at all is told by driver.flavour-fits-gpus.
model::Verdict check_open_modules(Look look, const Situation& situation);

/// The driver runs the CUDA toolkits found, and the default one makes code for the GPUs.
model::Verdict check_cuda_toolkits(Look look, const Situation& situation);

/// The cuDNN found was made for the toolkit's CUDA and for the GPUs.
model::Verdict check_cudnn(Look look, const Situation& situation);

/// Driver and GPUs run the frameworks found.
model::Verdict check_frameworks(Look look, const Situation& situation);

/// NVIDIA's driver guide names the distribution, and its vendor still maintains it.
model::Verdict check_distribution(Look look, const Situation& situation);

}  // namespace gpuwright::rules
