// Options of one command: a thin face on CLI11, which is expensive to compile and therefore stands in one
// file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description);
  ~CommandLine();

  void flag(const std::string& names, bool& value, const std::string& help);
  void option(const std::string& names, std::string& value, const std::string& placeholder,
              const std::string& help);
  /// An option that takes one of the words.
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
              const std::string& help);
  void positionals(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// A line under "Examples" in --help.
  void example(const std::string& command, const std::string& explanation);

  /// Parses. A value: leave with that exit code (--help was printed, or the usage was wrong and said so).
  std::optional<int> parse(const std::vector<std::string>& arguments, const Console& console);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::app
