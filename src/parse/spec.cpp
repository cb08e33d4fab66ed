// Walks the tree of the file along the key table, so that what comes out has the table's order.
// SPDX-License-Identifier: Apache-2.0
#include "parse/spec.h"

#include "base/text.h"
#include "catalog/spec_types.h"
#include "kit/yaml.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace gpuwright::parse {

namespace {

using catalog::SpecKey;
using catalog::SpecShape;
using kit::Node;
using model::SpecFault;
using model::SpecProblem;
using model::SpecValue;

constexpr std::size_t kMostProblems = 50;
constexpr std::size_t kMostCollected = 500;  // of which the first in the file are told
constexpr std::size_t kMostItems = 1024;

/// The words of SpecFault::WrongShape.
std::string shape_of(const Node& node) {
  if (node.is_map()) return "map";
  return node.is_sequence() ? "list" : "value";
}
std::string shape_wanted(SpecShape shape) {
  switch (shape) {
    case SpecShape::Section:
    case SpecShape::Map:
      return "map";
    case SpecShape::Items:
      return "list of maps";
    case SpecShape::List:
      return "list";
    case SpecShape::One:
      break;
  }
  return "value";
}

class Reader {
 public:
  Reader(const catalog::Catalog& catalog, SpecReading& reading)
      : keys_(catalog.spec_keys()), reading_(reading) {}

  void read_map(const Node& map, const std::string& parent, const std::string& path) {
    const std::vector<const SpecKey*> children = keys_.children(parent);
    refuse_unknown(map, children, path);
    for (const SpecKey* key : children) {
      const std::string here = path.empty() ? key->name : path + "." + key->name;
      if (const Node* value = single(map, *key, here)) {
        read_key(*value, *key, here);
      } else if (key->required) {
        complain(SpecFault::Missing, map, here).wanted = key->example;
      }
    }
  }

  void complain_of_whole(SpecFault fault, std::int32_t line, std::int32_t column, std::string wanted) {
    SpecProblem problem;
    problem.fault = fault;
    problem.line = line;
    problem.column = column;
    problem.wanted = std::move(wanted);
    add(std::move(problem));
  }
  /// How many there were beyond those that are kept.
  std::int64_t beyond() const { return beyond_; }

 private:
  /// Keeps the problem while there is room; what is beyond is only counted.
  SpecProblem& add(SpecProblem problem) {
    if (is_full()) {
      ++beyond_;
      return spare_ = std::move(problem);
    }
    reading_.problems.push_back(std::move(problem));
    return reading_.problems.back();
  }
  bool is_full() const { return reading_.problems.size() >= kMostCollected; }

  SpecProblem& complain(SpecFault fault, const Node& where, const std::string& path) {
    SpecProblem problem;
    problem.fault = fault;
    problem.line = where.line;
    problem.column = where.column;
    problem.path = path;
    return add(std::move(problem));
  }
  SpecProblem& complain_of_key(SpecFault fault, const Node& value, const std::string& path) {
    SpecProblem& problem = complain(fault, value, path);
    problem.line = value.key_line;
    problem.column = value.key_column;
    return problem;
  }

  void refuse_unknown(const Node& map, const std::vector<const SpecKey*>& children, const std::string& path) {
    std::vector<std::string> names;
    names.reserve(children.size());
    for (const SpecKey* key : children) names.push_back(key->name);
    for (const auto& entry : map.entries) {
      if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
      SpecProblem& problem = complain_of_key(SpecFault::UnknownKey, entry.second, path);
      problem.found = base::printable(entry.first, 60);
      if (!is_full()) problem.suggestion = meant_by(entry.first, names);
    }
  }

  /// The neighbour that was meant; else the key of that name that stands highest elsewhere.
  std::string meant_by(const std::string& name, const std::vector<std::string>& names) const {
    if (const auto near = base::closest(name, names)) return *near;
    const auto depth = [](const std::string& key) { return std::count(key.begin(), key.end(), '.'); };
    std::string elsewhere;
    bool unsure = false;
    for (const SpecKey& key : keys_.rows()) {
      if (key.name != name) continue;
      const bool higher = elsewhere.empty() || depth(key.key) < depth(elsewhere);
      unsure = !higher && (unsure || depth(key.key) == depth(elsewhere));
      if (higher) elsewhere = key.key;
    }
    return unsure ? std::string() : elsewhere;
  }

  /// The value of the key in the map; null if it is not there. A second one is a fault.
  const Node* single(const Node& map, const SpecKey& key, const std::string& path) {
    const Node* first = nullptr;
    for (const auto& entry : map.entries) {
      if (entry.first != key.name) continue;
      if (first == nullptr) {
        first = &entry.second;
      } else {
        complain_of_key(SpecFault::Duplicate, entry.second, path).found = std::to_string(first->key_line);
      }
    }
    return first;
  }

  void read_key(const Node& node, const SpecKey& key, const std::string& path) {
    if (node.is_null()) {
      complain_of_key(SpecFault::Empty, node, path).wanted = key.example;
      return;
    }
    const bool right =
        (key.shape == SpecShape::One && node.is_scalar()) ||
        ((key.shape == SpecShape::Section || key.shape == SpecShape::Map) && node.is_map()) ||
        ((key.shape == SpecShape::Items || key.shape == SpecShape::List) && node.is_sequence());
    if (!right) {
      SpecProblem& problem = complain(SpecFault::WrongShape, node, path);
      problem.found = shape_of(node);
      problem.wanted = shape_wanted(key.shape);
      problem.suggestion = key.example;
      return;
    }
    if (node.items.size() > kMostItems || node.entries.size() > kMostItems) {
      complain(SpecFault::TooMany, node, path).wanted = std::to_string(kMostItems);
      return;
    }
    read_shape(node, key, path);
  }

  void read_shape(const Node& node, const SpecKey& key, const std::string& path) {
    switch (key.shape) {
      case SpecShape::Section:
        return read_map(node, key.key, path);
      case SpecShape::Items:
        return read_items(node, key, path);
      case SpecShape::List:
        return read_list(node, key, path);
      case SpecShape::Map:
        return read_pairs(node, key, path);
      case SpecShape::One:
        break;
    }
    if (const auto value = read_value(node, key, path)) keep(node, key, path, *value).written = node.scalar;
  }

  void read_items(const Node& node, const SpecKey& key, const std::string& path) {
    keep(node, key, path, model::SpecItems{static_cast<std::int64_t>(node.items.size())});
    std::map<std::string, std::int32_t> seen;
    const SpecKey* identity = identity_of(key);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      const std::string here = fmt::format("{}[{}]", path, i);
      if (!item.is_map()) {
        SpecProblem& problem = complain(SpecFault::WrongShape, item, here);
        problem.found = shape_of(item);
        problem.wanted = "map";
        continue;
      }
      read_map(item, key.key + "[]", here);
      if (identity == nullptr || !item[identity->name].is_scalar()) continue;
      const Node& name = item[identity->name];
      const auto [first, is_new] = seen.emplace(name.scalar, name.line);
      if (!is_new)
        complain(SpecFault::Duplicate, name, here + "." + identity->name).found =
            std::to_string(first->second);
    }
  }

  void read_list(const Node& node, const SpecKey& key, const std::string& path) {
    model::SpecTexts texts;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string here = fmt::format("{}[{}]", path, i);
      if (const auto value = read_item(node.items[i], key, here))
        texts.push_back(catalog::spec_value_text(key, *value));
    }
    keep(node, key, path, std::move(texts));
  }

  void read_pairs(const Node& node, const SpecKey& key, const std::string& path) {
    SpecKey name;  // what the keys of a free map are read as
    name.type = "option";
    model::SpecMap pairs;
    std::map<std::string, std::int32_t> seen;
    for (const auto& entry : node.entries) {
      const std::string here = path + "." + base::printable(entry.first, 60);
      const auto readable = catalog::read_spec_value(name, entry.first);
      if (const auto* problem = std::get_if<SpecProblem>(&readable)) {
        place(*problem, entry.second.key_line, entry.second.key_column, path);
        continue;
      }
      const auto [first, is_new] = seen.emplace(entry.first, entry.second.key_line);
      if (!is_new) {
        complain_of_key(SpecFault::Duplicate, entry.second, here).found = std::to_string(first->second);
      } else if (const auto value = read_item(entry.second, key, here)) {
        pairs.emplace_back(entry.first, catalog::spec_value_text(key, *value));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    keep(node, key, path, std::move(pairs));
  }

  /// One value of a list or a map.
  std::optional<SpecValue> read_item(const Node& node, const SpecKey& key, const std::string& path) {
    if (node.is_scalar()) return read_value(node, key, path);
    SpecProblem& problem = complain(node.is_null() ? SpecFault::Empty : SpecFault::WrongShape, node, path);
    problem.found = shape_of(node);
    problem.wanted = "value";
    return std::nullopt;
  }

  std::optional<SpecValue> read_value(const Node& node, const SpecKey& key, const std::string& path) {
    auto result = catalog::read_spec_value(key, node.scalar);
    if (auto* value = std::get_if<SpecValue>(&result)) return std::move(*value);
    place(std::get<SpecProblem>(result), node.line, node.column, path);
    return std::nullopt;
  }

  void place(SpecProblem problem, std::int32_t line, std::int32_t column, const std::string& path) {
    problem.line = line;
    problem.column = column;
    problem.path = path;
    add(std::move(problem));
  }

  const SpecKey* identity_of(const SpecKey& list) const {
    for (const SpecKey* key : keys_.children(list.key + "[]")) {
      if (key->identity) return key;
    }
    return nullptr;
  }

  model::SpecEntry& keep(const Node& node, const SpecKey& key, const std::string& path, SpecValue value) {
    model::SpecEntry entry;
    entry.path = path;
    entry.key = key.key;
    entry.value = std::move(value);
    entry.line = node.line;
    entry.column = node.column;
    reading_.spec.entries.push_back(std::move(entry));
    return reading_.spec.entries.back();
  }

  catalog::SpecKeys keys_;
  SpecReading& reading_;
  SpecProblem spare_;
  std::int64_t beyond_ = 0;
};

/// YAML counts bytes in a line; people and editors count characters.
void count_characters(std::string_view text, std::vector<SpecProblem>& problems) {
  const std::vector<std::string_view> lines = base::lines(text);
  for (SpecProblem& problem : problems) {
    const auto at = static_cast<std::size_t>(problem.line) - 1;
    if (problem.line < 1 || at >= lines.size()) continue;
    const std::string_view before =
        lines[at].substr(0, static_cast<std::size_t>(std::max(0, problem.column - 1)));
    problem.column -= static_cast<std::int32_t>(
        std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) == 0x80; }));
  }
}

void read_tree(std::string_view text, Reader& reader) {
  if (text.size() > kLargestSpec) {
    reader.complain_of_whole(SpecFault::Unreadable, 1, 1,
                             fmt::format("larger than {} KiB", kLargestSpec / 1024));
    return;
  }
  const kit::YamlText yaml = kit::read_yaml(text);
  if (yaml.documents.size() > 1) {
    reader.complain_of_whole(SpecFault::MoreDocuments, yaml.documents[1].line, 1, {});
  } else if (yaml.fault) {
    reader.complain_of_whole(SpecFault::Unreadable, yaml.fault->line, yaml.fault->column,
                             base::printable(yaml.fault->message, 120));
  } else if (yaml.documents.empty() || !yaml.documents[0].is_map()) {
    const bool empty = yaml.documents.empty();
    reader.complain_of_whole(SpecFault::NotAMap, empty ? 1 : std::max(1, yaml.documents[0].line), 1, {});
  } else {
    reader.read_map(yaml.documents[0], "", "");
  }
}

}  // namespace

SpecReading parse_spec(std::string_view text, const std::string& name, const catalog::Catalog& catalog) {
  SpecReading reading;
  reading.spec.name = name;
  Reader reader(catalog, reading);
  read_tree(text, reader);
  if (reading.ok()) reading.problems = check_spec(reading.spec);
  std::stable_sort(reading.problems.begin(), reading.problems.end(),
                   [](const SpecProblem& a, const SpecProblem& b) {
                     return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                   });
  if (reading.problems.size() > kMostProblems) {
    reading.more_problems = static_cast<std::int64_t>(reading.problems.size() - kMostProblems);
    reading.problems.resize(kMostProblems);
  }
  reading.more_problems += reader.beyond();
  count_characters(text, reading.problems);
  return reading;
}

}  // namespace gpuwright::parse
