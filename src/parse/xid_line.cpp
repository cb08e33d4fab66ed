// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/xid_line.h"

#include "base/text.h"

namespace gpuwright::parse {

std::optional<XidLine> read_xid_line(std::string_view line) {
  constexpr std::string_view kMark = "NVRM: Xid (PCI:";
  const std::size_t at = line.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + kMark.size());
  const std::size_t close = rest.find("): ");
  constexpr std::size_t kMostAddress = 24;
  if (close == std::string_view::npos || close > kMostAddress) return std::nullopt;
  const std::string_view number = rest.substr(close + 3);
  const auto code = base::parse_int(number.substr(0, number.find_first_not_of("0123456789")));
  constexpr std::int64_t kMostCode = 9999;
  if (!code || *code <= 0 || *code > kMostCode) return std::nullopt;
  return XidLine{base::printable(rest.substr(0, close)), *code};
}

}  // namespace gpuwright::parse
