// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

int main(int argc, char** argv) {
  gpuwright::app::Console console;
  console.out = stdout;
  console.err = stderr;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const char* term = std::getenv("TERM");
  console.color =
      terminal && std::getenv("NO_COLOR") == nullptr && term != nullptr && std::string(term) != "dumb";
  console.progress = isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    console.width = size.ws_col;
  return gpuwright::app::run(std::vector<std::string>(argv + 1, argv + argc), console);
}
