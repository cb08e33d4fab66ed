// SPDX-License-Identifier: Apache-2.0
#include "report/differences.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::DifferenceKind;
using model::FactDifference;

constexpr std::size_t kShownValue = 80;
constexpr std::size_t kShownFurther = 4;  // differences of one machine after the first
constexpr std::size_t kShownChanges = 8;
constexpr std::size_t kShownSplits = 5;
constexpr std::size_t kShownAlso = 3;
constexpr std::size_t kShownNames = 6;

/// The text between the last pair of these signs, if the path ends with it or goes on with a dot.
std::string between(const std::string& path, char open, char close) {
  const auto end = path.rfind(close);
  const auto begin = end == std::string::npos ? end : path.rfind(open, end);
  return begin == std::string::npos ? "" : path.substr(begin + 1, end - begin - 1);
}

std::string also_text(const FactDifference& difference, const DifferenceWords& words) {
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < difference.also.size() && at < kShownAlso; ++at)
    shown.push_back(base::printable(difference.also[at], kShownValue));
  std::string text = base::join(shown, ", ");
  if (difference.also.size() > kShownAlso)
    text += fmt::format(" + {} {}", difference.also.size() - kShownAlso, words.say("more", "项"));
  return text;
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShownNames)));
  std::string text = base::join(shown, ", ");
  if (names.size() > kShownNames) text += fmt::format(" + {}", names.size() - kShownNames);
  return text;
}

/// How the peers of an odd one are called: of two machines by name.
std::string others_name(const model::PeerReport& peers) {
  return peers.names.size() == 2 ? peers.names.front() : "";
}

std::string odd_line(const model::OddOne& odd, const model::PeerReport& peers, const DifferenceWords& words) {
  const std::string difference = words.odd(odd.differences.front(), others_name(peers));
  const std::string name = base::printable(odd.name, kShownValue);
  const std::string others = others_name(peers);
  if (words.language() == Language::Chinese) {
    return others.empty() ? fmt::format("{} 与其他 {} 个不同：{}", name, peers.names.size() - 1, difference)
                          : fmt::format("{} 与 {} 不同：{}", name, others, difference);
  }
  return others.empty()
             ? fmt::format("{} differs from {} peers: {}", name, peers.names.size() - 1, difference)
             : fmt::format("{} differs from {}: {}", name, others, difference);
}

void add_odd(Layout& layout, const model::OddOne& odd, const model::PeerReport& peers,
             const DifferenceWords& words) {
  const FactDifference& first = odd.differences.front();
  layout.line(Style::Warn, odd_line(odd, peers, words));
  if (const std::string why = words.why(first.path); !why.empty())
    layout.field(words.say("why", "原因"), why);
  layout.field(words.say("fact", "事实"), base::printable(first.path));
  if (!first.also.empty()) layout.field(words.say("also in", "还见于"), also_text(first, words));
  for (std::size_t at = 1; at < odd.differences.size() && at <= kShownFurther; ++at)
    layout.field(at == 1 ? words.say("then", "其次") : "",
                 "- " + words.odd(odd.differences[at], others_name(peers)));
  if (odd.differences.size() > kShownFurther + 1) {
    layout.field("", fmt::format("+ {} {}", odd.differences.size() - kShownFurther - 1,
                                 words.say("smaller differences (--json)", "处较小的不同（--json）")));
  }
}

void write_difference(base::JsonWriter& json, const FactDifference& difference,
                      const DifferenceWords& words) {
  const auto text_or_null = [&](const char* key, const std::string& text) {
    json.key(key);
    text.empty() ? json.null() : json.string(text);
  };
  json.begin_object();
  json.key("kind").string(difference.kind == DifferenceKind::Differs   ? "differs"
                          : difference.kind == DifferenceKind::Missing ? "missing"
                                                                       : "extra");
  json.key("fact").string(difference.path);
  json.key("title").string(words.name(difference.path));
  text_or_null("value", difference.value);
  text_or_null("others", difference.others);
  json.key("agree").integer(difference.agree);
  json.key("guilt").integer(difference.guilt);
  text_or_null("why", words.why(difference.path));
  json.key("also").begin_array();
  for (const std::string& path : difference.also) json.string(path);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string DifferenceWords::name(const std::string& path) const {
  const catalog::FactRow& row = guilt_.of(path);
  std::string title = row.title.in(language_);
  if (title.empty()) return base::printable(path, kShownValue);
  if (path.ends_with('}')) return title + " " + base::printable(between(path, '{', '}'), kShownValue);
  const std::string key = base::printable(between(path, '[', ']'), kShownValue);
  if (key.empty()) return title;
  if (path.ends_with(']')) return title + " " + key;
  if (language_ != Language::Chinese) return fmt::format("{} of {}", title, key);
  const bool latin = static_cast<unsigned char>(title.front()) < 0x80;  // a space between the scripts
  return fmt::format("{} 的{}{}", key, latin ? " " : "", title);
}

std::string DifferenceWords::value(const std::string& text) const {
  if (text.empty()) return say("none", "无");
  if (text == "true") return say("on", "开");
  if (text == "false") return say("off", "关");
  return base::printable(text, kShownValue);
}

std::string DifferenceWords::odd(const FactDifference& difference, const std::string& others) const {
  const std::string what = name(difference.path);
  switch (difference.kind) {
    case DifferenceKind::Missing:
      return fmt::format("{} {}", what, say("is missing", "缺失"));
    case DifferenceKind::Extra:
      return fmt::format("{} {}", what, say("is there besides", "为多出的部分"));
    case DifferenceKind::Differs:
      break;
  }
  const std::string who = others.empty() ? say("others", "其他为") : others;
  return language_ == Language::Chinese
             ? fmt::format("{} {}（{} {}）", what, value(difference.value), who, value(difference.others))
             : fmt::format("{} {} ({} {})", what, value(difference.value), who, value(difference.others));
}

std::string DifferenceWords::change(const FactDifference& difference) const {
  const std::string what = name(difference.path);
  if (difference.kind == DifferenceKind::Missing) return fmt::format("{} {}", what, say("is gone", "已不在"));
  if (difference.kind == DifferenceKind::Extra) return fmt::format("{} {}", what, say("is new", "为新增"));
  return fmt::format("{}{}{} -> {}", what, say(": ", "："), value(difference.others),
                     value(difference.value));
}

std::string DifferenceWords::why(const std::string& path) const {
  return guilt_.of(path).why.in(language_);
}

std::string peers_line(const model::PeerReport& peers, const DifferenceWords& words) {
  if (!peers.odd.empty()) return odd_line(peers.odd.front(), peers, words);
  return peers.names.size() < 2 ? words.say("nothing to compare with", "没有可比较的对象")
                                : words.say("none differs from its peers", "没有与同类不同的");
}

void add_peers(Layout& layout, const model::PeerReport& peers, const DifferenceWords& words) {
  if (peers.odd.empty()) layout.line(Style::Good, peers_line(peers, words));
  for (const model::OddOne& odd : peers.odd) {
    if (&odd != &peers.odd.front()) layout.blank();
    add_odd(layout, odd, peers, words);
  }
  for (std::size_t at = 0; at < peers.splits.size() && at < kShownSplits; ++at) {
    const model::FactSplit& split = peers.splits[at];
    if (at == 0) {
      layout.blank();
      layout.line(Style::Plain, words.say("in groups, none a clear majority:", "分成几组，没有明显多数："));
    }
    std::vector<std::string> groups;
    for (const model::FactSplit::Group& group : split.groups)
      groups.push_back(fmt::format("{} ({})", words.value(group.value), names_text(group.names)));
    layout.field("", "- " + words.name(split.path) + ": " + base::join(groups, "; "));
  }
}

void add_changes(Layout& layout, const model::ChangeReport& changes, const DifferenceWords& words) {
  const std::string since = base::printable(changes.since, kShownValue);
  if (changes.changes.empty()) {
    layout.line(Style::Plain, words.language() == Language::Chinese
                                  ? fmt::format("自 {} 以来没有看到变化", since)
                                  : fmt::format("nothing was seen to have changed since {}", since));
    return;
  }
  layout.line(Style::Plain, words.language() == Language::Chinese
                                ? fmt::format("自 {} 以来的变化，最可疑的在前：", since)
                                : fmt::format("what changed since {}, guiltiest first:", since));
  for (std::size_t at = 0; at < changes.changes.size() && at < kShownChanges; ++at) {
    const FactDifference& change = changes.changes[at];
    layout.field(fmt::format("{}.", at + 1), words.change(change));
    const std::string why = at < 3 ? words.why(change.path) : "";
    if (!why.empty()) layout.field("", why);
    if (at < 3 && !change.also.empty())
      layout.field("", words.say("also in ", "还见于 ") + also_text(change, words));
  }
  if (changes.changes.size() > kShownChanges) {
    layout.field("", fmt::format("+ {} {}", changes.changes.size() - kShownChanges,
                                 words.say("smaller changes (--json)", "处较小的变化（--json）")));
  }
}

void write_peers(base::JsonWriter& json, const model::PeerReport& peers, const DifferenceWords& words) {
  json.key("odd").begin_array();
  for (const model::OddOne& odd : peers.odd) {
    json.begin_object();
    json.key("name").string(odd.name);
    json.key("differences").begin_array();
    for (const FactDifference& difference : odd.differences) write_difference(json, difference, words);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("splits").begin_array();
  for (const model::FactSplit& split : peers.splits) {
    json.begin_object();
    json.key("fact").string(split.path);
    json.key("title").string(words.name(split.path));
    json.key("guilt").integer(split.guilt);
    json.key("groups").begin_array();
    for (const model::FactSplit::Group& group : split.groups) {
      json.begin_object();
      json.key("value").string(group.value);
      json.key("names").begin_array();
      for (const std::string& name : group.names) json.string(name);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_changes(base::JsonWriter& json, const model::ChangeReport& changes, const DifferenceWords& words) {
  json.begin_object();
  json.key("since").string(changes.since);
  json.key("symptom").string(changes.symptom);
  json.key("place").string(changes.place);
  json.key("changes").begin_array();
  for (const FactDifference& change : changes.changes) write_difference(json, change, words);
  json.end_array();
  json.end_object();
}

}  // namespace gpuwright::report
