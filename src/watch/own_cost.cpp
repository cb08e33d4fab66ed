// Source: proc(5): stat fields 14 to 17 and statm; getrusage(2); PCI class 0x03 is a display controller.
// SPDX-License-Identifier: Apache-2.0
#include "watch/own_cost.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace gpuwright::watch {

namespace {

constexpr std::size_t kSmall = 4096;

double seconds(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

/// Of a child that runs: it is in nobody's usage yet.
double cpu_of(pid_t pid) {
  constexpr std::size_t kUser = 11, kSystem = 12;  // behind the name
  const auto text = base::read_file(fmt::format("/proc/{}/stat", pid), kSmall);
  if (!text) return 0;
  const auto words = base::words(std::string_view(*text).substr(text->rfind(')') + 1));
  if (words.size() <= kSystem) return 0;
  const auto ticks = base::parse_int(words[kUser]).value_or(0) + base::parse_int(words[kSystem]).value_or(0);
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t resident_of(const std::string& process) {
  const auto text = base::read_file(fmt::format("/proc/{}/statm", process), kSmall);
  if (!text) return 0;
  const auto words = base::words(*text);
  const auto pages = words.size() < 2 ? std::nullopt : base::parse_int(words[1]);
  return static_cast<std::uint64_t>(pages.value_or(0)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t proportional_of(const std::string& process) {
  const auto text = base::read_file(fmt::format("/proc/{}/smaps_rollup", process), kSmall);
  if (!text) return 0;
  for (const std::string_view line : base::lines(*text)) {
    const auto words = base::words(line);
    constexpr std::int64_t kKibi = 1024;
    if (words.size() >= 2 && words[0] == "Pss:")
      return static_cast<std::uint64_t>(base::parse_int(words[1]).value_or(0) * kKibi);
  }
  return 0;
}

}  // namespace

void add_own_cost(const std::vector<pid_t>& children, model::SelfState& self) {
  rusage own = {}, ended = {};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &ended);
  double cpu =
      seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(ended.ru_utime) + seconds(ended.ru_stime);
  std::uint64_t resident = resident_of("self");
  for (const pid_t child : children) {
    cpu += cpu_of(child);
    resident += resident_of(std::to_string(child));
  }
  self.cpu_s = std::max(self.cpu_s, cpu);  // a child that ends unseen must not turn the counter back
  self.resident_bytes = resident;
  constexpr std::uint64_t kSeldom = 12;
  if (self.cost_looks++ % kSeldom != 0) return;
  std::uint64_t proportional = proportional_of("self");
  for (const pid_t child : children) proportional += proportional_of(std::to_string(child));
  self.proportional_bytes = proportional;
}

}  // namespace gpuwright::watch
