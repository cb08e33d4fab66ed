// Reads one row of data/signatures or data/causes, and refuses what does not follow the schema of
// docs/KNOWLEDGE.md.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "catalog/builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace gpuwright::catalog {

namespace {

using base::ErrorKind;
using base::make_error;
using kit::Node;

constexpr std::array kSubjects = {"",          "gpu", "link", "switch", "nic",  "pci", "process",
                                  "container", "pod", "node", "disk",   "host", "job"};
constexpr std::array kPlaces = {"gpu",     "link",       "peer",         "cable",       "switch",
                                "pcie",    "host-power", "cooling",      "host",        "memory",
                                "driver",  "firmware",   "container",    "application", "network",
                                "storage", "scheduler",  "configuration"};
constexpr std::array kScopes = {"gpu",       "link", "switch", "nic",  "pci",  "process",
                                "container", "pod",  "node",   "disk", "host", "job"};
constexpr std::array kActions = {"none",   "restart-application", "reset-gpu",  "reboot", "reseat", "rma",
                                 "update", "configure",           "gather-more"};
constexpr std::array kActors = {"user", "operator", "vendor"};

constexpr std::size_t kShortestWatched = 7;  // what the scanner can look for

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& allowed, const std::string& value) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

/// Collects the first complaint about a row.
class Complaints {
 public:
  Complaints(const Node& row, const std::string& file) : row_(row), file_(file) {}

  /// `what` is the complaint, or a function that makes it: rows are read at each start, and seldom wrong.
  template <class What>
  void require(bool holds, const What& what) {
    if (holds || !message_.empty()) return;
    if constexpr (std::is_invocable_v<What>) {
      message_ = what();
    } else {
      message_ = what;
    }
  }
  template <std::size_t N>
  void require_one_of(const std::array<const char*, N>& allowed, const std::string& value,
                      const char* field) {
    require(is_one_of(allowed, value),
            [&] { return fmt::format("{} '{}' is not one of the allowed words", field, value); });
  }
  void only_keys(const Node& map, std::initializer_list<const char*> allowed) {
    for (const auto& entry : map.entries) {
      const bool known =
          std::any_of(allowed.begin(), allowed.end(), [&](const char* key) { return entry.first == key; });
      require(known, [&] { return fmt::format("unknown field '{}'", entry.first); });
    }
  }
  bool any() const { return !message_.empty(); }
  base::Error error() const {
    return make_error(ErrorKind::Malformed, fmt::format("{}: {}", row_["id"].text(), message_),
                      fmt::format("{}:{}", file_, row_.line));
  }

 private:
  const Node& row_;
  const std::string& file_;
  std::string message_;
};

Text read_text(const Node& node) {
  return Text{node["en"].text(), node["zh"].text()};
}
TextList read_list(const Node& node) {
  return TextList{node["en"].texts(), node["zh"].texts()};
}

model::Severity read_severity(const std::string& word, Complaints& complaints) {
  constexpr std::array<std::pair<const char*, model::Severity>, 5> kWords = {
      {{"harmless", model::Severity::Harmless},
       {"info", model::Severity::Info},
       {"warning", model::Severity::Warning},
       {"error", model::Severity::Error},
       {"critical", model::Severity::Critical}}};
  for (const auto& entry : kWords) {
    if (word == entry.first) return entry.second;
  }
  complaints.require(false, fmt::format("severity '{}' is unknown", word));
  return model::Severity::Error;
}

/// "90s", "10m", "2h", "3d" in nanoseconds; `fallback` for an absent value.
std::int64_t read_duration(const Node& node, std::int64_t fallback, Complaints& complaints) {
  if (node.is_null()) return fallback;
  const std::string& text = node.text();
  const std::optional<std::int64_t> count =
      text.empty() ? std::nullopt : base::parse_int(std::string_view(text).substr(0, text.size() - 1));
  const char unit = text.empty() ? '?' : text.back();
  const std::int64_t seconds = unit == 's'   ? 1
                               : unit == 'm' ? 60
                               : unit == 'h' ? 3600
                               : unit == 'd' ? 86400
                                             : 0;
  complaints.require(count.has_value() && seconds > 0,
                     [&] { return fmt::format("'{}' is no duration like 90s, 10m, 2h, 3d", text); });
  return count.value_or(0) * seconds * 1'000'000'000;
}

Raise read_raise(const Node& node, Complaints& complaints) {
  complaints.only_keys(node, {"signal", "sure", "when", "with", "without"});
  Raise raise;
  raise.signal = node["signal"].text();
  raise.sure = base::parse_int(node["sure"].text()).value_or(-1);
  for (const auto& entry : node["when"].entries) raise.when[entry.first] = entry.second.texts();
  raise.with = node["with"].texts();
  raise.without = node["without"].texts();
  complaints.require(!raise.signal.empty(), "raised_by needs a signal");
  complaints.require(raise.sure > 0 && raise.sure <= 100, "raised_by needs `sure` from 1 to 100");
  return raise;
}

Explain read_explain(const Node& node, Complaints& complaints) {
  complaints.only_keys(node, {"signal", "on", "within", "before"});
  Explain explain;
  explain.signal = node["signal"].text();
  const std::string on = node["on"].text();
  complaints.require(on == "same" || on == "path" || on == "host" || on == "peer",
                     [&] { return fmt::format("explains.on '{}' is not same, path, host or peer", on); });
  explain.on = on == "same"   ? ExplainScope::Same
               : on == "path" ? ExplainScope::Path
               : on == "peer" ? ExplainScope::Peer
                              : ExplainScope::Host;
  explain.within_ns = read_duration(node["within"], explain.within_ns, complaints);
  explain.before_ns = read_duration(node["before"], explain.before_ns, complaints);
  complaints.require(!explain.signal.empty(), "explains needs a signal");
  return explain;
}

void check_texts(const Cause& cause, Complaints& complaints) {
  complaints.require(!cause.title.en.empty() && !cause.title.zh.empty(), "title needs en and zh");
  complaints.require(!cause.why.en.empty() && !cause.why.zh.empty(), "why needs en and zh");
  complaints.require(cause.now.en.size() == cause.now.zh.size(),
                     "now has another number of steps in zh than in en");
  complaints.require(cause.later.en.size() == cause.later.zh.size(),
                     "later has another number of steps in zh than in en");
  complaints.require(cause.decide.en.size() == cause.decide.zh.size(),
                     "decide has another number of steps in zh than in en");
  const bool harmless = cause.severity == model::Severity::Harmless;
  complaints.require(harmless || !cause.now.en.empty(), "now needs at least one step");
  const bool unsure = std::all_of(cause.raised_by.begin(), cause.raised_by.end(),
                                  [](const Raise& raise) { return raise.sure < 60; });
  complaints.require(harmless || !(unsure || cause.action_now == "gather-more") || !cause.decide.en.empty(),
                     "a symptom needs `decide`: the evidence that would settle it");
}

/// The names of an expression's groups, in order; all its groups are named.
void name_groups(Signature& signature) {
  static constexpr std::string_view kOpen = "(?P<";
  for (std::size_t at = signature.regex.find(kOpen); at != std::string::npos;
       at = signature.regex.find(kOpen, at + 1)) {
    const std::size_t begin = at + kOpen.size();
    const std::size_t end = signature.regex.find('>', begin);
    if (end == std::string::npos) return;
    signature.captures.push_back(signature.regex.substr(begin, end - begin));
  }
}

}  // namespace

base::Result<Signature> read_signature(const Node& row, const std::string& file) {
  Complaints complaints(row, file);
  complaints.only_keys(row, {"id", "signal", "level", "subject", "match", "regex", "literal", "set",
                             "inherit", "key", "decode", "source", "examples", "near_miss"});
  Signature signature;
  signature.id = row["id"].text();
  signature.signal = row["signal"].text();
  signature.level = row["level"].text() == "context" ? model::EventLevel::Context : model::EventLevel::Alarm;
  signature.subject = row["subject"].text();
  signature.regex = row["regex"].text();
  signature.literals = row["literal"].texts();
  name_groups(signature);
  for (const auto& entry : row["set"].entries) signature.set[entry.first] = entry.second.text();
  signature.inherit_from = row["inherit"]["from"].text();
  signature.inherit_lines = base::parse_int(row["inherit"]["lines"].text()).value_or(0);
  signature.key = row["key"].texts();
  signature.decode = row["decode"].text();
  signature.source = row["source"].text();
  for (const std::string& text : row["match"].texts()) {
    base::Result<Template> compiled = compile_template(text, signature.captures);
    complaints.require(compiled.ok(), compiled.ok() ? "" : compiled.error().message);
    if (compiled) signature.templates.push_back(std::move(compiled).value());
  }
  complaints.require(!signature.id.empty(), "a signature needs an id");
  complaints.require(!signature.signal.empty() || !signature.decode.empty(), "needs signal or decode");
  complaints.require(signature.templates.empty() != signature.regex.empty(), "needs either match or regex");
  const bool watchable =
      !signature.literals.empty() &&
      std::all_of(signature.literals.begin(), signature.literals.end(),
                  [](const std::string& literal) { return literal.size() >= kShortestWatched; });
  complaints.require(signature.regex.empty() || watchable, "a regex needs literals of 7 bytes or more");
  complaints.require(signature.captures.size() <= 12, "more than 12 captures");
  complaints.require(!signature.source.empty(), "needs a source");
  complaints.require_one_of(kSubjects, signature.subject, "subject");
  if (complaints.any()) return complaints.error();
  return signature;
}

base::Result<Cause> read_cause(const Node& row, const std::string& file) {
  Complaints complaints(row, file);
  complaints.only_keys(row, {"id", "title", "at", "scope", "severity", "who", "action", "raised_by",
                             "explains", "contradicted_by", "why", "now", "later", "decide", "sources"});
  Cause cause;
  cause.id = row["id"].text();
  cause.title = read_text(row["title"]);
  cause.at = row["at"].text();
  cause.scope = row["scope"].text();
  cause.severity = read_severity(row["severity"].text(), complaints);
  cause.who = row["who"].text();
  cause.action_now = row["action"]["now"].text();
  cause.action_later = row["action"]["later"].text();
  for (const Node& raise : row["raised_by"].items) cause.raised_by.push_back(read_raise(raise, complaints));
  for (const Node& explain : row["explains"].items)
    cause.explains.push_back(read_explain(explain, complaints));
  cause.contradicted_by = row["contradicted_by"].texts();
  cause.why = read_text(row["why"]);
  cause.now = read_list(row["now"]);
  cause.later = read_list(row["later"]);
  cause.decide = read_list(row["decide"]);
  cause.sources = row["sources"].texts();
  complaints.require(!cause.id.empty(), "a cause needs an id");
  complaints.require_one_of(kPlaces, cause.at, "at");
  complaints.require_one_of(kScopes, cause.scope, "scope");
  complaints.require_one_of(kActors, cause.who, "who");
  complaints.require_one_of(kActions, cause.action_now, "action.now");
  complaints.require_one_of(kActions, cause.action_later, "action.later");
  complaints.require(!cause.raised_by.empty(), "raised_by needs at least one signal");
  complaints.require(!cause.sources.empty(), "needs sources");
  check_texts(cause, complaints);
  if (complaints.any()) return complaints.error();
  return cause;
}

}  // namespace gpuwright::catalog
