// Comma-separated values. Source: RFC 4180 (quotes doubled inside quotes, line breaks allowed inside quotes,
// LF or CRLF).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::base {

struct CsvTable {
  std::vector<std::string> header;
  struct Row {
    std::int64_t line = 0;  ///< 1-based line where the row begins
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;

  /// Index of the column, or -1.
  std::int64_t column(std::string_view name) const;
  /// The cell of that column; empty where the column is missing.
  std::string cell(const Row& row, std::string_view name) const;
};

/// Parses a table with a header row. Malformed (name:line) when a row has another number of cells than the
/// header, or a quote stays open.
Result<CsvTable> parse_csv(std::string_view text, const std::string& name);

}  // namespace gpuwright::base
