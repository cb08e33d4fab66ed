// What history costs: `history_perf GPUS SERIES SECONDS FOLDER` writes ticks of GPUS x SERIES values, so many
// as would come in SECONDS at one a second, as fast as they go, and prints the process's time, memory, and
// the bytes of each point in the file.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/text.h"
#include "watch/historian.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace gpuwright;  // NOLINT(google-build-using-namespace): a program of one file

/// One of the words of a file of /proc.
std::int64_t proc_kib(pid_t pid, const char* file, const std::string& key) {
  const auto text = base::read_file(fmt::format("/proc/{}/{}", pid, file), 1 << 20);
  if (!text) return 0;
  for (const std::string_view line : base::lines(*text)) {
    const auto words = base::words(line);
    if (words.size() > 1 && words[0] == key) return base::parse_int(words[1]).value_or(0);
  }
  return 0;
}

double cpu_seconds(pid_t pid) {
  const auto text = base::read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text) return 0;
  const auto words = base::words(std::string_view(*text).substr(text->rfind(')') + 1));
  if (words.size() < 13) return 0;
  const std::int64_t ticks = base::parse_int(words[11]).value_or(0) + base::parse_int(words[12]).value_or(0);
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Like what NVML tells: a third never changes, a third counts, a third wanders.
double value_of(int series, std::int64_t second, std::uint32_t& noise) {
  noise = noise * 1664525 + 1013904223;
  const int wander = static_cast<int>(noise >> 24);
  if (series % 3 == 0) return 1000.0 * series;
  if (series % 3 == 1) return static_cast<double>(second * 12345 + wander);
  return std::round((300 + 100 * std::sin(static_cast<double>(second) / 600) + wander) * 1000) / 1000;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: history_perf GPUS SERIES SECONDS FOLDER\n", stderr), 2;
  const int gpus = std::atoi(argv[1]);               // NOLINT(cert-err34-c): a tool of our own
  const int series = std::atoi(argv[2]);             // NOLINT(cert-err34-c)
  const std::int64_t seconds = std::atoll(argv[3]);  // NOLINT(cert-err34-c)
  watch::HistorianOptions options;
  options.child.path = std::string(argv[4]) + "/history.db";
  options.child.upkeep = std::chrono::milliseconds(100);
  options.queue_bytes = std::size_t{4} << 20;
  watch::Historian historian(options);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int one = 0; one < series; ++one)
      historian.series(fmt::format("metric_{}", one), fmt::format("GPU-{}", gpu));
  }
  std::uint32_t noise = 1;
  for (std::int64_t second = 1; second <= seconds; ++second) {
    watch::HistoryTick tick;
    tick.time_ms = (1'796'000'000 + second) * 1000;
    tick.mono_ms = second * 1000;
    tick.boot_id = "boot";
    for (int at = 0; at < gpus * series; ++at)
      tick.values.emplace_back(static_cast<std::uint32_t>(at), value_of(at % series, second, noise));
    historian.tick(tick);
    historian.pump();
    while (historian.state().queued_bytes > options.queue_bytes / 2) {
      ::usleep(200);
      historian.pump();
    }
  }
  while (historian.state().queued_bytes > 0) {
    ::usleep(1000);
    historian.pump();
  }
  ::usleep(300000);
  const pid_t pid = historian.pid();
  const double points = static_cast<double>(seconds) * gpus * series;
  const auto used = static_cast<double>(historian.state().used_bytes);
  fmt::print("ticks {} of {} values; dropped {}\n", seconds, gpus * series, historian.state().dropped);
  fmt::print("cpu per tick {:.0f} us; file {:.2f} MB; {:.3f} bytes for each value that came\n",
             cpu_seconds(pid) / static_cast<double>(seconds) * 1e6, used / 1e6, used / points);
  fmt::print("process: resident {} KiB, proportional {} KiB, private {} KiB\n",
             proc_kib(pid, "status", "VmRSS:"), proc_kib(pid, "smaps_rollup", "Pss:"),
             proc_kib(pid, "smaps_rollup", "Private_Dirty:"));
  return 0;
}
