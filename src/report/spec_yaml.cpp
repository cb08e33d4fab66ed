// SPDX-License-Identifier: Apache-2.0
#include "report/spec_yaml.h"

#include "base/text.h"
#include "catalog/spec_types.h"
#include "kit/yaml.h"
#include "report/layout.h"
#include "report/spec_words.h"

#include <fmt/core.h>

#include <set>

namespace gpuwright::report {

namespace {

using catalog::SpecKey;
using catalog::SpecShape;

/// What is to be written: values as YAML by path, and how many items each list of maps has.
struct Outline {
  std::map<std::string, std::string> values;
  std::map<std::string, std::int64_t> items;
  std::set<std::string> sections;  ///< those that hold anything

  void add(const std::string& path, std::string yaml) {
    values[path] = std::move(yaml);
    enter(path);
  }
  /// Marks all sections above.
  void enter(const std::string& path) {
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
      sections.insert(path.substr(0, dot));
  }
};

std::string value_yaml(const SpecKey& key, const model::SpecEntry& entry) {
  const bool as_text = catalog::is_yaml_text(key);
  std::vector<std::string> parts;
  if (const auto* texts = std::get_if<model::SpecTexts>(&entry.value)) {
    for (const std::string& text : *texts) parts.push_back(kit::yaml_scalar(text, as_text));
    return "[" + base::join(parts, ", ") + "]";
  }
  if (const auto* pairs = std::get_if<model::SpecMap>(&entry.value)) {
    for (const auto& pair : *pairs)
      parts.push_back(kit::yaml_scalar(pair.first, true) + ": " + kit::yaml_scalar(pair.second, as_text));
    return "{" + base::join(parts, ", ") + "}";
  }
  const std::string text = entry.written.empty() ? catalog::spec_value_text(key, entry.value) : entry.written;
  return kit::yaml_scalar(text, as_text);
}

Outline outline_of(const model::Spec& spec, const catalog::SpecKeys& keys) {
  Outline outline;
  for (const model::SpecEntry& entry : spec.entries) {
    const SpecKey* key = keys.find(entry.key);
    if (key == nullptr) continue;
    if (const auto* items = std::get_if<model::SpecItems>(&entry.value)) {
      outline.items[entry.path] = items->count;
      outline.enter(entry.path);
    } else {
      outline.add(entry.path, value_yaml(*key, entry));
    }
  }
  return outline;
}

/// One item in each list; `value` gives a key's YAML, empty to leave it out.
template <class Value>
Outline outline_of(const catalog::SpecKeys& keys, const Value& value) {
  Outline outline;
  for (const SpecKey& key : keys.rows()) {
    const std::string yaml = value(key);
    if (yaml.empty()) continue;
    const std::string path = base::replace_all(key.key, "[]", "[0]");
    outline.add(path, yaml);
    for (std::size_t at = path.find("[0]"); at != std::string::npos; at = path.find("[0]", at + 1))
      outline.items[path.substr(0, at)] = 1;
  }
  return outline;
}

/// The text as comments of at most 100 columns.
std::string wrapped(const std::string& comment, std::size_t indent) {
  const std::string lead = std::string(indent, ' ') + "#";
  std::string out, line = lead;
  for (const std::string_view word : base::words(comment)) {
    const int width = display_width(line) + 1 + display_width(word);
    if (width > 100 && line != lead) {
      out += line + "\n";
      line = lead;
    }
    line += ' ';
    line += word;
  }
  return out + line + "\n";
}

class Writer {
 public:
  Writer(const catalog::SpecKeys& keys, const Outline& outline, const SpecStyle& style)
      : keys_(keys), outline_(outline), style_(style) {}

  /// `lead` stands before the first line ("  - "), `indent` before the others. False: nothing was written.
  bool write_map(const std::string& parent, const std::string& path, const std::string& lead,
                 const std::string& indent) {
    bool any = false;
    for (const SpecKey* key : keys_.children(parent)) {
      const std::string here = path.empty() ? key->name : path + "." + key->name;
      if (!write_key(*key, here, any ? indent : lead, indent)) continue;
      any = true;
    }
    return any;
  }

  std::string text;

 private:
  bool write_key(const SpecKey& key, const std::string& path, const std::string& lead,
                 const std::string& indent) {
    if (key.shape == SpecShape::Section) {
      if (outline_.sections.count(path) == 0) return false;
      if (key.parent.empty() && !text.empty()) text += '\n';
      open(key, path, lead, indent);
      text += '\n';
      write_map(key.key, path, indent + "  ", indent + "  ");
      return true;
    }
    if (key.shape == SpecShape::Items) {
      const auto items = outline_.items.find(path);
      if (items == outline_.items.end()) return false;
      if (key.parent.empty() && !text.empty()) text += '\n';
      open(key, path, lead, indent);
      text += items->second == 0 ? " []\n" : "\n";
      for (std::int64_t i = 0; i < items->second; ++i) {
        const std::string item = fmt::format("{}[{}]", path, i);
        if (!write_map(key.key + "[]", item, indent + "  - ", indent + "    ")) text += indent + "  - {}\n";
      }
      return true;
    }
    const auto value = outline_.values.find(path);
    if (value == outline_.values.end()) return false;
    open(key, path, lead, indent);
    text += " " + value->second + "\n";
    return true;
  }

  /// Comments, then "key:". In an item the comment stands under its dash, or the dash would be lost.
  void open(const SpecKey& key, const std::string& path, const std::string& lead, const std::string& indent) {
    std::vector<std::string> comments;
    if (style_.comments != SpecComments::None) comments.push_back(meaning(key));
    const auto note = style_.notes.find(path);
    if (note != style_.notes.end()) comments.push_back(note->second);
    const bool dash = lead != indent;
    for (const std::string& comment : comments)
      text += wrapped(comment, dash ? lead.size() - 2 : indent.size());
    text += lead + key.name + ":";
  }

  std::string meaning(const SpecKey& key) const {
    const catalog::Language language = style_.language;
    const std::string& doc = key.doc.in(language);
    const bool group = key.shape == SpecShape::Section || key.shape == SpecShape::Items;
    return group || style_.comments == SpecComments::Meaning
               ? doc
               : fmt::format("{} [{}]", doc, spec_type_text(key, language));
  }

  const catalog::SpecKeys& keys_;
  const Outline& outline_;
  const SpecStyle& style_;
};

std::string write(const catalog::SpecKeys& keys, const Outline& outline, const SpecStyle& style) {
  std::string heading;
  for (const std::string_view line : base::lines(style.heading))
    heading += line.empty() ? "#\n" : fmt::format("# {}\n", line);
  Writer writer(keys, outline, style);
  writer.write_map("", "", "", "");
  if (writer.text.empty()) writer.text = "{}\n";
  if (!heading.empty()) heading += "\n";
  return heading + writer.text;
}

}  // namespace

std::string spec_yaml(const model::Spec& spec, const catalog::Catalog& catalog, const SpecStyle& style) {
  const catalog::SpecKeys keys = catalog.spec_keys();
  return write(keys, outline_of(spec, keys), style);
}

std::string spec_example_yaml(const catalog::Catalog& catalog, const SpecStyle& style) {
  const catalog::SpecKeys keys = catalog.spec_keys();
  return write(keys, outline_of(keys, [](const SpecKey& key) { return key.example; }), style);
}

std::vector<std::string> workload_classes(const catalog::Catalog& catalog) {
  const SpecKey* key = catalog.spec_keys().find("workload.class");
  return key == nullptr ? std::vector<std::string>() : key->allowed;
}

std::string spec_starter_yaml(const std::string& workload_class, const catalog::Catalog& catalog,
                              const SpecStyle& style) {
  const catalog::SpecKeys keys = catalog.spec_keys();
  const Outline outline = outline_of(keys, [&](const SpecKey& key) {
    const auto value = key.starter.find(workload_class);
    return value == key.starter.end() ? std::string() : value->second;
  });
  return outline.values.empty() ? std::string() : write(keys, outline, style);
}

}  // namespace gpuwright::report
