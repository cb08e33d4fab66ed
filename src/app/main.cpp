// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

namespace {

/// What the terminal tells, or whoever set COLUMNS for what reads our output.
std::optional<int> width_of(bool terminal) {
  constexpr int kLeast = 40, kMost = 1000;
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeast) return size.ws_col;
  const char* told = std::getenv("COLUMNS");
  const long columns = told == nullptr ? 0 : std::strtol(told, nullptr, 10);
  if (columns < kLeast || columns > kMost) return std::nullopt;
  return static_cast<int>(columns);
}

}  // namespace

int main(int argc, char** argv) {
  gpuwright::app::Console console;
  console.out = stdout;
  console.err = stderr;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const char* term = std::getenv("TERM");
  console.color =
      terminal && std::getenv("NO_COLOR") == nullptr && term != nullptr && std::string(term) != "dumb";
  console.progress = isatty(STDERR_FILENO) == 1;
  console.width = width_of(terminal).value_or(console.width);
  return gpuwright::app::run(std::vector<std::string>(argv + 1, argv + argc), console);
}
