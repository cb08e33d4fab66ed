// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"
#include "app/version.h"
#include "base/text.h"

#include <fmt/core.h>

#include <exception>

namespace gpuwright::app {

namespace {

std::string overview() {
  std::string text = "gpuwright takes a GPU server through its whole life.\n\n";
  for (const Command& command : all_commands())
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  text +=
      "\nTry first:\n"
      "  gpuwright doctor              what is wrong with this machine\n"
      "  gpuwright doctor kern.log     or with whatever text you were sent\n"
      "  gpuwright COMMAND --help      options and examples\n";
  return text;
}

int dispatch(const std::vector<std::string>& arguments, const Console& console) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    console.print(overview());
    return kFine;
  }
  if (arguments[0] == "--version") {
    console.print(fmt::format("gpuwright {}\n", kVersion));
    return kFine;
  }
  for (const Command& command : all_commands()) {
    if (arguments[0] == command.name) return command.run({arguments.begin() + 1, arguments.end()}, console);
  }
  return console.usage_error(base::make_error(
      base::ErrorKind::NotFound,
      fmt::format("no command '{}' (gpuwright --help lists them)", base::printable(arguments[0], 60))));
}

}  // namespace

void Console::print(const std::string& text) const {
  std::fwrite(text.data(), 1, text.size(), out);
}

void Console::talk(const std::string& text) const {
  const std::string line = text + "\n";
  std::fwrite(line.data(), 1, line.size(), err);
}

int Console::usage_error(const base::Error& error) const {
  talk("gpuwright: " + base::printable(error.text(), 600));
  return kUsage;
}

int run(const std::vector<std::string>& arguments, const Console& console) {
  try {
    const int code = dispatch(arguments, console);
    return std::fflush(console.out) == 0 ? code : kBug;
  } catch (const std::exception& exception) {
    console.talk(fmt::format("gpuwright: internal error: {} (this is a bug, please report it with the input)",
                             exception.what()));
  } catch (...) {
    console.talk("gpuwright: internal error (this is a bug, please report it with the input)");
  }
  return kBug;
}

}  // namespace gpuwright::app
