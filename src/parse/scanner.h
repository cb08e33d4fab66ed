// Matches all signatures and all block starts at once, line by line, over text that comes in chunks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "parse/match.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

class Scanner {
 public:
  /// Keeps a reference to the catalog, which must outlive it.
  explicit Scanner(const catalog::Catalog& catalog);
  ~Scanner();
  Scanner(Scanner&&) noexcept;

  struct Sink {
    virtual ~Sink() = default;
    /// A signature matched the line. `offset` is where the line begins in the chunk.
    virtual void on_match(const Match& match, std::size_t offset) = 0;
    /// A block of `catalog.formats()[format]` begins at the line.
    virtual void on_block_start(std::size_t format, std::size_t offset, std::int64_t line_number) = 0;
  };

  /// Scans whole lines. `first_line` is the number of the first one; returns the number of line ends in the
  /// chunk. Matches of one line come together, lines in order; a signature matches a line at most once.
  std::int64_t scan(std::string_view chunk, std::int64_t first_line, Sink& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::parse
