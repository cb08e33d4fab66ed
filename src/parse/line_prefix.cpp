// SPDX-License-Identifier: Apache-2.0
#include "parse/line_prefix.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace gpuwright::parse {

namespace {

using base::parse_int;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAnyYear = 2000;  // a leap year, for stamps without one

/// "1843.308145" as nanoseconds; nothing if it is not seconds with a fraction.
std::optional<std::int64_t> seconds_to_ns(std::string_view text) {
  text = base::trim(text);
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.size() - dot > 10) return std::nullopt;
  const std::optional<std::int64_t> whole = parse_int(text.substr(0, dot));
  const std::optional<std::int64_t> fraction = parse_int(text.substr(dot + 1));
  if (!whole || !fraction || *whole < 0 || *whole > 4'000'000'000 || *fraction < 0) return std::nullopt;
  std::int64_t scale = kSecond;
  for (std::size_t i = dot + 1; i < text.size(); ++i) scale /= 10;
  return *whole * kSecond + *fraction * scale;
}

std::optional<int> month_number(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (name == kMonths[i]) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

/// "11:43:09" or "11:43:09.123456" in nanoseconds of the day.
std::optional<std::int64_t> time_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hour = parse_int(text.substr(0, 2));
  const auto minute = parse_int(text.substr(3, 2));
  const auto second = parse_int(text.substr(6, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::int64_t result = (*hour * 3600 + *minute * 60 + *second) * kSecond;
  std::int64_t scale = kSecond / 10;
  for (std::size_t i = 9; text.size() > 8 && (text[8] == '.' || text[8] == ',') && i < text.size() &&
                          text[i] >= '0' && text[i] <= '9';
       ++i) {
    result += (text[i] - '0') * scale;
    scale /= 10;
  }
  return result;
}

std::optional<std::int64_t> days_to_ns(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * 86400 * kSecond;
}

/// "2026-04-22T21:30:51.526447914Z", "2024-10-12T18:35:32+0200", "2025-02-27 15:10:02". Length of the stamp
/// is put in `length`.
std::optional<std::int64_t> iso_time(std::string_view text, std::size_t& length) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' '))
    return std::nullopt;
  const auto year = parse_int(text.substr(0, 4));
  const auto month = parse_int(text.substr(5, 2));
  const auto day = parse_int(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const auto date = days_to_ns(*year, *month, *day);
  const auto clock = time_of_day(text.substr(11));
  if (!date || !clock) return std::nullopt;
  length = 19;
  if (length < text.size() && (text[length] == '.' || text[length] == ',')) {
    for (++length; length < text.size() && text[length] >= '0' && text[length] <= '9';) ++length;
  }
  std::int64_t offset = 0;
  if (length < text.size() && text[length] == 'Z') {
    ++length;
  } else if (length + 5 <= text.size() && (text[length] == '+' || text[length] == '-')) {
    const bool colon = length + 6 <= text.size() && text[length + 3] == ':';
    const auto hours = parse_int(text.substr(length + 1, 2));
    const auto minutes = parse_int(text.substr(length + (colon ? 4 : 3), 2));
    if (hours && minutes) {
      offset = (*hours * 3600 + *minutes * 60) * kSecond * (text[length] == '-' ? -1 : 1);
      length += colon ? 6 : 5;
    }
  }
  return *date + *clock - offset;
}

/// "Fri Aug 30 11:43:09 2024" (dmesg -T) or "Feb 27 2025 15:10:02" (Fabric Manager).
std::optional<std::int64_t> bracket_time(std::string_view text) {
  const std::vector<std::string_view> parts = base::words(text);
  std::optional<int> month;
  std::optional<std::int64_t> day, year, clock;
  if (parts.size() == 5) {
    month = month_number(parts[1]);
    day = parse_int(parts[2]);
    clock = time_of_day(parts[3]);
    year = parse_int(parts[4]);
  } else if (parts.size() == 4) {
    month = month_number(parts[0]);
    day = parse_int(parts[1]);
    year = parse_int(parts[2]);
    clock = time_of_day(parts[3]);
  }
  if (!month || !day || !clock || !year) return std::nullopt;
  const auto date = days_to_ns(*year, *month, *day);
  return date ? std::optional(*date + *clock) : std::nullopt;
}

/// "[...]" at the start: dmesg in any of its styles.
bool read_bracket(std::string_view& rest, LinePrefix& prefix) {
  if (rest.empty() || rest[0] != '[') return false;
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos || close > 48) return false;
  const std::string_view inside = rest.substr(1, close - 1);
  std::size_t length = 0;
  if (const auto since_boot = seconds_to_ns(inside)) {
    prefix.time.since_boot_ns = since_boot;
  } else if (const auto wall = bracket_time(inside)) {
    prefix.time.wall_ns = wall;
  } else if (const auto iso = iso_time(inside, length)) {
    prefix.time.wall_ns = iso;
  } else {
    return false;
  }
  prefix.is_log = true;
  rest = base::trim(rest.substr(close + 1));
  if (!rest.empty() && rest[0] == ':') rest = base::trim(rest.substr(1));
  return true;
}

/// "<6>" of a console, or "6,1234,98765432,-;" of /dev/kmsg (priority, sequence, microseconds since boot,
/// flags).
bool read_kmsg(std::string_view& rest, LinePrefix& prefix) {
  const std::size_t semicolon = rest.substr(0, 80).find(';');
  if (semicolon == std::string_view::npos) return false;
  const std::vector<std::string_view> parts = base::split(rest.substr(0, semicolon), ',');
  if (parts.size() < 4) return false;
  const auto priority = parse_int(parts[0]);
  const auto sequence = parse_int(parts[1]);
  const auto microseconds = parse_int(parts[2]);
  if (!priority || !sequence || !microseconds || *microseconds < 0 || *microseconds > 4'000'000'000'000'000)
    return false;
  prefix.time.since_boot_ns = *microseconds * 1000;
  prefix.is_log = true;
  prefix.is_kernel =
      *priority < 8;  // facility 0 is the kernel; anything else came through a write to /dev/kmsg
  prefix.is_foreign = !prefix.is_kernel;
  rest = rest.substr(semicolon + 1);
  return true;
}

/// "kern  :warn  : " of dmesg --decode (facility and level by name).
void read_decoded(std::string_view& rest, LinePrefix& prefix) {
  static constexpr std::array<std::string_view, 12> kFacilities = {
      "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"};
  const std::size_t first = rest.substr(0, 12).find(':');
  if (first == std::string_view::npos) return;
  const std::string_view facility = base::trim(rest.substr(0, first));
  const std::size_t second = rest.substr(0, 24).find(':', first + 1);
  const bool known = std::find(kFacilities.begin(), kFacilities.end(), facility) != kFacilities.end();
  if (!known || second == std::string_view::npos) return;
  prefix.is_log = true;
  prefix.is_kernel = facility == "kern";
  prefix.is_foreign = !prefix.is_kernel;
  rest = base::trim(rest.substr(second + 1));
}

/// "2024-01-01T10:00:00Z ERROR worker: ..." is an application's log: its level is no machine.
bool is_log_level(std::string_view word) {
  static constexpr std::array<std::string_view, 14> kLevels = {
      "TRACE",    "DEBUG", "INFO", "NOTICE", "WARN",  "WARNING", "ERROR",
      "CRITICAL", "FATAL", "info", "warn",   "error", "debug",   "fatal"};
  return std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end();
}

/// "host tag[pid]: " behind a syslog time.
void read_host_and_tag(std::string_view& rest, LinePrefix& prefix) {
  const std::size_t host_end = rest.find(' ');
  if (host_end == std::string_view::npos) return;
  const std::string_view host = rest.substr(0, host_end);
  const std::string_view after = base::trim(rest.substr(host_end + 1));
  const std::size_t colon = after.find(": ");
  const std::string_view tag = after.substr(0, colon);
  if (colon == std::string_view::npos || tag.size() > 64 || tag.find(' ') != std::string_view::npos) return;
  if (host.find_first_of(":[(") != std::string_view::npos || is_log_level(host)) return;
  prefix.host = base::printable(host, 64);
  prefix.is_kernel = tag == "kernel";
  rest = base::trim(after.substr(colon + 2));
}

/// "Aug 30 11:43:09 " or an ISO time, then host and tag.
bool read_syslog(std::string_view& rest, LinePrefix& prefix) {
  std::size_t length = 0;
  if (const auto wall = iso_time(rest, length)) {
    prefix.time.wall_ns = wall;
    rest = base::trim(rest.substr(length));
  } else if (rest.size() > 16 && month_number(rest.substr(0, 3)) && rest[3] == ' ' &&
             time_of_day(rest.substr(7, 8))) {
    const auto day = parse_int(base::trim(rest.substr(4, 2)));
    const auto date = day ? days_to_ns(kAnyYear, *month_number(rest.substr(0, 3)), *day) : std::nullopt;
    if (date) prefix.time.of_year_ns = *date - *days_to_ns(kAnyYear, 1, 1) + *time_of_day(rest.substr(7, 8));
    rest = base::trim(rest.substr(15));
  } else {
    return false;
  }
  prefix.is_log = true;
  read_host_and_tag(rest, prefix);
  return true;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// The string value of `"key"` in a one-line JSON object, unescaped. False if there is none.
bool json_string(std::string_view line, std::string_view key, std::string& out) {
  std::size_t at = line.find(key);
  if (at == std::string_view::npos) return false;
  at = line.find_first_not_of(" :", at + key.size());
  if (at == std::string_view::npos || line[at] != '"') return false;
  out.clear();
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 >= line.size()) {
      out += line[at];
      continue;
    }
    const char escape = line[++at];
    if (escape == 'u' && at + 4 < line.size()) {
      append_utf8(out, static_cast<std::uint32_t>(base::parse_hex(line.substr(at + 1, 4)).value_or('?')));
      at += 4;
    } else {
      out += escape == 'n' || escape == 'r' ? ' ' : escape == 't' ? '\t' : escape;
    }
  }
  return true;
}

}  // namespace

LinePrefix read_line_prefix(std::string_view line) {
  LinePrefix prefix;
  std::string message;
  if (read_json_line(line, message, prefix)) return prefix;
  std::string_view rest = base::trim(line.substr(0, 256));
  if (read_kmsg(rest, prefix)) return prefix;
  if (rest.size() > 3 && rest[0] == '<' && rest[2] == '>') rest.remove_prefix(3);
  read_decoded(rest, prefix);
  read_syslog(rest, prefix);
  read_bracket(rest, prefix);
  if (rest.rfind("kernel: ", 0) == 0) {
    prefix.is_log = prefix.is_kernel = true;
    rest = base::trim(rest.substr(8));
    read_bracket(rest, prefix);
  }
  return prefix;
}

bool read_json_line(std::string_view line, std::string& message, LinePrefix& prefix) {
  if (line.empty() || line[0] != '{') return false;
  const bool journal = json_string(line, "\"MESSAGE\"", message);
  if (!journal && !json_string(line, "\"log\"", message)) return false;
  prefix.is_log = true;
  std::string text;
  const auto microseconds = [&](std::string_view key) -> std::optional<std::int64_t> {
    const auto value = json_string(line, key, text) ? parse_int(text) : std::nullopt;
    return value && *value >= 0 && *value < 4'000'000'000'000'000 ? std::optional(*value * 1000)
                                                                  : std::nullopt;
  };
  if (journal) {
    prefix.time.since_boot_ns = microseconds("\"__MONOTONIC_TIMESTAMP\"");
    if (const auto source = microseconds("\"_SOURCE_MONOTONIC_TIMESTAMP\""))
      prefix.time.since_boot_ns = source;
    prefix.time.wall_ns = microseconds("\"__REALTIME_TIMESTAMP\"");
    if (json_string(line, "\"_HOSTNAME\"", text)) prefix.host = base::printable(text, 64);
    prefix.is_kernel = json_string(line, "\"_TRANSPORT\"", text) && text == "kernel";
  } else if (json_string(line, "\"time\"", text)) {
    std::size_t length = 0;
    prefix.time.wall_ns = iso_time(text, length);
  }
  return true;
}

}  // namespace gpuwright::parse
