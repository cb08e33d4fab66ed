// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/dcgm_counters.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::parse {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string_view::npos;
}

bool is_type(std::string_view text) {
  constexpr std::array<std::string_view, 5> kTypes = {"gauge", "counter", "histogram", "summary", "label"};
  return std::find(kTypes.begin(), kTypes.end(), text) != kTypes.end();
}

}  // namespace

base::Result<std::vector<DcgmCounter>> parse_dcgm_counters(std::string_view text, const std::string& name) {
  std::vector<DcgmCounter> counters;
  std::int64_t number = 0;
  for (const std::string_view raw : base::lines(text)) {
    ++number;
    const std::string_view line = base::trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto refuse = [&](const std::string& why) {
      return base::make_error(base::ErrorKind::Malformed, why, fmt::format("{}:{}", name, number));
    };
    const std::size_t first = line.find(',');
    const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
    if (second == std::string_view::npos) return refuse("needs NAME, TYPE, HELP");
    DcgmCounter counter;
    counter.name = base::printable(base::trim(line.substr(0, first)));
    counter.type = base::printable(base::trim(line.substr(first + 1, second - first - 1)));
    counter.help = base::printable(base::trim(line.substr(second + 1)));
    counter.line = number;
    if (!is_name(counter.name)) return refuse(fmt::format("'{}' is no name of a metric", counter.name));
    if (!is_type(counter.type))
      return refuse(
          fmt::format("type '{}' is not gauge, counter, histogram, summary or label", counter.type));
    const bool twice = std::any_of(counters.begin(), counters.end(),
                                   [&](const DcgmCounter& one) { return one.name == counter.name; });
    if (twice) return refuse(fmt::format("'{}' stands twice", counter.name));
    counters.push_back(std::move(counter));
  }
  return counters;
}

}  // namespace gpuwright::parse
