// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "report/layout.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using catalog::Catalog;
using catalog::Cause;
using catalog::Language;

/// Catalog text outside a finding: a parameter is shown by its name.
std::string generic(const std::string& text) {
  return base::replace_all(base::replace_all(text, "{", "<"), "}", ">");
}

std::string say(Language language, const char* en, const char* zh) {
  return language == Language::Chinese ? zh : en;
}

void list(Layout& layout, const std::string& name, const std::vector<std::string>& items) {
  bool first = true;
  for (const std::string& item : items) {
    layout.field(first ? name : "", "- " + generic(item));
    first = false;
  }
}

std::string raise_text(const catalog::Raise& raise, Language language) {
  std::string text = fmt::format("{} ({} %)", raise.signal, raise.sure);
  for (const auto& condition : raise.when) {
    text += fmt::format(" {} {} = {}", say(language, "when", "当"), condition.first,
                        base::join(condition.second, " | "));
  }
  if (!raise.with.empty()) text += " " + say(language, "with ", "同时有 ") + base::join(raise.with, ", ");
  if (!raise.without.empty())
    text += " " + say(language, "without ", "没有 ") + base::join(raise.without, ", ");
  return text;
}

/// Ids of the causes that the signal can raise, the surest first.
std::vector<std::string> causes_of(const std::string& signal, const Catalog& catalog) {
  std::map<std::string, std::int64_t> sure;
  for (const Cause& cause : catalog.causes()) {
    for (const catalog::Raise& raise : cause.raised_by) {
      if (base::matches_signal_glob(raise.signal, signal))
        sure[cause.id] = std::max(sure[cause.id], raise.sure);
    }
  }
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  ranked.reserve(sure.size());
  for (const auto& entry : sure) ranked.emplace_back(-entry.second, entry.first);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> ids;
  ids.reserve(ranked.size());
  for (const auto& entry : ranked) ids.push_back(entry.second);
  return ids;
}

void list_causes(Layout& layout, const std::vector<std::string>& ids, const Catalog& catalog,
                 Language language) {
  constexpr std::size_t kShown = 8;
  bool first = true;
  for (std::size_t i = 0; i < ids.size() && i < kShown; ++i) {
    const Cause* cause = catalog.cause(ids[i]);
    layout.field(first ? say(language, "can lead to", "可能的根因") : "",
                 fmt::format("- {}: {}", ids[i], generic(cause->title.in(language))));
    first = false;
  }
  if (ids.size() > kShown) layout.field("", fmt::format("+ {}", ids.size() - kShown));
}

void write_list(JsonWriter& json, const char* key, const std::vector<std::string>& items) {
  json.key(key).begin_array();
  for (const std::string& item : items) json.string(item);
  json.end_array();
}

/// A code's row: fields in order, empty ones left out.
struct CodeEntry {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string signal;
};

std::string code_text(const CodeEntry& entry, const Catalog& catalog, const ExplainOptions& options) {
  Layout layout(options.width, options.color);
  layout.line(Style::Warn, entry.heading);
  for (const auto& field : entry.fields) {
    if (!field.second.empty()) layout.field(field.first, field.second);
  }
  list_causes(layout, causes_of(entry.signal, catalog), catalog, options.language);
  return layout.text();
}

}  // namespace

std::string explain_cause_text(const Cause& cause, const ExplainOptions& options) {
  const Language language = options.language;
  Layout layout(options.width, options.color);
  layout.line(cause.severity >= model::Severity::Error ? Style::Bad : Style::Warn,
              cause.id + ": " + generic(cause.title.in(language)));
  layout.field(say(language, "severity", "严重程度"), severity_text(cause.severity, language));
  layout.field(say(language, "fault lies in", "故障所在"), place_text(cause.at, language));
  layout.field(say(language, "who acts", "由谁处理"), cause.who);
  layout.field(say(language, "action", "处理类别"),
               cause.action_now + say(language, ", if it returns: ", "，再发生时：") + cause.action_later);
  layout.field(say(language, "why", "原因"), generic(cause.why.in(language)));
  std::vector<std::string> raised, explained;
  for (const catalog::Raise& raise : cause.raised_by) raised.push_back(raise_text(raise, language));
  for (const catalog::Explain& explain : cause.explains) explained.push_back(explain.signal);
  list(layout, say(language, "shown by", "表现为"), raised);
  if (!explained.empty()) layout.field(say(language, "explains", "能解释"), base::join(explained, ", "));
  list(layout, say(language, "now", "现在"), cause.now.in(language));
  list(layout, say(language, "later", "再发生时"), cause.later.in(language));
  list(layout, say(language, "decide", "可定论的证据"), cause.decide.in(language));
  list(layout, say(language, "sources", "来源"), cause.sources);
  return layout.text();
}

std::string explain_cause_json(const Cause& cause, Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("kind").string("cause");
  json.key("id").string(cause.id);
  json.key("title").string(cause.title.in(language));
  json.key("severity").string(severity_text(cause.severity, Language::English));
  json.key("fault_in").string(cause.at);
  json.key("who").string(cause.who);
  json.key("action").begin_object();
  json.key("now").string(cause.action_now);
  json.key("later").string(cause.action_later);
  json.end_object();
  json.key("why").string(cause.why.in(language));
  json.key("shown_by").begin_array();
  for (const catalog::Raise& raise : cause.raised_by) json.string(raise_text(raise, Language::English));
  json.end_array();
  json.key("explains").begin_array();
  for (const catalog::Explain& explain : cause.explains) json.string(explain.signal);
  json.end_array();
  write_list(json, "now", cause.now.in(language));
  write_list(json, "later", cause.later.in(language));
  write_list(json, "decide", cause.decide.in(language));
  write_list(json, "sources", cause.sources);
  json.end_object();
  return json.text() + "\n";
}

std::string explain_xid_text(const catalog::XidRow& row, const Catalog& catalog,
                             const ExplainOptions& options) {
  const Language language = options.language;
  CodeEntry entry;
  entry.heading = fmt::format("Xid {} {}", row.code, row.mnemonic);
  entry.signal = fmt::format("xid.{}", row.code);
  entry.fields = {{say(language, "meaning", "含义"), row.meaning.in(language)},
                  {say(language, "severity", "严重程度"), row.severity},
                  {say(language, "action", "处理类别"), row.action},
                  {say(language, "then", "之后"), row.investigate},
                  {say(language, "applies to", "适用"), row.applies_to},
                  {say(language, "beware", "注意"), row.note},
                  {say(language, "source", "来源"), row.source}};
  return code_text(entry, catalog, options);
}

std::string explain_xid_json(const catalog::XidRow& row, const Catalog& catalog, Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("kind").string("xid");
  json.key("code").integer(row.code);
  json.key("mnemonic").string(row.mnemonic);
  json.key("meaning").string(row.meaning.in(language));
  json.key("severity").string(row.severity);
  json.key("action").string(row.action);
  json.key("investigate").string(row.investigate);
  json.key("applies_to").string(row.applies_to);
  json.key("note").string(row.note);
  json.key("source").string(row.source);
  write_list(json, "causes", causes_of(fmt::format("xid.{}", row.code), catalog));
  json.end_object();
  return json.text() + "\n";
}

std::string explain_sxid_text(const catalog::SxidRow& row, const Catalog& catalog,
                              const ExplainOptions& options) {
  const Language language = options.language;
  CodeEntry entry;
  entry.heading = fmt::format("SXid {} {}", row.code, row.mnemonic);
  entry.signal = fmt::format("sxid.{}", row.code);
  entry.fields = {{say(language, "meaning", "含义"), row.meaning.in(language)},
                  {say(language, "class", "类别"), row.guide_class},
                  {say(language, "source", "来源"), row.source}};
  return code_text(entry, catalog, options);
}

std::string explain_sxid_json(const catalog::SxidRow& row, const Catalog& catalog, Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("kind").string("sxid");
  json.key("code").integer(row.code);
  json.key("mnemonic").string(row.mnemonic);
  json.key("meaning").string(row.meaning.in(language));
  json.key("class").string(row.guide_class);
  json.key("source").string(row.source);
  write_list(json, "causes", causes_of(fmt::format("sxid.{}", row.code), catalog));
  json.end_object();
  return json.text() + "\n";
}

std::string explain_signature_text(const catalog::Signature& signature, const Catalog& catalog,
                                   const ExplainOptions& options) {
  const Language language = options.language;
  Layout layout(options.width, options.color);
  layout.line(Style::Warn, signature.id);
  if (!signature.signal.empty()) layout.field(say(language, "raises", "产生信号"), signature.signal);
  for (const catalog::Template& pattern : signature.templates)
    layout.verbatim(say(language, "matches", "匹配"), pattern.text);
  if (!signature.regex.empty()) layout.verbatim(say(language, "matches", "匹配"), signature.regex);
  layout.field(say(language, "source", "来源"), signature.source);
  list_causes(layout, causes_of(signature.signal, catalog), catalog, language);
  return layout.text();
}

std::string explain_signature_json(const catalog::Signature& signature, const Catalog& catalog, Language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("kind").string("signature");
  json.key("id").string(signature.id);
  json.key("signal").string(signature.signal);
  json.key("matches").begin_array();
  for (const catalog::Template& pattern : signature.templates) json.string(pattern.text);
  if (!signature.regex.empty()) json.string(signature.regex);
  json.end_array();
  json.key("source").string(signature.source);
  write_list(json, "causes", causes_of(signature.signal, catalog));
  json.end_object();
  return json.text() + "\n";
}

std::string explain_sheet_text(const FactSheet& sheet, const ExplainOptions& options) {
  Layout layout(options.width, options.color);
  layout.line(Style::Good, sheet.heading);
  for (const FactSheet::Fact& fact : sheet.facts) {
    if (!fact.value.empty() && !fact.label.empty()) layout.field(fact.label, fact.value);
  }
  if (!sheet.as_of.empty()) layout.field(say(options.language, "as of", "数据日期"), sheet.as_of);
  layout.field(say(options.language, "source", "来源"), sheet.source);
  return layout.text();
}

std::string explain_sheet_json(const FactSheet& sheet) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("kind").string(sheet.kind);
  json.key("id").string(sheet.id);
  json.key("title").string(sheet.heading);
  for (const FactSheet::Fact& fact : sheet.facts) {
    if (!fact.key.empty()) json.key(fact.key).string(fact.value);
  }
  json.key("as_of").string(sheet.as_of);
  json.key("source").string(sheet.source);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
