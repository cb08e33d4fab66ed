// Tables for a terminal; see layout.h.
// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gpuwright::report {

namespace {

constexpr int kGap = 2;
constexpr int kNarrowest = 24;  // of the column that shrinks

using Lines = std::vector<std::string>;

void append_padded(std::string& line, const std::string& cell, int width) {
  line += cell;
  line.append(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  line.append(kGap, ' ');
}

/// One row as lines: what wraps in one column goes on below, beside nothing.
std::string render_row(const std::vector<Lines>& cells, const std::vector<int>& widths,
                       const std::string& begin, const std::string& end) {
  std::size_t height = 1;
  for (const Lines& cell : cells) height = std::max(height, cell.size());
  std::string text;
  for (std::size_t at = 0; at < height; ++at) {
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool styled = at == 0 && column < 2;
      if (styled && column == 0) line += begin;
      append_padded(line, at < cells[column].size() ? cells[column][at] : "", widths[column]);
      if (styled && (column == 1 || cells.size() == 1)) line += end;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// Whether nothing stands behind that cell.
bool is_last(const std::vector<std::string>& cells, std::size_t column) {
  return std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(column) + 1, cells.end(),
                     [](const std::string& cell) { return cell.empty(); });
}

/// Columns from `first` on with the gaps between them.
int sum(const std::vector<int>& widths, std::size_t first) {
  const auto begin = widths.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, widths.end(), kGap * static_cast<int>(widths.size() - first) - kGap);
}

}  // namespace

std::vector<int> Table::widths(int width) const {
  std::vector<int> widths;
  for (std::size_t column = 0; column < header_.size(); ++column) {
    int widest = display_width(header_[column]);
    for (const Row& row : rows_) {
      const bool may_spread = column == shrinks_ && is_last(row.cells, column);
      if (!may_spread) widest = std::max(widest, display_width(row.cells[column]));
    }
    widths.push_back(widest);
  }
  const int over = sum(widths, 0) - width;
  if (over > 0) widths[shrinks_] = std::max(std::min(kNarrowest, widths[shrinks_]), widths[shrinks_] - over);
  return widths;
}

std::string Table::render(int width, bool color) const {
  const std::vector<int> columns = widths(width);
  const int left = width - sum(columns, 0) + sum(columns, shrinks_);  // from the column that shrinks on
  const auto render_one = [&](const std::vector<std::string>& cells, Style style) {
    std::vector<Lines> wrapped;
    wrapped.reserve(cells.size());
    for (const std::string& cell : cells) wrapped.push_back({cell});
    const int room = is_last(cells, shrinks_) ? std::max(left, columns[shrinks_]) : columns[shrinks_];
    wrapped[shrinks_] = wrap(cells[shrinks_], room);
    const bool styled = color && style != Style::Plain;
    return render_row(wrapped, columns, styled ? style_code(style) : "", styled ? "\x1b[0m" : "");
  };
  std::string text = render_one(header_, Style::Dim);
  for (const Row& row : rows_) text += render_one(row.cells, row.style);
  return text;
}

}  // namespace gpuwright::report
