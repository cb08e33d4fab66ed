// Finds, in one pass over a text, where any of some hundred literals stands. For each literal it watches one
// window of four bytes that is rare in healthy logs; a window that is seen is confirmed against the whole
// literal. SIMD where the machine has it, tested equal to scalar. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

class Prefilter {
 public:
  struct Hit {
    std::uint32_t position = 0;  ///< where the literal begins
    std::uint32_t literal = 0;   ///< its index
  };

  /// Literals must have four bytes or more; equal literals are fine.
  explicit Prefilter(std::vector<std::string> literals);

  /// Appends every occurrence, by rising position of the watched window. `text` is at most 2^31 bytes.
  void find(std::string_view text, std::vector<Hit>& hits) const;

 private:
  struct Entry {
    std::uint32_t window = 0;  ///< the four bytes, little endian
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;  ///< of the window in the literal
  };

  void confirm(std::string_view text, std::size_t at, std::vector<Hit>& hits) const;

  std::vector<std::string> literals_;
  std::vector<Entry> entries_;               ///< sorted by bucket
  std::vector<std::uint32_t> bucket_begin_;  ///< per hash, into entries_
  std::vector<std::uint64_t> seen_bits_;     ///< one bit per hash: some window has it
};

}  // namespace gpuwright::parse
