// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <array>

namespace gpuwright::app {

int run_doctor(const std::vector<std::string>& arguments, const Console& console);
int run_explain(const std::vector<std::string>& arguments, const Console& console);

namespace {

constexpr std::array<Command, 2> kCommands = {{
    {"doctor", "find what is wrong, why, and what to do", run_doctor},
    {"explain", "explain a code, cause, signal or error text", run_explain},
}};

}  // namespace

std::span<const Command> all_commands() {
  return kCommands;
}

}  // namespace gpuwright::app
