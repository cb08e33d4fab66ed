// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include "base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::app {

namespace {

/// Help no wider than 80 columns: option column 28, description wrapped by hand.
class NarrowFormatter final : public CLI::Formatter {
 public:
  NarrowFormatter() { column_width(26); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    std::string out = name;
    std::size_t used = name.size();
    if (used + 1 > column_width_) {
      out += '\n';
      used = 0;
    }
    out.append(column_width_ - used, ' ');
    std::size_t column = column_width_;
    const std::string description = make_option_desc(option);  // the words below look into it
    for (const std::string_view word : base::words(description)) {
      if (column + word.size() + 1 > 79) {
        out += '\n';
        out.append(column_width_, ' ');
        column = column_width_;
      }
      out += word;
      out += ' ';
      column += word.size() + 1;
    }
    out.pop_back();
    return out + '\n';
  }
};

}  // namespace

struct CommandLine::State {
  explicit State(const std::string& name, const std::string& description)
      : app(description, "gpuwright " + name) {}
  CLI::App app;
  std::string examples;
};

CommandLine::CommandLine(const std::string& name, const std::string& description)
    : state_(std::make_unique<State>(name, description)) {
  state_->app.formatter(std::make_shared<NarrowFormatter>());
  state_->app.set_help_flag("-h,--help", "print this help and leave");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  state_->app.add_flag(names, value, help);
}

void CommandLine::option(const std::string& names, std::string& value, const std::string& placeholder,
                         const std::string& help) {
  state_->app.add_option(names, value, help)->type_name(placeholder);
}

void CommandLine::choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                         const std::string& help) {
  state_->app.add_option(names, value, help)
      ->check(CLI::IsMember(words).description(""))
      ->type_name(base::join(words, "|"));
}

void CommandLine::positionals(const std::string& name, std::vector<std::string>& values,
                              const std::string& help) {
  state_->app.add_option(name, values, help)->type_name("");
}

void CommandLine::example(const std::string& command, const std::string& explanation) {
  state_->examples += fmt::format("  {}\n      {}\n", command, explanation);
}

std::optional<int> CommandLine::parse(const std::vector<std::string>& arguments, const Console& console) {
  if (!state_->examples.empty()) state_->app.footer("Examples:\n" + state_->examples);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    state_->app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    console.print(state_->app.help());
    return kFine;
  } catch (const CLI::ParseError& error) {
    console.talk(fmt::format("{}: {} (try --help)", state_->app.get_name(), base::printable(error.what())));
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace gpuwright::app
