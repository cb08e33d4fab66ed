// Cells of one row of a knowledge table by column name, with the complaints of whoever reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/text.h"
#include "kit/node.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

class CsvRow {
 public:
  CsvRow(const kit::Node& header, const kit::Node& row) : header_(header), row_(row) {}

  /// Empty where the column is missing.
  std::string operator[](std::string_view column) const {
    for (std::size_t i = 0; i < header_.items.size() && i < row_.items.size(); ++i) {
      if (header_.items[i].scalar == column) return row_.items[i].scalar;
    }
    return {};
  }
  std::int64_t integer(std::string_view column, std::int64_t fallback = -1) const {
    return base::parse_int((*this)[column]).value_or(fallback);
  }
  /// The cells of a list "a;b;c"; empty for an empty cell.
  std::vector<std::string> list(std::string_view column) const {
    const std::string text = (*this)[column];
    std::vector<std::string> items;
    if (text.empty()) return items;
    for (const std::string_view item : base::split(text, ';')) items.emplace_back(base::trim(item));
    return items;
  }
  std::int32_t line() const { return row_.line; }

 private:
  const kit::Node& header_;
  const kit::Node& row_;
};

}  // namespace gpuwright::catalog
