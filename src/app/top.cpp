// `gpuwright top`: the GPUs of this machine and who uses them, in a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "report/top.h"

#include "app/command_line.h"
#include "app/knowledge.h"
#include "app/node_watch.h"
#include "app/screen.h"
#include "app/time_option.h"
#include "base/files.h"
#include "kit/event_loop.h"
#include "report/node_json.h"
#include "watch/recent.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>

namespace gpuwright::app {

namespace {

struct TopCommand {
  std::string period = "1s", language = "en", data;
  bool once = false, json = false;
};

class Top {
 public:
  Top(const catalog::Catalog& catalog, const watch::WatchPlan& plan, NodeWatchOptions options,
      const Console& console)
      : catalog_(catalog), plan_(plan), console_(console), node_(loop_, catalog, plan, std::move(options)) {}

  report::TopView& view() { return view_; }

  /// Watches until told to end. Errors: those of Screen::open.
  base::Status watch() {
    GPUWRIGHT_TRY(auto screen, Screen::open(STDIN_FILENO, ::fileno(console_.out)));
    screen_.emplace(std::move(screen));
    view_.keys = true;
    GPUWRIGHT_TRY(signals_, loop_.on_signal({SIGTERM, SIGINT, SIGHUP}, [this](int) { loop_.stop(); }));
    GPUWRIGHT_TRY(resized_, loop_.on_signal({SIGWINCH}, [this](int) { draw(); }));
    GPUWRIGHT_TRY(pressed_, loop_.on_readable(STDIN_FILENO, [this] { press(); }));
    node_.start([this] {
      recent_.take(node_.state());
      if (!view_.paused) draw();
    });
    draw();
    loop_.run();
    node_.stop();
    screen_.reset();
    return base::Done{};
  }

  /// Waits until there is something whole to show.
  const model::NodeState& look_once() {
    constexpr std::chrono::milliseconds kPatience{12'000};
    const kit::Waiting late = loop_.after(kPatience, [this] { loop_.stop(); });
    node_.start([this] {
      recent_.take(node_.state());
      if (whole()) loop_.stop();
    });
    loop_.run();
    node_.stop();
    return node_.state();
  }

  std::string text() {
    std::string all;
    for (const std::string& line :
         report::render_top(node_.state(), catalog_, values_, recent_.gpus(), view_))
      all += line + "\n";
    return all;
  }

 private:
  /// All GPUs have answered twice (rates need it) and the machine has been looked at.
  bool whole() {
    const model::NodeState& state = node_.state();
    const bool looked = state.health.looked_s > 0 || !state.health.could_not_look.empty();
    if (!looked) return false;
    if (!state.no_driver.empty()) return true;
    if (!state.driver_known || state.gpus.size() < state.driver.gpus) return false;
    constexpr std::size_t kTwice = 3;  // the first tick comes before the first answer
    return std::all_of(recent_.gpus().begin(), recent_.gpus().end(), [&](const auto& entry) {
      const model::GpuState& gpu = state.gpus.at(entry.first);
      return entry.second.busy.size() >= kTwice && (gpu.up ? gpu.users_known : !gpu.why.empty());
    });
  }

  void draw() {
    if (!screen_) return;
    node_.look_at_clock();
    std::tie(view_.width, view_.height) = Screen::size(::fileno(console_.out));
    screen_->show(report::render_top(node_.state(), catalog_, values_, recent_.gpus(), view_));
    if (!screen_->there()) loop_.stop();
  }

  void press() {
    for (const Pressed& pressed : screen_->read()) apply(pressed);
    if (!screen_->there()) return loop_.stop();
    draw();
  }

  void apply(const Pressed& pressed) {
    constexpr std::size_t kPage = 10;
    const std::size_t gpus = node_.state().gpus.size();
    switch (pressed.key) {
      case Key::Quit:
        return loop_.stop();
      case Key::Up:
        if (view_.chosen > 0) --view_.chosen;
        return;
      case Key::Down:
        if (view_.chosen + 1 < gpus) ++view_.chosen;
        return;
      case Key::PageUp:
        view_.scrolled -= std::min(view_.scrolled, kPage);
        return;
      case Key::PageDown:
        view_.scrolled += kPage;
        return;
      case Key::Enter:
        return turn(view_.panel == report::TopPanel::Gpu ? report::TopPanel::Overview
                                                         : report::TopPanel::Gpu);
      case Key::Other:
        if (pressed.letter == 'i') turn(report::TopPanel::Incidents);
        if (pressed.letter == 'o') turn(report::TopPanel::Overview);
        if (pressed.letter == ' ') view_.paused = !view_.paused;
        return;
      case Key::None:
        return;
    }
  }

  void turn(report::TopPanel panel) {
    view_.panel = panel;
    view_.scrolled = 0;
  }

  const catalog::Catalog& catalog_;
  const watch::WatchPlan& plan_;
  const Console& console_;
  kit::EventLoop loop_;
  NodeWatch node_;
  catalog::GpuValues values_{plan_.series};
  watch::Recent recent_{values_};
  report::TopView view_;
  std::optional<Screen> screen_;
  kit::Waiting signals_, resized_, pressed_;
};

base::Result<NodeWatchOptions> options_of(const TopCommand& command) {
  constexpr std::chrono::milliseconds kLeastPeriod{100};
  NodeWatchOptions options;
  GPUWRIGHT_TRY(options.often, time_option("--period", command.period, kLeastPeriod));
  options.whole = options.often;
  GPUWRIGHT_TRY(options.looker.program, base::read_link("/proc/self/exe"));
  options.looker.data = command.data;
  options.looker.soon = std::chrono::milliseconds(1);
  options.health.raise_after = 1;  // who looks wants to know at once
  return options;
}

void declare(CommandLine& line, TopCommand& command) {
  line.option("--period", command.period, "TIME", "between looks at the GPUs (default 1s)");
  line.flag("--once", command.once, "print one look and end; also where the output is no terminal");
  line.flag("--json", command.json, "the same as JSON (docs/openapi.yaml); implies --once");
  line.choice("--lang", command.language, {"en", "zh"}, "language of the text");
  line.option("--data", command.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright top", "watch");
  line.example("gpuwright top --once | less", "one look, for a pager or a mail");
}

}  // namespace

int run_top(const std::vector<std::string>& arguments, const Console& console) {
  TopCommand command;
  CommandLine line("top",
                   "Watch the GPUs of this machine, their incidents, and who uses them. Needs no daemon.");
  declare(line, command);
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  const base::Result<catalog::Catalog> catalog = load_catalog(command.data);
  if (!catalog) return console.usage_error(catalog.error());
  auto options = options_of(command);
  if (!options) return console.usage_error(options.error());
  auto plan = watch::plan_series(catalog->metrics());
  if (!plan) return console.usage_error(plan.error());
  Top top(*catalog, *plan, std::move(*options), console);
  top.view().language = language_of(command.language);
  top.view().color = console.color;
  top.view().width = console.width;
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(::fileno(console.out)) == 1;
  if (terminal && !command.once && !command.json) {
    if (const auto watched = top.watch(); !watched) return console.usage_error(watched.error());
    return kFine;
  }
  const model::NodeState& state = top.look_once();
  console.print(command.json ? report::render_node_json(state, plan->series, *catalog) + "\n" : top.text());
  return state.gpus.empty() && !state.no_driver.empty() ? kCouldNotLook : kFine;
}

}  // namespace gpuwright::app
