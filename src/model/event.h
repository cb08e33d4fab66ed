// What evidence says: a signal, on a subject, at a time, with the lines that prove it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpuwright::model {

enum class SubjectKind { Host, Gpu, Link, Switch, Nic, Pci, Process, Container, Pod, Node, Disk, Job };

/// What an event or a finding is about.
/// `id` is canonical: a GPU, switch or PCI device by its address without function ("0000:3b:00") where known,
/// else by index ("#2") or UUID; a NIC, pod, node, disk or process by its name. Empty: this machine. `link`
/// is the NVLink number when kind is Link. `host` is the machine's name where a log line carries it.
struct Subject {
  SubjectKind kind = SubjectKind::Host;
  std::string id;
  std::optional<std::int64_t> link;
  std::string host;
  auto operator<=>(const Subject&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// When. `since_boot_ns` is the kernel's monotonic clock and decides order; `wall_ns` (since the Unix epoch,
/// UTC) is for show and for order only where both sides lack the other. `of_year_ns` is what syslog's
/// "Aug 30 11:43:09" tells: since 1 January of a year that is not known (counted as a leap year), in local
/// time. A time without date keeps none.
struct EventTime {
  std::optional<std::int64_t> since_boot_ns;
  std::optional<std::int64_t> wall_ns;
  std::optional<std::int64_t> of_year_ns;
  bool operator==(const EventTime&) const = default;
};

/// `to` - `from` on the best clock that both have; nothing when there is none. Times without a year are taken
/// to lie less than half a year apart.
inline std::optional<std::int64_t> time_between(const EventTime& from, const EventTime& to) {
  if (from.since_boot_ns && to.since_boot_ns) return *to.since_boot_ns - *from.since_boot_ns;
  if (from.wall_ns && to.wall_ns) return *to.wall_ns - *from.wall_ns;
  if (!from.of_year_ns || !to.of_year_ns) return std::nullopt;
  constexpr std::int64_t kYear = 366LL * 86400 * 1'000'000'000;
  const std::int64_t between = *to.of_year_ns - *from.of_year_ns;
  if (between > kYear / 2) return between - kYear;
  return between < -kYear / 2 ? between + kYear : between;
}

/// One line that proves something.
struct Evidence {
  std::string input;      ///< the input's name as the user gave it
  std::int64_t line = 0;  ///< 1-based; 0: the input as a whole
  std::string text;       ///< the line, printable, at most 400 bytes
  bool operator==(const Evidence&) const = default;
};

enum class EventLevel { Alarm, Context };

/// One thing that evidence says. Repeats are folded: `count`, first and last time, the first few lines.
struct Event {
  std::string signal;
  std::string signature;  ///< id of the signature, format or judge that raised it
  EventLevel level = EventLevel::Alarm;
  Subject subject;
  EventTime first;
  EventTime last;
  std::int64_t count = 1;
  std::map<std::string, std::string> params;  ///< of the first occurrence
  std::map<std::string, std::set<std::string>>
      seen;                        ///< distinct values over all occurrences, at most 16 a key
  std::vector<Evidence> evidence;  ///< at most 4: the first three and the last
};

}  // namespace gpuwright::model
