// Random faults on a simulated node, one look at each: whatever happens, `gpuwright doctor` answers, does not
// crash, and does not call a broken machine healthy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::tests {

/// A machine with one to three faults, or none.
struct Broken {
  std::string scenario;
  bool healthy = false;  ///< nothing is wrong: nothing may be found
  bool alarms = false;   ///< something is wrong that NVML shows: a finding must say so
};

/// The same seed gives the same machine. `silent` is a file that never answers; empty where there is none.
Broken broken_machine(std::uint32_t seed, const std::string& silent);

/// Looks at the machines of these seeds and expects what must hold of each. Returns how long the longest look
/// took.
std::chrono::milliseconds look_at_machines(std::uint32_t first, std::uint32_t count);

}  // namespace gpuwright::tests
