// Many nodes in the order in which somebody should look at them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fleet.h"

#include <vector>

namespace gpuwright::rules {

/// Gives each node its verdict (the worst that it says of itself; unknown where it gave no whole answer) and
/// puts the worst first: by verdict (an unknown node stands behind those that surely fail, before those that
/// only warn), then the surer, then the one with more findings, then by name with the numbers in it counted.
/// The order given does not matter.
model::FleetReport judge_fleet(std::vector<model::NodeReport> nodes);

}  // namespace gpuwright::rules
