// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/top.h"

#include "base/day.h"
#include "base/text.h"
#include "report/gpu_holders.h"
#include "report/gpu_signs.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::GpuState;
using model::LiveIncident;
using model::NodeState;

/// A value in the unit that people use for what the table counts in base units.
std::string with_unit(double value, const std::string& unit) {
  constexpr double kMega = 1e6, kHundred = 100;
  if (unit == "bytes") return memory_text(value);
  if (unit == "bytes_per_second") return rate_text(value);
  if (unit == "hertz") return fmt::format("{:.0f} MHz", value / kMega);
  if (unit == "ratio") return fmt::format("{:.1f} %", value * kHundred);
  if (unit == "celsius") return fmt::format("{:.0f} °C", value);
  if (unit == "watts") return fmt::format("{:.1f} W", value);
  if (unit == "seconds") return fmt::format("{:.3f} s", value);
  if (unit == "joules") return fmt::format("{:.0f} J", value);
  return fmt::format("{:.0f}", value);
}

class Top {
 public:
  Top(const NodeState& state, const catalog::Catalog& catalog, const catalog::GpuValues& values,
      const TopView& view)
      : state_(state), catalog_(catalog), values_(values), view_(view) {}

  void head() {
    StyledLine line;
    line.add("gpuwright top", Style::Good).add("  " + state_.host);
    std::set<std::string> models;
    for (const auto& entry : state_.gpus) {
      if (!entry.second.identity.name.empty()) models.insert(entry.second.identity.name);
    }
    if (!models.empty())
      line.add(fmt::format("  {} × {}", state_.gpus.size(),
                           models.size() == 1 ? *models.begin() : say("several models", "多种型号")));
    if (!state_.driver.driver_version.empty())
      line.add(say("  driver ", "  驱动 ") + state_.driver.driver_version);
    if (state_.driver.simulated) line.add(say("  SIMULATED", "  模拟"), Style::Warn);
    if (view_.paused) line.add(say("  PAUSED", "  已暂停"), Style::Warn);
    constexpr std::size_t kDay = 11;  // "2026-12-01 "
    put(line.add("  " + utc_text(state_.wall_s).substr(kDay), Style::Dim));
  }

  void summary() {
    if (!state_.no_driver.empty() && state_.gpus.empty())
      return put(StyledLine().add(say("no driver: ", "没有驱动：") + state_.no_driver, Style::Bad));
    const auto up = static_cast<std::size_t>(std::count_if(
        state_.gpus.begin(), state_.gpus.end(), [](const auto& entry) { return entry.second.up; }));
    StyledLine line;
    line.add(fmt::format("{} / {} {}", up, state_.gpus.size(), say("up", "正常")),
             up == state_.gpus.size() ? Style::Plain : Style::Bad);
    if (const auto busy = mean_busy())
      line.add(fmt::format(" · {} {:.0f} %", say("busy", "利用率"), *busy * 100));
    constexpr double kKilo = 1000;
    if (const auto watts = sum("power_watts")) line.add(fmt::format(" · {:.2f} kW", *watts / kKilo));
    if (const auto used = sum("memory_bytes/used"))
      line.add(fmt::format(" · {} / {}", memory_text(used), memory_text(sum("memory_bytes/total"))));
    const std::size_t open = state_.health.open.size();
    line.add(fmt::format(" · {} {}", open, say("incidents", "个事件")),
             open == 0 ? Style::Plain : style_of(state_.health.open.front()));
    put(line);
    if (state_.gpus_on_bus > static_cast<std::int64_t>(state_.gpus.size()))
      put(StyledLine().add(fmt::format("{} {}", state_.gpus_on_bus,
                                       say("NVIDIA GPUs are on the PCI bus: the driver does not know all",
                                           "个 NVIDIA GPU 在 PCI 总线上：驱动未识别全部")),
                           Style::Warn));
  }

  void panel() {
    lines_.emplace_back();
    const std::size_t begin = lines_.size();
    switch (view_.panel) {
      case TopPanel::Overview:
        incidents(false);
        users();
        break;
      case TopPanel::Incidents:
        incidents(true);
        break;
      case TopPanel::Gpu:
        all_values();
        break;
    }
    const std::size_t passed = std::min(view_.scrolled, lines_.size() - begin);
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(begin),
                 lines_.begin() + static_cast<std::ptrdiff_t>(begin + passed));
  }

  void add(std::vector<std::string> more) {
    for (std::string& line : more) lines_.push_back(std::move(line));
  }

  std::vector<std::string> take() {
    const auto height = static_cast<std::size_t>(std::max(0, view_.height));
    const std::size_t kept = view_.keys && height > 0 ? height - 1 : height;
    if (height > 0 && lines_.size() > kept) lines_.resize(kept);
    if (!view_.keys) return std::move(lines_);
    while (height > 0 && lines_.size() < kept) lines_.emplace_back();
    put(StyledLine().add(
        say("q quit  ↑↓ choose a GPU  ⏎ its values  i incidents  o overview  PgUp/PgDn scroll  "
            "space pause",
            "q 退出  ↑↓ 选择 GPU  ⏎ 全部数值  i 事件  o 概览  PgUp/PgDn 滚动  空格 暂停"),
        Style::Dim));
    return std::move(lines_);
  }

 private:
  std::string say(const char* en, const char* zh) const {
    return view_.language == Language::Chinese ? zh : en;
  }
  void put(const StyledLine& line) { lines_.push_back(line.render(view_.width, view_.color)); }

  static std::string utc_text(double unix_s) {
    constexpr double kNano = 1e9;
    return wall_time_text(static_cast<std::int64_t>(unix_s * kNano));
  }

  std::optional<double> sum(const char* key) const {
    std::optional<double> all;
    for (const auto& entry : state_.gpus) {
      if (const auto one = values_.of(entry.second, key)) all = all.value_or(0) + *one;
    }
    return all;
  }
  std::optional<double> mean_busy() const {
    double all = 0;
    int known = 0;
    for (const auto& entry : state_.gpus) {
      auto one = values_.of(entry.second, "utilization_ratio");
      if (!one) one = values_.of(entry.second, "graphics_active_ratio");
      if (!one) continue;
      all += *one;
      ++known;
    }
    return known == 0 ? std::nullopt : std::optional<double>(all / known);
  }

  static Style style_of(const LiveIncident& incident) {
    return incident.what.severity >= model::Severity::Error     ? Style::Bad
           : incident.what.severity == model::Severity::Warning ? Style::Warn
                                                                : Style::Plain;
  }

  std::string place(const LiveIncident& incident) const {
    if (const auto gpu = model::gpu_at(state_, incident.what.subject)) return fmt::format("GPU {}", *gpu);
    const std::string& subject = incident.what.subject;
    if (subject.starts_with('#')) return "GPU " + subject.substr(1);
    return subject.empty() ? say("this machine", "本机") : subject;
  }

  void incidents(bool whole) {
    put(StyledLine().add(say("INCIDENTS", "事件"), Style::Dim));
    if (!state_.health.could_not_look.empty())
      put(StyledLine().add(say("  could not look at the machine: ", "  无法检查本机：") +
                               base::printable(state_.health.could_not_look),
                           Style::Warn));
    if (state_.health.open.empty())
      put(StyledLine().add(state_.health.looked_s > 0 ? say("  none", "  无")
                                                      : say("  the first look goes on", "  首次检查进行中"),
                           Style::Dim));
    for (const LiveIncident& incident : state_.health.open) one_incident(incident, whole);
    lines_.emplace_back();
  }

  void one_incident(const LiveIncident& incident, bool whole) {
    const catalog::Cause* cause = catalog_.cause(incident.what.cause);
    const auto& params = incident.what.params;
    StyledLine line;
    line.add("  " + fit_left(severity_text(incident.what.severity, view_.language), 9) + " ",
             style_of(incident));
    line.add(fit_left(place(incident), 13) + " ");
    put(line.add(cause == nullptr ? incident.what.title : fill_in(cause->title.in(view_.language), params)));
    if (!whole) return;
    paragraph(say("since", "始于"), utc_text(incident.first_s));
    for (const std::string& evidence : incident.what.evidence)
      paragraph(say("evidence", "证据"), base::printable(evidence));
    if (cause == nullptr) return;
    for (const std::string& step : cause->now.in(view_.language))
      paragraph(say("now", "现在"), fill_in(step, params));
  }

  void paragraph(const std::string& name, const std::string& text) {
    constexpr int kIndent = 14;
    std::string first = name;
    for (const std::string& piece : wrap(text, std::max(20, view_.width - kIndent))) {
      put(StyledLine().add(fit_right(first, kIndent - 2), Style::Dim).to(kIndent).add(piece));
      first.clear();
    }
  }

  void users() {
    put(StyledLine().add(fmt::format("{}  {}  {}  {}  {}", fit_left(say("USERS", "使用者"), 6),
                                     fit_right("PID", 8), fit_right(say("MEMORY", "显存"), 10),
                                     fit_left(say("USER", "用户"), 10), say("PROGRAM, HOLDER", "程序，归属")),
                         Style::Dim));
    const std::size_t before = lines_.size();
    for (const auto& entry : state_.gpus) {
      for (const model::GpuUser& user : entry.second.users) one_user(entry.first, user);
      for (const model::GpuUser& user : entry.second.given) {
        if (idle(entry.second, user)) one_user(entry.first, user);
      }
    }
    if (lines_.size() == before) put(StyledLine().add(say("  none", "  无"), Style::Dim));
  }

  static bool idle(const GpuState& gpu, const model::GpuUser& given) {
    const std::string holder = model::holder_of(given);
    return std::none_of(gpu.users.begin(), gpu.users.end(),
                        [&](const auto& user) { return model::holder_of(user) == holder; });
  }

  void one_user(std::uint32_t index, const model::GpuUser& user) {
    const auto memory =
        user.memory_known ? std::optional<double>(static_cast<double>(user.memory_bytes)) : std::nullopt;
    const std::string holder = model::holder_of(user);
    std::string program = user.pid > 0 ? user.command : say("(runs nothing)", "（未运行）");
    if (holder != "user/" + user.user) program += "  " + holder;
    if (!user.why.empty()) program += "  (" + user.why + ")";
    put(StyledLine().add(fmt::format(
        "{}  {}  {}  {}  {}", fit_left(fmt::format("GPU {}", index), 6),
        fit_right(user.pid > 0 ? std::to_string(user.pid) : "–", 8), fit_right(memory_text(memory), 10),
        fit_left(base::printable(user.user.empty() ? "–" : user.user), 10), base::printable(program))));
  }

  void all_values() {
    if (state_.gpus.empty()) return;
    const auto at = std::next(state_.gpus.begin(),
                              static_cast<std::ptrdiff_t>(std::min(view_.chosen, state_.gpus.size() - 1)));
    const GpuState& gpu = at->second;
    put(StyledLine()
            .add(fmt::format("GPU {}", at->first), Style::Good)
            .add(fmt::format("  {}  {}  {}  {} {}", gpu.identity.name, gpu.identity.uuid, gpu.identity.pci,
                             say("serial", "序列号"),
                             gpu.identity.serial.empty() ? "–" : gpu.identity.serial)));
    constexpr int kColumn = 50;
    const int columns = std::max(1, view_.width / kColumn);
    StyledLine line;
    int filled = 0;
    for (const auto& [key, series] : values_.keys()) {
      const auto value = values_.of(gpu, key);
      if (!value) continue;
      line.to(filled * kColumn)
          .add("  " + fit_left(key, 34) + " ", Style::Dim)
          .add(with_unit(*value, series->family->unit));
      if (++filled < columns) continue;
      put(line);
      line = StyledLine();
      filled = 0;
    }
    if (filled > 0) put(line);
  }

  const NodeState& state_;
  const catalog::Catalog& catalog_;
  const catalog::GpuValues& values_;
  const TopView& view_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> render_top(const NodeState& state, const catalog::Catalog& catalog,
                                    const catalog::GpuValues& values, const model::RecentGpus& recent,
                                    const TopView& view) {
  Top top(state, catalog, values, view);
  top.head();
  top.summary();
  top.add({""});
  top.add(top_gpu_lines(state, values, recent, view));
  top.panel();
  return top.take();
}

}  // namespace gpuwright::report
