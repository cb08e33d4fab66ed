// One verb of the command line. Each stands in its own file and in one line of all_commands.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace gpuwright::app {

/// Exit codes. Source: docs/ARCHITECTURE.md, conventions.
enum ExitCode : int { kFine = 0, kFindings = 1, kUsage = 2, kCouldNotLook = 3, kRefused = 4, kBug = 70 };

/// Where results (out) and talk (err) go, and what the terminal can show.
struct Console {
  std::FILE* out = nullptr;
  std::FILE* err = nullptr;
  bool color = false;     ///< stdout is a terminal that shows colour
  bool progress = false;  ///< stderr is a terminal
  int width = 100;

  void print(const std::string& text) const;  ///< to stdout
  void talk(const std::string& text) const;   ///< a line to stderr
  /// Prints "gpuwright: message" and returns kUsage.
  int usage_error(const base::Error& error) const;
};

struct Command {
  const char* name;
  const char* summary;  ///< one line for the overview
  int (*run)(const std::vector<std::string>& arguments, const Console& console);
};

/// All commands in the order of the overview.
std::span<const Command> all_commands();

/// Runs the program: overview without arguments, --help, --version, or the named command. Returns the exit
/// code; no exception leaves.
int run(const std::vector<std::string>& arguments, const Console& console);

}  // namespace gpuwright::app
