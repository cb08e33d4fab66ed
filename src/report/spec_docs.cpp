// SPDX-License-Identifier: Apache-2.0
#include "report/spec_docs.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "catalog/spec_types.h"
#include "report/layout.h"
#include "report/spec_words.h"

#include <fmt/core.h>

#include <array>

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using catalog::Language;
using catalog::SpecKey;
using catalog::SpecKeys;
using catalog::SpecShape;

std::string say(Language language, const char* en, const char* zh) {
  return language == Language::Chinese ? zh : en;
}

bool is_group(const SpecKey& key) {
  return key.shape == SpecShape::Section || key.shape == SpecShape::Items;
}

/// For a cell of a Markdown table.
std::string cell(const std::string& text) {
  return base::replace_all(text, "|", "\\|");
}
std::string code(const std::string& text) {
  return text.empty() ? std::string() : "`" + cell(text) + "`";
}

std::string reference_row(const SpecKey& key, Language language) {
  std::string meaning = key.doc.in(language);
  if (key.required) meaning += say(language, " (required)", "（必填）");
  if (!key.default_value.empty())
    meaning += fmt::format("{}`{}`{}", say(language, " (default ", "（默认 "), cell(key.default_value),
                           say(language, ")", "）"));
  return fmt::format("| {} | {} | {} | {} |\n", code(key.key), cell(meaning),
                     cell(spec_type_text(key, language)), code(key.example));
}

const char* shape_name(SpecShape shape) {
  constexpr std::array kNames = {"section", "items", "one", "list", "map"};
  return kNames[static_cast<std::size_t>(shape)];
}

const char* read_name(catalog::SpecRead read) {
  constexpr std::array kNames = {"setting", "fact", "probe", "unread"};
  return kNames[static_cast<std::size_t>(read)];
}

/// Where `doctor -f` looks.
std::string compared_with(const SpecKey& key, Language language) {
  switch (key.read) {
    case catalog::SpecRead::Setting:
      return say(language, "nothing: other commands act on it", "不对照：供其他命令使用");
    case catalog::SpecRead::Fact:
      return base::join(key.facts, say(language, ", or ", "，或 "));
    case catalog::SpecRead::Probe:
      return say(language, "several facts of the machine together", "机器的多项事实综合判断");
    case catalog::SpecRead::Unread:
      break;
  }
  return say(language, "not yet: gpuwright does not look there", "尚未对照：gpuwright 还不查看它");
}

void write_texts(JsonWriter& json, const char* name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void write_key(JsonWriter& json, const SpecKey& key, Language language) {
  json.begin_object();
  json.key("key").string(key.key);
  json.key("shape").string(shape_name(key.shape));
  json.key("type").string(key.type);
  write_texts(json, "allowed", key.allowed);
  json.key("least").string(key.least);
  json.key("most").string(key.most);
  json.key("required").boolean(key.required);
  json.key("default").string(key.default_value);
  json.key("meaning").string(key.doc.in(language));
  json.key("example").string(key.example);
  json.key("read").string(read_name(key.read));
  write_texts(json, "facts", key.facts);
  json.end_object();
}

/// "gpu" begins "gpu.power_limit" and "gpu", not "gpus".
bool begins(const std::string& key, std::string_view prefix) {
  if (prefix.empty()) return true;
  if (!key.starts_with(prefix)) return false;
  return key.size() == prefix.size() || key[prefix.size()] == '.' || key[prefix.size()] == '[' ||
         prefix.back() == '.';
}

}  // namespace

std::string spec_reference(const catalog::Catalog& catalog, Language language) {
  const SpecKeys keys = catalog.spec_keys();
  std::string text;
  const std::string head = say(language, "| key | meaning | takes | example |\n|---|---|---|---|\n",
                               "| 键 | 含义 | 取值 | 例 |\n|---|---|---|---|\n");
  text += head;
  for (const SpecKey* key : keys.children("")) {
    if (!is_group(*key)) text += reference_row(*key, language);
  }
  for (const SpecKey* section : keys.children("")) {
    if (!is_group(*section)) continue;
    text += fmt::format("\n### {}\n\n{}{}\n\n{}", section->key, section->doc.in(language),
                        say(language, ".", "。"), head);
    for (const SpecKey& key : keys.rows()) {
      if (key.key != section->key && begins(key.key, section->key)) text += reference_row(key, language);
    }
  }
  return text;
}

std::string explain_spec_key_text(const SpecKey& key, const catalog::Catalog& catalog,
                                  const ExplainOptions& options) {
  const Language language = options.language;
  Layout layout(options.width, options.color);
  layout.line(Style::Warn, key.key + ": " + key.doc.in(language));
  layout.field(say(language, "what it is", "类别"),
               say(language, "key of a spec (gpuwright.yaml)", "spec（gpuwright.yaml）的键"));
  layout.field(say(language, "takes", "取值"), spec_type_text(key, language));
  if (key.required)
    layout.field(say(language, "required", "必填"),
                 say(language, "wherever its parent is written", "写了上级就必须写"));
  if (!key.default_value.empty()) layout.field(say(language, "default", "默认"), key.default_value);
  if (!key.example.empty()) layout.verbatim(say(language, "example", "例"), key.name + ": " + key.example);
  if (!is_group(key)) layout.field(say(language, "compared with", "对照"), compared_with(key, language));
  bool first = true;
  const std::string below = key.shape == SpecShape::Items ? key.key + "[]" : key.key;
  for (const SpecKey* child : catalog.spec_keys().children(below)) {
    layout.field(first ? say(language, "keys below", "下级键") : "",
                 fmt::format("- {}: {}", child->name, child->doc.in(language)));
    first = false;
  }
  return layout.text();
}

std::string explain_spec_key_json(const SpecKey& key, Language language) {
  JsonWriter json;
  write_key(json, key, language);
  return json.text() + "\n";
}

std::string spec_keys_text(const catalog::Catalog& catalog, std::string_view prefix,
                           const ExplainOptions& options) {
  Layout layout(options.width, options.color);
  for (const SpecKey& key : catalog.spec_keys().rows()) {
    if (!begins(key.key, prefix)) continue;
    layout.line(Style::Plain, key.key);
    layout.field("", key.doc.in(options.language));
    if (!is_group(key)) layout.field("", spec_type_text(key, options.language));
  }
  return layout.text();
}

std::string spec_keys_json(const catalog::Catalog& catalog, std::string_view prefix, Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("keys").begin_array();
  for (const SpecKey& key : catalog.spec_keys().rows()) {
    if (begins(key.key, prefix)) write_key(json, key, language);
  }
  json.end_array();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
