// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "model/observations.h"

#include <vector>

namespace gpuwright::rules {

/// Compares the pieces of the driver stack (modules, libraries, Fabric Manager, DKMS) and reads what pods and
/// nodes ask for; raises `driver.*` and `k8s.*`. Pure.
std::vector<model::Event> judge_driver(const model::Observations& observations,
                                       const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
