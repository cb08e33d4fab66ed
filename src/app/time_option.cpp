// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/time_option.h"

#include "base/text.h"

#include <fmt/core.h>

#include <optional>

namespace gpuwright::app {

namespace {

std::optional<std::chrono::milliseconds> read_time(const std::string& text) {
  const auto parsed = base::parse_number_and_unit(text);
  if (!parsed || parsed->number <= 0) return std::nullopt;
  constexpr double kSecond = 1000, kMinute = 60'000;
  const double factor = parsed->unit == "ms"    ? 1
                        : parsed->unit == "s"   ? kSecond
                        : parsed->unit == "min" ? kMinute
                                                : 0;
  const double time = parsed->number * factor;
  constexpr double kMost = 3'600'000;
  if (time < 1 || time > kMost) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(time));
}

}  // namespace

base::Result<std::chrono::milliseconds> time_option(const char* option, const std::string& text,
                                                    std::chrono::milliseconds least) {
  const auto time = read_time(text);
  if (!time)
    return base::make_error(
        base::ErrorKind::Malformed,
        fmt::format("'{}' is no time; write 500ms, 1s or 5min", base::printable(text, 40)), option);
  if (*time < least)
    return base::make_error(base::ErrorKind::Malformed, fmt::format("at least {} ms", least.count()), option);
  return *time;
}

}  // namespace gpuwright::app
