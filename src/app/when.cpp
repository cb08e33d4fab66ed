// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/when.h"

#include "base/day.h"
#include "base/text.h"

#include <fmt/core.h>

#include <chrono>
#include <string_view>

namespace gpuwright::app {

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::optional<std::int64_t> span_of(const std::string& text) {
  constexpr std::string_view kUnits = "smhdw";
  constexpr std::int64_t kSeconds[] = {1, 60, 3600, 86400, 604800};
  constexpr std::int64_t kMost = 1'000'000;
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  const auto count = base::parse_int(std::string_view(text).substr(0, text.size() - 1));
  if (!count || *count < 0 || *count > kMost) return std::nullopt;
  return *count * kSeconds[unit];
}

base::Result<std::int64_t> time_of(const char* option, const std::string& text, std::int64_t now) {
  if (const auto span = span_of(text)) return now - *span;
  if (const auto moment = base::moment_of(text)) return *moment;
  return base::make_error(
      base::ErrorKind::Malformed,
      fmt::format("{}: '{}' is no time; write 2h, 3d, 2026-11-30 or 2026-11-30T14:05 (UTC)", option,
                  base::printable(text, 40)));
}

}  // namespace gpuwright::app
