// SPDX-License-Identifier: Apache-2.0
#include "report/facts_json.h"

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using model::FactNode;

struct ValueWriter {
  JsonWriter& json;
  void operator()(std::monostate) const { json.null(); }
  void operator()(bool value) const { json.boolean(value); }
  void operator()(std::int64_t value) const { json.integer(value); }
  void operator()(double value) const { json.number(value); }
  void operator()(const std::string& value) const { json.string(value); }
  void operator()(const std::vector<std::string>& value) const {
    json.begin_array();
    for (const std::string& text : value) json.string(text);
    json.end_array();
  }
};

void write(JsonWriter& json, const FactNode& node, const std::string& key = {}) {
  switch (node.kind) {
    case FactNode::Kind::Value:
      return std::visit(ValueWriter{json}, node.value);
    case FactNode::Kind::Absent:
      json.null();
      return;
    case FactNode::Kind::List:
      json.begin_array();
      for (const FactNode& child : node.children) write(json, child, child.name);
      json.end_array();
      return;
    case FactNode::Kind::Group:
      json.begin_object();
      if (!key.empty()) json.key("key").string(key);
      for (const FactNode& child : node.children) {
        json.key(child.name);
        write(json, child);
      }
      json.end_object();
  }
}

}  // namespace

void write_facts(JsonWriter& json, const FactNode& tree) {
  json.key("facts");
  write(json, tree);
  json.key("absent").begin_array();
  for (const model::Fact& fact : model::flatten(tree)) {
    if (fact.known) continue;
    json.begin_object();
    json.key("fact").string(fact.path);
    json.key("reason").string(model::word_of(fact.reason));
    json.key("where").string(fact.place.input);
    json.key("detail").string(fact.place.text);
    json.end_object();
  }
  json.end_array();
}

std::string render_facts_json(const FactNode& tree) {
  JsonWriter json;
  json.begin_object().key("schema_version").integer(1);
  write_facts(json, tree);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
