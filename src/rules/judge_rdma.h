// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "model/observations.h"

#include <vector>

namespace gpuwright::rules {

/// Judges RDMA ports; raises `ib.*`. Pure.
std::vector<model::Event> judge_rdma(const model::Observations& observations,
                                     const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
