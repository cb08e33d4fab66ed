// A scenario: plain lines that say which GPUs a machine has and what happens to them. fakegpu/README.md is
// the language's description.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "fakegpu/world.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::fakegpu {

/// Changes the world at a time.
using Effect = std::function<void(World& world, double now)>;

struct Action {
  double at = 0;  ///< seconds since the start
  Effect effect;
};

struct Scenario {
  World world;                  ///< as it is before the first action
  std::vector<Action> actions;  ///< by time; of one time in the order of the lines
};

/// Reads a scenario. `boards` must outlive it. Malformed with name:line, what is wrong and what to write.
base::Result<Scenario> read_scenario(std::string_view text, const std::string& name,
                                     const std::vector<Board>& boards);

/// Reads one line that acts at once: of the control file, or of a scenario behind `at TIME`. Malformed
/// without a place.
base::Result<Effect> read_line(std::string_view line, const World& world);

}  // namespace gpuwright::fakegpu
