// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"

#include "base/text.h"

#include <fmt/core.h>

#include <chrono>

namespace gpuwright::base {

namespace {

std::optional<std::int64_t> number(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789") == std::string_view::npos
             ? parse_int(text)
             : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> last_day_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  if (parts.size() > 3) return std::nullopt;
  const std::optional<std::int64_t> year = number(parts[0], 4);
  const std::optional<std::int64_t> month = parts.size() > 1 ? number(parts[1], 2) : 12;
  if (!year || !month) return std::nullopt;
  const std::chrono::year_month in{std::chrono::year(static_cast<int>(*year)),
                                   std::chrono::month(static_cast<unsigned>(*month))};
  if (!in.ok()) return std::nullopt;
  std::chrono::year_month_day date = in / std::chrono::last;
  if (parts.size() == 3) {
    const std::optional<std::int64_t> day = number(parts[2], 2);
    if (!day) return std::nullopt;
    date = in / std::chrono::day(static_cast<unsigned>(*day));
  }
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::string day_text(std::int64_t unix_seconds) {
  const auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(unix_seconds)));
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

}  // namespace gpuwright::base
