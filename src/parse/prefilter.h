// Finds, in one pass over a text, where any of some thousand literals stands.
//
// A literal of eleven bytes or more holds four consecutive windows of eight bytes, and one of them begins at
// a multiple of four wherever the literal stands. So it is enough to look at every fourth position: ask a
// filter about the eight bytes there, and confirm the rare suspect against the literal. Shorter literals
// (seven bytes or more) do the same with windows of four to seven bytes and a filter of their own. Which
// windows are watched is chosen where healthy logs have them least (WindowCosts). This is the q-gram skip of
// Wu and Manber's search for many patterns ("A fast algorithm for multi-pattern searching", TR-94-17, 1994),
// eight positions at a time where the processor has AVX2. The filters are blocked Bloom filters (Putze,
// Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/window_costs.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

class Prefilter {
 public:
  static constexpr std::size_t kShortestLiteral = 7;

  struct Hit {
    std::uint32_t position = 0;  ///< where the literal begins
    std::uint32_t literal = 0;   ///< its index
  };

  /// Literals must have kShortestLiteral bytes or more (shorter ones are never found); equal literals are
  /// fine.
  Prefilter(std::vector<std::string> literals, const WindowCosts& costs);

  /// Appends every occurrence of every literal, by rising position of a byte inside it. `text` is at most
  /// 2^31 bytes.
  void find(std::string_view text, std::vector<Hit>& hits) const;
  /// The same without vector instructions, whatever the machine has: what tests compare find() with.
  void find_portably(std::string_view text, std::vector<Hit>& hits) const;

  /// How often the best seven bytes of the literal make us look, in healthy logs: the lower, the better to
  /// watch. Very high for a literal that is too short.
  static std::uint32_t cost(std::string_view literal, const WindowCosts& costs);

 private:
  struct Entry {
    std::uint64_t window = 0;  ///< its bytes, shifted up by `beyond`
    std::uint32_t beyond = 0;  ///< bits of eight bytes that the window does not have
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;  ///< of the window in the literal
    std::uint32_t size = 0;    ///< of the literal
    std::uint32_t corner = 0;  ///< the literal's four bytes farthest from the window: a cheap second look
    std::int32_t corner_from_window = 0;
    std::uint32_t word = 0;  ///< of the filter
    std::uint32_t bits = 0;  ///< in that word
  };
  struct Index {
    std::vector<std::uint32_t> filter;
    std::vector<std::uint32_t> begin;  ///< by word of the filter, into entries
    std::vector<Entry> entries;
  };

  Entry make_entry(std::uint32_t index, std::size_t offset) const;
  static Index make_index(const std::vector<Entry>& entries);
  template <class Probe>
  void find_with(Probe probe, std::string_view text, std::vector<Hit>& hits) const;
  void confirm(std::string_view text, std::size_t at, std::vector<Hit>& hits) const;
  /// A place in the text that a filter has let through.
  struct Suspect {
    std::size_t at = 0;
    std::uint64_t window = 0;  ///< the eight bytes there
    std::uint32_t word = 0;    ///< of the filter
  };
  void confirm_in(const Index& index, const Suspect& suspect, std::string_view text,
                  std::vector<Hit>& hits) const;

  std::vector<std::string> literals_;
  Index wide_;    ///< windows of eight bytes
  Index narrow_;  ///< windows of four to seven bytes: literals of ten bytes or less
};

}  // namespace gpuwright::parse
