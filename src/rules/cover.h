// The smallest set of causes that explains all signals: a weighted set cover, solved exactly where it is
// small (it nearly always is) and greedily beyond. Deterministic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace gpuwright::rules {

/// One set: what it covers (sorted indexes) and what choosing it costs (above 0).
struct CoverSet {
  std::vector<std::size_t> covers;
  std::int64_t cost = 1;
};

/// Indexes of the chosen sets, sorted. Everything that any set covers is covered; the sum of costs is minimal
/// as long as a connected part of the problem takes less than a bounded number of steps (then the best found
/// so far stands). Among equal sums the one with smaller indexes wins.
std::vector<std::size_t> cheapest_cover(const std::vector<CoverSet>& sets);

}  // namespace gpuwright::rules
