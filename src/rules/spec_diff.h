// What two specs say differently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/spec.h"

#include <string>
#include <vector>

namespace gpuwright::rules {

/// The path of each entry, items by name where they have one: "network.ports[eth0].mtu".
std::vector<std::string> named_paths(const model::Spec& spec, const catalog::Catalog& catalog);

/// Differences in the order of the table. Items of a list are matched by their name where they have one
/// ("network.ports[eth0].mtu"), else by their place; values by what they mean: 0.5 kW is 500 W.
std::vector<model::SpecDifference> compare_specs(const model::Spec& left, const model::Spec& right,
                                                 const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
