// SPDX-License-Identifier: Apache-2.0
#include "parse/window_costs.h"

#include "base/text.h"

#include <algorithm>

namespace gpuwright::parse {

WindowCosts::WindowCosts(const base::CsvTable* table) : by_hash_(std::size_t{1} << kBits, 1) {
  if (table == nullptr) return;
  const std::int64_t window_column = table->column("windows");
  const std::int64_t count_column = table->column("per_million");
  if (window_column < 0 || count_column < 0) return;
  for (const base::CsvTable::Row& row : table->rows) {
    const std::string& windows =
        row.cells[static_cast<std::size_t>(window_column)];  // four bytes each, without separator
    const std::int64_t count = base::parse_int(row.cells[static_cast<std::size_t>(count_column)]).value_or(1);
    for (std::size_t at = 0; at + 4 <= windows.size(); at += 4) {
      std::uint16_t& cost = by_hash_[spread_window(load_window(windows.data() + at)) >> (32 - kBits)];
      cost = std::max(cost, static_cast<std::uint16_t>(std::clamp<std::int64_t>(count, 1, 65535)));
    }
  }
}

}  // namespace gpuwright::parse
