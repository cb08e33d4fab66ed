// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

#include <array>

namespace gpuwright::app {

int run_capture(const std::vector<std::string>& arguments, const Console& console);
int run_doctor(const std::vector<std::string>& arguments, const Console& console);
int run_explain(const std::vector<std::string>& arguments, const Console& console);
int run_facts(const std::vector<std::string>& arguments, const Console& console);
int run_fleet(const std::vector<std::string>& arguments, const Console& console);
int run_history(const std::vector<std::string>& arguments, const Console& console);
int run_render(const std::vector<std::string>& arguments, const Console& console);
int run_serve(const std::vector<std::string>& arguments, const Console& console);
int run_spec(const std::vector<std::string>& arguments, const Console& console);
int run_top(const std::vector<std::string>& arguments, const Console& console);

namespace {

constexpr std::array<Command, 10> kCommands = {{
    {"doctor", "find what is wrong, why, and what to do", run_doctor},
    {"capture", "pack redacted evidence for replay or for a vendor", run_capture},
    {"explain", "explain a code, cause, signal or error text", run_explain},
    {"facts", "show what this machine is", run_facts},
    {"fleet", "let many nodes look at themselves, over ssh", run_fleet},
    {"history", "ask what this node remembers", run_history},
    {"render", "print configuration for what others run: Prometheus, Alertmanager", run_render},
    {"serve", "watch this machine: metrics and health", run_serve},
    {"spec", "write, check and compare what a machine should be (gpuwright.yaml)", run_spec},
    {"top", "watch the GPUs of this machine and who uses them, in the terminal", run_top},
}};

}  // namespace

std::span<const Command> all_commands() {
  return kCommands;
}

}  // namespace gpuwright::app
