// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "model/observations.h"

#include <vector>

namespace gpuwright::rules {

/// Judges BMC logs and sensors; raises `bmc.*`. Pure.
std::vector<model::Event> judge_bmc(const model::Observations& observations, const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
