// timed RUNS COMMAND...: runs it so often, its output thrown away, and prints the medians of wall time,
// processor time and the resident memory of its largest process.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Run {
  double wall_ms = 0;
  double processor_ms = 0;
  double resident_mb = 0;
};

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

Run run_once(char** argv) {
  const Clock::time_point begin = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int standard = 0; standard < 3; ++standard) ::dup2(nothing, standard);
    ::execvp(argv[0], argv);
    ::_exit(127);
  }
  rusage used = {};
  int status = 0;
  ::wait4(child, &status, 0, &used);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    std::fprintf(stderr, "timed: %s does not run\n", argv[0]);
  Run run;
  run.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  run.processor_ms = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
  run.resident_mb = static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
  return run;
}

double median(const std::vector<Run>& runs, double Run::*what) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(run.*what);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = argc > 2 ? gpuwright::base::parse_int(argv[1]) : std::nullopt;
  if (!count || *count < 1 || *count > 10'000) {
    std::fputs("usage: timed RUNS COMMAND...\n", stderr);
    return 2;
  }
  std::vector<Run> runs;
  for (std::int64_t at = 0; at < *count; ++at) runs.push_back(run_once(argv + 2));
  fmt::print("{:.1f} ms wall ({:.1f} to {:.1f}), {:.1f} ms of a processor, {:.1f} MB resident\n",
             median(runs, &Run::wall_ms),
             std::min_element(runs.begin(), runs.end(),
                              [](const Run& a, const Run& b) { return a.wall_ms < b.wall_ms; })
                 ->wall_ms,
             std::max_element(runs.begin(), runs.end(),
                              [](const Run& a, const Run& b) { return a.wall_ms < b.wall_ms; })
                 ->wall_ms,
             median(runs, &Run::processor_ms), median(runs, &Run::resident_mb));
  return 0;
}
