// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"
#include "base/text.h"
#include "report/layout.h"
#include "report/usage.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::FleetUsage;
using model::SickReason;

constexpr double kSecondsPerHour = 3600;
constexpr std::size_t kShownHolders = 20;

std::string hours(double seconds) {
  const double value = seconds / kSecondsPerHour;
  return value < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

std::string duration(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 2 * kMinute) return fmt::format("{} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{} h", seconds / kHour);
  return fmt::format("{} d", seconds / kDay);
}

double lost_seconds(const model::UsageLedger& ledger) {
  double lost = 0;
  for (const model::GpuTime& time : ledger.classes) lost += time.lost_seconds;
  return lost;
}

class UsageText {
 public:
  UsageText(const FleetUsage& usage, const catalog::Catalog& catalog, const UsageTextOptions& options)
      : usage_(usage), catalog_(catalog), options_(options) {}

  std::string render() const {
    const SickCounts sick = count_sick(usage_);
    Layout layout(options_.width, options_.color);
    layout.line(sick.silent_nodes + sick.sick_gpus > 0 ? Style::Bad : Style::Good,
                usage_line(usage_, options_.language));
    layout.line(Style::Dim, asked());
    return layout.text() + problems() + ledger() + holders() + notes();
  }

 private:
  std::string say(const char* en, const char* zh) const {
    return options_.language == Language::Chinese ? zh : en;
  }
  std::string asked() const {
    const std::string span = duration(usage_.end - usage_.begin), until = base::second_text(usage_.end);
    if (options_.language == Language::Chinese)
      return fmt::format("{}，截至 {} 的 {}，每 {} 取一次", usage_.prometheus, until, span,
                         duration(usage_.ledger.step));
    return fmt::format("{}, {} until {}, one look every {}", usage_.prometheus, span, until,
                       duration(usage_.ledger.step));
  }
  std::string sick_text(SickReason reason) const {
    switch (reason) {
      case SickReason::NodeSilent:
        return say("its node does not answer Prometheus", "节点未应答 Prometheus");
      case SickReason::GpuSilent:
        return say("does not answer", "无应答");
      case SickReason::Gone:
        return say("has gone from its node, which answers", "已从应答的节点上消失");
      case SickReason::Critical:
        return say("critical: incident, row not replaced, or recovery asked for",
                   "严重：事件、行替换失败或要求恢复");
      case SickReason::None:
        break;
    }
    return {};
  }

  std::string problems() const;
  void add_silent_nodes(Table& table, std::set<std::string>& silent) const;
  std::string ledger() const;
  Table::Row class_row(std::size_t at) const;
  std::string holders() const;
  std::string notes() const;
  std::string price_note() const;
  std::string board_price(const model::FleetGpu& board) const;
  std::string money(double value) const {
    return usage_.ledger.priced_gpus > 0 ? fmt::format("{:.2f}", value) : std::string("?");
  }
  std::string share(double part) const {
    const auto all = static_cast<double>(usage_.ledger.total_seconds());
    return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : std::string("-");
  }

  const FleetUsage& usage_;
  const catalog::Catalog& catalog_;
  const UsageTextOptions& options_;
};

void UsageText::add_silent_nodes(Table& table, std::set<std::string>& silent) const {
  std::map<std::string, std::int64_t> since;
  for (const model::GpuUsage& gpu : usage_.ledger.gpus) {
    if (gpu.sick_now == SickReason::NodeSilent) since[usage_.nodes[gpu.node]] = gpu.same_for;
  }
  for (const auto& [node, seconds] : since) {
    silent.insert(node);
    table.add({{node_name(node), say("all", "全部"),
                say("node does not answer Prometheus", "节点未应答 Prometheus"), duration(seconds)},
               Style::Bad});
  }
}

std::string UsageText::problems() const {
  Table table({say("node", "节点"), "GPU", say("what", "内容"), say("for", "持续")}, 2);
  std::set<std::string> silent;
  add_silent_nodes(table, silent);
  std::size_t rows = silent.size();
  for (const model::GpuUsage& gpu : usage_.ledger.gpus) {
    if (gpu.sick_now == SickReason::None || gpu.sick_now == SickReason::NodeSilent) continue;
    ++rows;
    table.add({{node_name(usage_.nodes[gpu.node]), usage_.gpus[gpu.gpu].index, sick_text(gpu.sick_now),
                duration(gpu.same_for)},
               Style::Bad});
  }
  for (const model::FleetIncident& incident : usage_.incidents) {
    ++rows;
    table.add({{node_name(incident.node), incident.gpu,
                fmt::format("{} {}{}", incident.severity, incident.cause,
                            incident.subject.empty() ? "" : " (" + incident.subject + ")"),
                duration(std::max<std::int64_t>(0, usage_.end - static_cast<std::int64_t>(incident.since)))},
               incident.severity == "critical" ? Style::Bad : Style::Warn});
  }
  for (const model::FleetXids& xids : usage_.xids) {
    ++rows;
    table.add({{node_name(xids.node), xids.gpu, fmt::format("Xid {} x {:.0f}", xids.xid, xids.count), ""},
               Style::Warn});
  }
  return rows == 0 ? std::string() : "\n" + table.render(options_.width, options_.color);
}

Table::Row UsageText::class_row(std::size_t at) const {
  const catalog::UsageClassRow& row = catalog_.fleet().classes[at];
  const model::GpuTime& time = usage_.ledger.classes[at];
  const auto seconds = static_cast<double>(time.seconds);
  Table::Row cells;
  cells.cells = {options_.language == Language::Chinese ? row.title_zh : row.title, hours(seconds),
                 share(seconds), hours(time.lost_seconds), money(time.lost_cost)};
  if (row.counts == "none") cells.cells[3] = cells.cells[4] = "-";
  if (time.lost_seconds > 0) cells.style = Style::Warn;
  return cells;
}

std::string UsageText::ledger() const {
  Table table({say("where GPU time went", "GPU 时间去向"), say("GPU-hours", "GPU 小时"), say("share", "占比"),
               say("lost", "损失"), say("lost, US$", "损失（美元）")},
              0);
  // What is used first, then what is lost, then what nobody knows.
  constexpr std::array<std::size_t, model::kUsageClasses> kOrder = {2, 3, 4, 1, 5, 6, 0};
  double lost = 0, lost_cost = 0;
  for (const std::size_t at : kOrder) {
    table.add(class_row(at));
    lost += usage_.ledger.classes[at].lost_seconds;
    lost_cost += usage_.ledger.classes[at].lost_cost;
  }
  const auto all = static_cast<double>(usage_.ledger.total_seconds());
  table.add({{say("total", "合计"), hours(all), share(all), hours(lost), money(lost_cost)}, Style::Plain});
  return "\n" + table.render(options_.width, options_.color);
}

std::string UsageText::holders() const {
  const auto& all = usage_.ledger.holders;
  if (all.empty()) return {};
  Table table({say("user", "使用者"), say("job", "作业"), say("GPU-hours", "GPU 小时"), say("used", "有效"),
               say("throttled", "降频"), say("idle", "空闲"), say("cost, US$", "成本（美元）"),
               say("lost, US$", "损失（美元）")},
              1);
  for (std::size_t i = 0; i < std::min(all.size(), kShownHolders); ++i) {
    const model::HolderUsage& one = all[i];
    const model::FleetHolder& who = usage_.holders[one.holder];
    table.add({{who.user.empty() ? "-" : who.user, one.holder == 0 ? say("nobody known", "未知") : who.name,
                hours(one.all()), hours(one.seconds[0]), hours(one.seconds[1]), hours(one.seconds[2]),
                money(one.cost), money(one.lost_cost)},
               Style::Plain});
  }
  std::string text = "\n" + table.render(options_.width, options_.color);
  if (all.size() > kShownHolders)
    text += fmt::format("+ {} {}\n", all.size() - kShownHolders,
                        say("more (--json lists all)", "个（--json 列出全部）"));
  return text;
}

/// What one board costs, and where that is known from.
std::string UsageText::board_price(const model::FleetGpu& board) const {
  std::string text = board.name.empty() ? say("boards without a name", "未知型号") : board.name;
  if (!board.price_per_hour) return text + say(": no price", "：没有价格");
  text += fmt::format(" {}", *board.price_per_hour);
  for (const catalog::GpuPriceRow& row : catalog_.fleet().prices) {
    if (usage_.price_file.empty() && base::matches_wildcard(row.gpu, board.name))
      return text +
             fmt::format(fmt::runtime(say(" ({} to {}, {} offers, {})", "（{} 至 {}，{} 个报价，{}）")),
                         row.lowest, row.highest, row.offers, row.as_of);
  }
  return text;
}

std::string UsageText::price_note() const {
  if (usage_.own_price)
    return fmt::format(fmt::runtime(say("at your {} US$ a GPU-hour", "按您给出的每 GPU 小时 {} 美元")),
                       *usage_.own_price);
  std::string text =
      usage_.price_file.empty()
          ? say("an estimate: the middle of clouds' list prices on demand, US$ a GPU-hour, not what you pay "
                "(--price, --price-per-gpu-hour)",
                "估算：云厂商按需目录价（美元/GPU 小时）的中位数，并非您的实际支出（--price、"
                "--price-per-gpu-hour）")
          : say("prices of ", "价格取自 ") + usage_.price_file;
  std::set<std::string> said;
  for (const model::GpuUsage& gpu : usage_.ledger.gpus) {
    const model::FleetGpu& board = usage_.gpus[gpu.gpu];
    if (said.insert(board.name).second) text += say("; ", "；") + board_price(board);
  }
  const auto without = static_cast<std::int64_t>(usage_.ledger.gpus.size()) - usage_.ledger.priced_gpus;
  if (without > 0)
    text += fmt::format(fmt::runtime(say("; {} GPUs without a price are not in the money",
                                         "；{} 个 GPU 没有价格，未计入金额")),
                        without);
  return text;
}

std::string UsageText::notes() const {
  Layout layout(options_.width, options_.color);
  layout.blank();
  layout.field(say("money", "金额"), price_note());
  if (!usage_.holders_known)
    layout.field(say("holders", "占用者"),
                 say("nobody told who holds GPUs: what is in use is known, idle allocations are not",
                     "没有占用信息：可知使用情况，无法识别空闲占用"));
  if (!usage_.waiting_known)
    layout.field(
        say("fragments", "碎片"),
        say("unknown, and part of unallocated: nobody told what waits for GPUs (kube-state-metrics, or "
            "--waiting GPUS)",
            "未知，计入未分配：没有等待任务的信息（kube-state-metrics 或 --waiting GPUS）"));
  if (usage_.ledger.clock_unknown)
    layout.field(say("throttled", "降频"),
                 say("of some GPUs no highest clock is known: more is lost than is told",
                     "部分 GPU 的最高时钟未知：实际损失更多"));
  for (const std::string& warning : usage_.warnings) layout.field("Prometheus", warning);
  for (const catalog::UsageClassRow& row : catalog_.fleet().classes)
    layout.field(options_.language == Language::Chinese ? row.title_zh : row.title,
                 class_meaning(catalog_, row, options_.language));
  return layout.text();
}

}  // namespace

std::string node_name(const std::string& instance) {
  const std::size_t colon = instance.rfind(':');
  if (colon == std::string::npos || instance.find(':') != colon) return instance;
  return instance.substr(0, colon);
}

const char* sick_word(SickReason reason) {
  switch (reason) {
    case SickReason::NodeSilent:
      return "node_silent";
    case SickReason::GpuSilent:
      return "gpu_silent";
    case SickReason::Gone:
      return "gone";
    case SickReason::Critical:
      return "critical";
    case SickReason::None:
      break;
  }
  return "none";
}

std::string class_meaning(const catalog::Catalog& catalog, const catalog::UsageClassRow& row,
                          Language language) {
  const std::string load = fmt::format("{} %", catalog.threshold("fleet.idle_utilization"));
  const std::string hold = fmt::format("{} min", catalog.threshold("fleet.idle_minutes"));
  const std::string& text = language == Language::Chinese ? row.meaning_zh : row.meaning;
  return base::replace_all(base::replace_all(text, "@idle_load@", load), "@idle_hold@", hold);
}

SickCounts count_sick(const FleetUsage& usage) {
  SickCounts counts;
  std::map<std::uint32_t, bool> nodes;
  for (const model::GpuUsage& gpu : usage.ledger.gpus) {
    const bool silent = gpu.sick_now == SickReason::NodeSilent;
    nodes[gpu.node] = nodes[gpu.node] || silent;
    counts.sick_gpus += gpu.sick_now != SickReason::None ? 1 : 0;
  }
  counts.nodes = static_cast<std::int64_t>(nodes.size());
  counts.silent_nodes = std::count_if(nodes.begin(), nodes.end(), [](const auto& one) { return one.second; });
  return counts;
}

std::string usage_line(const FleetUsage& usage, Language language) {
  const SickCounts sick = count_sick(usage);
  const auto all = static_cast<double>(usage.ledger.total_seconds());
  const double lost = all > 0 ? 100 * lost_seconds(usage.ledger) / all : 0;
  if (language == Language::Chinese)
    return fmt::format("{} 个节点，{} 个 GPU：{} 个节点无应答，{} 个 GPU 故障；{} GPU 小时中损失 {:.1f} %",
                       sick.nodes, usage.ledger.gpus.size(), sick.silent_nodes, sick.sick_gpus, hours(all),
                       lost);
  const auto count = [](std::int64_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  return fmt::format("{}, {}: {} silent, {} sick; {:.1f} % of {} GPU-hours lost", count(sick.nodes, "node"),
                     count(static_cast<std::int64_t>(usage.ledger.gpus.size()), "GPU"),
                     count(sick.silent_nodes, "node"), count(sick.sick_gpus, "GPU"), lost, hours(all));
}

std::string render_usage_text(const FleetUsage& usage, const catalog::Catalog& catalog,
                              const UsageTextOptions& options) {
  return UsageText(usage, catalog, options).render();
}

}  // namespace gpuwright::report
