// SPDX-License-Identifier: Apache-2.0
#include "report/fleet_text.h"

#include "base/text.h"
#include "report/differences.h"
#include "report/layout.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::NoAnswer;
using model::NodeReport;
using model::NodeVerdict;

constexpr std::size_t kShownOdd = 8;
constexpr std::int64_t kLeastGuiltShown = 25;
constexpr std::size_t kShownFine = 32;  // a longer list of nodes without findings is folded

struct Words {
  const char* word;
  const char* en;
  const char* zh;
};

const Words& words_of(NoAnswer why) {
  static constexpr std::array<Words, 8> kWords = {
      {{"unreachable", "unreachable", "无法连接"},
       {"denied", "not let in", "登录被拒绝"},
       {"timed_out", "no whole answer in time", "没有在时限内给出完整回答"},
       {"no_program", "no gpuwright there (binary=PATH, --binary)",
        "对端没有 gpuwright（用 binary=PATH 或 --binary 指定）"},
       {"too_old", "another version of gpuwright there", "对端的 gpuwright 版本不符"},
       {"bad_answer", "no whole answer", "回答不完整"},
       {"failed", "gpuwright failed there", "对端的 gpuwright 运行失败"},
       {"nothing_known", "nothing recognised there", "对端没有可识别的内容"}}};
  return kWords[static_cast<std::size_t>(why)];
}

class FleetText {
 public:
  FleetText(const model::FleetReport& fleet, const catalog::Catalog& catalog, const FleetTextOptions& options)
      : fleet_(fleet), catalog_(catalog), options_(options) {}

  std::string render() const {
    Layout layout(options_.width, options_.color);
    const auto count = [&](NodeVerdict verdict) { return fleet_.counts.count(verdict) > 0; };
    const bool bad = count(NodeVerdict::Critical) || count(NodeVerdict::Error);
    const bool warn = count(NodeVerdict::Unknown) || count(NodeVerdict::Warning);
    layout.line(bad ? Style::Bad : warn ? Style::Warn : Style::Good, fleet_line(fleet_, options_.language));
    layout.blank();
    std::string text = layout.text() + table() + odd_ones();
    if (!options_.next_command.empty()) {
      text += fmt::format("\n{}{}\n", say("next: ", "下一步："), options_.next_command);
    }
    return text;
  }

 private:
  std::string say(const char* en, const char* zh) const {
    return options_.language == Language::Chinese ? zh : en;
  }

  std::string table() const {
    Table table({say("node", "节点"), say("verdict", "结论"), say("root cause", "根本原因"),
                 say("subject", "对象"), say("since", "时间"), say("sure", "把握")},
                2);
    std::size_t fine = 0;
    for (const NodeReport& node : fleet_.nodes) {
      if (node.verdict == NodeVerdict::Fine && ++fine > kShownFine) continue;
      table.add(row(node));
    }
    std::string text = table.render(options_.width, options_.color);
    if (fine > kShownFine)
      text += fmt::format("+ {} {}\n", fine - kShownFine,
                          say("fine nodes (--json lists all)", "个正常节点（--json 列出全部）"));
    return text;
  }

  /// Of the odd ones those that are odd in something that matters.
  std::string odd_ones() const {
    if (fleet_.peers.names.size() < 3) return {};
    model::PeerReport shown = fleet_.peers;
    std::erase_if(shown.odd,
                  [](const model::OddOne& odd) { return odd.differences.front().guilt < kLeastGuiltShown; });
    if (shown.odd.size() > kShownOdd) shown.odd.resize(kShownOdd);
    Layout layout(options_.width, options_.color);
    layout.blank();
    const catalog::FactGuilt guilt(catalog_);
    add_peers(layout, shown, DifferenceWords(guilt, options_.language));
    return layout.text();
  }

  Table::Row row(const NodeReport& node) const {
    Table::Row row;
    row.style = node.verdict <= NodeVerdict::Error  ? Style::Bad
                : node.verdict == NodeVerdict::Fine ? Style::Good
                                                    : Style::Warn;
    row.cells = {base::printable(node.node, 60), node_verdict_text(node.verdict, options_.language)};
    if (node.no_answer) {
      row.cells.insert(row.cells.end(), {no_answer_text(node, options_.language), "", "", ""});
    } else if (node.findings.empty()) {
      row.cells.insert(row.cells.end(), {fine_text(node), "", "", ""});
    } else {
      const model::NodeFinding& top = node.findings.front();
      row.cells.insert(row.cells.end(),
                       {finding_text(node), node_subject_text(top, options_.language),
                        node_since_text(top, options_.language), fmt::format("{} %", top.sure)});
    }
    return row;
  }

  std::string finding_text(const NodeReport& node) const {
    const std::size_t others = node.findings.size() - 1;
    if (others == 0) return node.findings.front().title;
    return options_.language == Language::Chinese
               ? fmt::format("{}（另有 {} 个）", node.findings.front().title, others)
               : fmt::format("{} (and {} more)", node.findings.front().title, others);
  }

  std::string fine_text(const NodeReport& node) const {
    if (node.could_not_look.empty()) return say("no problem found", "没有发现问题");
    const std::string seen = say("no problem found in what could be seen", "在看得到的范围内没有发现问题");
    return options_.language == Language::Chinese
               ? fmt::format("{}（{} 处未能查看）", seen, node.could_not_look.size())
               : fmt::format("{} ({} could not be looked at)", seen, node.could_not_look.size());
  }

  const model::FleetReport& fleet_;
  const catalog::Catalog& catalog_;
  const FleetTextOptions& options_;
};

}  // namespace

const char* no_answer_word(NoAnswer why) {
  return words_of(why).word;
}

std::string no_answer_text(const NodeReport& node, Language language) {
  if (!node.no_answer) return {};
  const Words& words = words_of(*node.no_answer);
  const bool zh = language == Language::Chinese;
  const std::string what = zh ? words.zh : words.en;
  return node.detail.empty() ? what : what + (zh ? "：" : ": ") + node.detail;
}

std::string node_subject_text(const model::NodeFinding& finding, Language language) {
  return finding.subject.empty() ? subject_text(model::Subject(), language) : finding.subject;
}

std::string node_since_text(const model::NodeFinding& finding, Language language) {
  if (!finding.since_boot_s) return finding.since;
  return language == Language::Chinese ? fmt::format("开机后 {:.0f} 秒", *finding.since_boot_s)
                                       : fmt::format("{:.0f} s after boot", *finding.since_boot_s);
}

std::string node_verdict_text(NodeVerdict verdict, Language language) {
  static constexpr std::array<Words, 6> kWords = {{{"", "critical", "严重"},
                                                   {"", "error", "错误"},
                                                   {"", "unknown", "未知"},
                                                   {"", "warning", "警告"},
                                                   {"", "info", "提示"},
                                                   {"", "fine", "正常"}}};
  const Words& words = kWords[static_cast<std::size_t>(verdict)];
  return language == Language::Chinese ? words.zh : words.en;
}

std::string fleet_line(const model::FleetReport& fleet, Language language) {
  const bool zh = language == Language::Chinese;
  std::vector<std::string> parts;
  for (const auto& entry : fleet.counts)
    parts.push_back(fmt::format("{} {}", entry.second, node_verdict_text(entry.first, language)));
  const std::size_t count = fleet.nodes.size();
  return fmt::format("{} {}{}{}", count,
                     zh           ? "个节点"
                     : count == 1 ? "node"
                                  : "nodes",
                     zh ? "：" : ": ", base::join(parts, zh ? "，" : ", "));
}

std::string render_fleet_text(const model::FleetReport& fleet, const catalog::Catalog& catalog,
                              const FleetTextOptions& options) {
  return FleetText(fleet, catalog, options).render();
}

}  // namespace gpuwright::report
