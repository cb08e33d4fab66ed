// Calendar days of the knowledge: "2026-06-30", or the month or year in which something falls. Today always
// comes from the caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::base {

/// The last day that the text covers ("2026-06": 30 June) in days since 1970-01-01; nothing if it is no day,
/// month or year of the Gregorian calendar.
std::optional<std::int64_t> last_day_of(std::string_view text);

/// The UTC day of a Unix time: "2026-11-30".
std::string day_text(std::int64_t unix_seconds);

/// The UTC second of a Unix time: "2026-11-30T14:05:59Z".
std::string second_text(std::int64_t unix_seconds);
/// The moment that the text names, in Unix seconds: a day, month or year ("2026-11-30", its begin) or a day
/// with a time in UTC ("2026-11-30T14:05", "2026-11-30 14:05:59Z"). Nothing if it is none.
std::optional<std::int64_t> moment_of(std::string_view text);

}  // namespace gpuwright::base
