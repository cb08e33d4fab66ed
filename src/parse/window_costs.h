// How often four bytes stand in healthy logs: what the prefilter should not watch. From data/log_windows.csv,
// our own count over healthy logs (syslog, kernel, cloud, HPC, NCCL; no line of theirs is kept).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/csv.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

/// The four bytes at `at`, as a number.
inline std::uint32_t load_window(const char* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4); the constant is 2^32 divided by
/// the golden ratio.
constexpr std::uint32_t spread_window(std::uint32_t window) {
  return window * 0x9E3779B1u;
}

class WindowCosts {
 public:
  /// From the catalog's table; null or an empty one knows nothing common.
  explicit WindowCosts(const base::CsvTable* table);

  /// Occurrences in a million bytes of healthy log, at least 1. Windows that share a hash share the higher
  /// figure.
  std::uint32_t cost(std::uint32_t window) const { return by_hash_[spread_window(window) >> (32 - kBits)]; }

 private:
  static constexpr std::uint32_t kBits = 15;
  std::vector<std::uint16_t> by_hash_;
};

}  // namespace gpuwright::parse
