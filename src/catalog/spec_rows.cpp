// Reads the rows of data/spec and refuses what does not follow the schema of docs/KNOWLEDGE.md: a row that
// the parser could not use, or that speaks one language only, fails the build.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "catalog/spec_key.h"
#include "catalog/spec_types.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace gpuwright::catalog {

namespace {

using kit::Node;

constexpr std::array<std::pair<const char*, SpecCompare>, 6> kCompares = {
    {{"equal", SpecCompare::Equal},
     {"at_least", SpecCompare::AtLeast},
     {"at_most", SpecCompare::AtMost},
     {"contains", SpecCompare::Contains},
     {"prefix", SpecCompare::Prefix},
     {"words", SpecCompare::Words}}};
constexpr std::array kFields = {"key",      "type",    "allowed", "range",          "required",
                                "identity", "default", "doc",     "example",        "starter",
                                "fact",     "compare", "slack",   "none_if_absent", "from_machine"};

/// Keeps the first complaint about a row.
class Complaint {
 public:
  void require(bool holds, const std::string& what) {
    if (!holds && message_.empty()) message_ = what;
  }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// "list of word" -> List and "word".
void read_type(const std::string& text, SpecKey& key) {
  if (text == "section" || text == "items") {
    key.shape = text == "section" ? SpecShape::Section : SpecShape::Items;
    return;
  }
  constexpr std::string_view kList = "list of ", kMap = "map of ";
  if (text.starts_with(kList)) {
    key.shape = SpecShape::List;
    key.type = text.substr(kList.size());
  } else if (text.starts_with(kMap)) {
    key.shape = SpecShape::Map;
    key.type = text.substr(kMap.size());
  } else {
    key.type = text;
  }
}

/// "network.ports[].mtu" -> "network.ports[]" and "mtu".
void split_key(SpecKey& key) {
  const std::size_t dot = key.key.rfind('.');
  key.parent = dot == std::string::npos ? "" : key.key.substr(0, dot);
  key.name = dot == std::string::npos ? key.key : key.key.substr(dot + 1);
}

bool is_snake_case(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos &&
         name.front() >= 'a';
}

/// Whether the node is a value of the key, all of its items included.
bool is_value(const SpecKey& key, const Node& node) {
  const auto right = [&](const std::string& text) {
    return std::holds_alternative<model::SpecValue>(read_spec_value(key, text));
  };
  if (key.shape == SpecShape::One) return node.is_scalar() && right(node.scalar);
  if (key.shape == SpecShape::List) {
    return node.is_sequence() && std::all_of(node.items.begin(), node.items.end(), [&](const Node& item) {
             return item.is_scalar() && right(item.scalar);
           });
  }
  return key.shape == SpecShape::Map && node.is_map() &&
         std::all_of(node.entries.begin(), node.entries.end(), [&](const auto& entry) {
           return entry.second.is_scalar() && right(entry.second.scalar);
         });
}

void read_values(const Node& row, SpecKey& key, Complaint& complaint) {
  const bool text = is_yaml_text(key);
  for (const char* field : {"example", "default"}) {
    const Node& node = row[field];
    complaint.require(node.is_null() || is_value(key, node), fmt::format("{} is no value of the key", field));
  }
  key.example = flow_yaml(row["example"], text);
  key.default_value = flow_yaml(row["default"], text);
  for (const auto& entry : row["starter"].entries) {
    complaint.require(is_value(key, entry.second), "starter is no value of the key");
    key.starter[entry.first] = flow_yaml(entry.second, text);
  }
}

/// "probe", "unread", or the paths of facts; nothing for a setting.
void read_fact(const Node& row, SpecKey& key, Complaint& complaint) {
  const std::vector<std::string> facts = row["fact"].texts();
  if (facts == std::vector<std::string>{"probe"}) {
    key.read = SpecRead::Probe;
  } else if (facts == std::vector<std::string>{"unread"}) {
    key.read = SpecRead::Unread;
  } else if (!facts.empty()) {
    key.read = SpecRead::Fact;
    key.facts = facts;
  }
  key.none_if_absent = row["none_if_absent"].text() == "true";
  key.from_machine = row["from_machine"].text() != "false";
  key.slack = base::parse_int(row["slack"].is_null() ? "0" : row["slack"].text()).value_or(-1);
  complaint.require(key.slack >= 0 && key.slack < 100, "slack is a percentage");
}

void check_value_row(const SpecKey& key, const Node& row, Complaint& complaint) {
  complaint.require(spec_type(key.type) != nullptr, fmt::format("no type '{}'", key.type));
  complaint.require((key.type == "word") == !key.allowed.empty(),
                    "the type word, and only it, has `allowed`");
  complaint.require(!row["example"].is_null(), "a value needs an example");
  const std::vector<std::string> range = row["range"].texts();
  complaint.require(range.empty() || range.size() == 2, "a range has two ends, one may be empty");
  for (const std::string& end : range) {
    complaint.require(end.empty() || std::holds_alternative<model::SpecValue>(read_spec_value(key, end)),
                      "an end of the range is no value of the key");
  }
}

}  // namespace

base::Result<SpecKey> read_spec_key(const Node& row, const std::string& file) {
  Complaint complaint;
  for (const auto& entry : row.entries) {
    complaint.require(std::find(kFields.begin(), kFields.end(), entry.first) != kFields.end(),
                      fmt::format("unknown field '{}'", entry.first));
  }
  SpecKey key;
  key.key = row["key"].text();
  split_key(key);
  read_type(row["type"].text(), key);
  key.allowed = row["allowed"].texts();
  key.required = row["required"].text() == "true";
  key.identity = row["identity"].text() == "true";
  key.doc = Text{row["doc"]["en"].text(), row["doc"]["zh"].text()};
  read_fact(row, key, complaint);
  const std::string compare = row["compare"].is_null() ? "equal" : row["compare"].text();
  const auto found =
      std::find_if(kCompares.begin(), kCompares.end(), [&](const auto& one) { return compare == one.first; });
  complaint.require(found != kCompares.end(), fmt::format("no comparison '{}'", compare));
  if (found != kCompares.end()) key.compare = found->second;
  complaint.require(is_snake_case(key.name), "the name is no snake_case");
  complaint.require(!key.doc.en.empty() && !key.doc.zh.empty(), "doc needs en and zh");
  if (key.shape != SpecShape::Section && key.shape != SpecShape::Items) {
    check_value_row(key, row, complaint);
    const std::vector<std::string> range = row["range"].texts();
    if (range.size() == 2) {
      key.least = range[0];
      key.most = range[1];
    }
    read_values(row, key, complaint);
  }
  if (complaint.message().empty()) return key;
  return base::make_error(base::ErrorKind::Malformed, fmt::format("{}: {}", key.key, complaint.message()),
                          fmt::format("{}:{}", file, row.line));
}

base::Result<std::vector<SpecKey>> arrange_spec_keys(std::vector<SpecKey> rows,
                                                     const std::vector<std::string>& sections) {
  const auto rank = [&](const SpecKey& key) {
    const std::string section = key.key.substr(0, key.key.find_first_of(".["));
    return std::find(sections.begin(), sections.end(), section) - sections.begin();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const SpecKey& a, const SpecKey& b) {
    const auto rank_a = rank(a), rank_b = rank(b);
    return rank_a != rank_b ? rank_a < rank_b : (a.parent.empty() && !b.parent.empty());
  });
  std::set<std::string> known = {""};
  for (const SpecKey& key : rows) {
    if (known.count(key.parent) == 0)
      return base::make_error(base::ErrorKind::Malformed,
                              fmt::format("{} stands before its parent", key.key));
    const bool first = known.insert(key.key).second;
    if (!first) return base::make_error(base::ErrorKind::Malformed, fmt::format("{} stands twice", key.key));
    if (key.shape == SpecShape::Items) known.insert(key.key + "[]");
  }
  return rows;
}

std::string spec_key_of(std::string_view path) {
  std::string key;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) key += c;
    if (c == '[') inside = true;
  }
  return key;
}

const SpecKey* SpecKeys::find(std::string_view path) const {
  const std::string key = spec_key_of(path);
  const auto at =
      std::find_if(rows_.begin(), rows_.end(), [&](const SpecKey& row) { return row.key == key; });
  return at == rows_.end() ? nullptr : &*at;
}

std::vector<const SpecKey*> SpecKeys::children(std::string_view parent) const {
  std::vector<const SpecKey*> found;
  for (const SpecKey& row : rows_) {
    if (row.parent == parent) found.push_back(&row);
  }
  return found;
}

}  // namespace gpuwright::catalog
