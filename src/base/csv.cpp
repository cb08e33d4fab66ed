// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <fmt/core.h>

namespace gpuwright::base {

namespace {

/// Takes what stands between two quotes: from behind the first to behind the second. A doubled quote is one
/// of the text. False when the text ends before.
bool read_quoted(std::string_view text, std::size_t& at, std::int64_t& line, std::string& cell) {
  while (at < text.size()) {
    const char c = text[at++];
    if (c == '\n') ++line;
    if (c == '"') {
      const bool doubled = at < text.size() && text[at] == '"';
      if (!doubled) return true;
      ++at;
    }
    cell += c;
  }
  return false;
}

/// Reads one record from `text` at `at`; false when a quote stays open.
bool read_record(std::string_view text, std::size_t& at, std::int64_t& line,
                 std::vector<std::string>& cells) {
  std::string cell;
  while (at < text.size()) {
    const char c = text[at++];
    if (c == '"' && cell.empty()) {
      if (!read_quoted(text, at, line, cell)) return false;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      ++line;
      break;
    } else if (c != '\r') {
      cell += c;
    }
  }
  cells.push_back(std::move(cell));
  return true;
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
