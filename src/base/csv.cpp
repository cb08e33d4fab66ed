// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <fmt/core.h>

namespace gpuwright::base {

namespace {

/// Reads one record from `text` at `at`; false when a quote stays open.
bool read_record(std::string_view text, std::size_t& at, std::int64_t& line,
                 std::vector<std::string>& cells) {
  std::string cell;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\n') ++line;
      if (c != '"') {
        cell += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      ++at;
      ++line;
      break;
    } else if (c != '\r') {
      cell += c;
    }
  }
  cells.push_back(std::move(cell));
  return !quoted;
}

}  // namespace

std::int64_t CsvTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == name) return static_cast<std::int64_t>(i);
  }
  return -1;
}

std::string CsvTable::cell(const Row& row, std::string_view name) const {
  const std::int64_t index = column(name);
  return index < 0 ? std::string() : row.cells[static_cast<std::size_t>(index)];
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& name) {
  CsvTable table;
  std::size_t at = 0;
  std::int64_t line = 1;
  while (at < text.size()) {
    CsvTable::Row row;
    row.line = line;
    if (!read_record(text, at, line, row.cells)) {
      return make_error(ErrorKind::Malformed, "a quote is not closed", fmt::format("{}:{}", name, row.line));
    }
    if (row.cells.size() == 1 && row.cells[0].empty()) continue;
    if (table.header.empty()) {
      table.header = std::move(row.cells);
    } else if (row.cells.size() != table.header.size()) {
      return make_error(
          ErrorKind::Malformed,
          fmt::format("{} cells where the header has {}", row.cells.size(), table.header.size()),
          fmt::format("{}:{}", name, row.line));
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace gpuwright::base
