// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"

#include "base/text.h"

#include <fmt/core.h>

#include <chrono>

namespace gpuwright::base {

namespace {

constexpr std::int64_t kDaySeconds = 86400;

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

std::string second_text(std::int64_t unix_seconds) {
  const std::int64_t into_day = (unix_seconds % kDaySeconds + kDaySeconds) % kDaySeconds;
  return fmt::format("{}T{:02}:{:02}:{:02}Z", day_text(unix_seconds), into_day / 3600, into_day / 60 % 60,
                     into_day % 60);
}

std::optional<std::int64_t> moment_of(std::string_view text) {
  constexpr std::size_t kDayLength = 10;
  if (text.size() <= kDayLength) {
    const std::vector<std::string_view> parts = split(text, '-');
    std::string whole(text);
    for (std::size_t missing = parts.size(); missing < 3; ++missing) whole += "-01";
    const auto day = last_day_of(text) ? last_day_of(whole) : std::nullopt;
    return day ? std::optional(*day * kDaySeconds) : std::nullopt;
  }
  const auto day = last_day_of(text.substr(0, kDayLength));
  const char between = text[kDayLength];
  if (!day || (between != 'T' && between != ' ')) return std::nullopt;
  text.remove_prefix(kDayLength + 1);
  if (text.ends_with('Z')) text.remove_suffix(1);
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto hour = number(parts[0], 2);
  const auto minute = number(parts[1], 2);
  const auto second = parts.size() == 3 ? number(parts[2], 2) : std::optional<std::int64_t>(0);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return *day * kDaySeconds + *hour * 3600 + *minute * 60 + *second;
}

}  // namespace gpuwright::base
