// JSON Schema from the key table. Editors read a plain 580 as a number and true as a boolean, so the types
// are those that YAML gives the written form. Source: JSON Schema draft 2020-12.
// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"
#include "base/text.h"
#include "catalog/spec_types.h"
#include "report/spec_docs.h"

#include <fmt/core.h>

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using catalog::SpecKey;
using catalog::SpecKind;
using catalog::SpecShape;
using catalog::SpecType;

class SchemaWriter {
 public:
  explicit SchemaWriter(const catalog::SpecKeys& keys) : keys_(keys) {}

  std::string whole() {
    json_.begin_object();
    json_.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
    json_.key("$id").string("gpuwright/spec.schema.json");
    json_.key("title").string("gpuwright.yaml");
    json_.key("description").string("What a machine, or a fleet of equal machines, should be.");
    map_of("");
    json_.end_object();
    return json_.text() + "\n";
  }

 private:
  /// The members that make a schema one of a map with these keys.
  void map_of(const std::string& parent) {
    json_.key("type").string("object");
    json_.key("additionalProperties").boolean(false);
    const std::vector<const SpecKey*> children = keys_.children(parent);
    required(children);
    json_.key("properties").begin_object();
    for (const SpecKey* key : children) {
      json_.key(key->name).begin_object();
      describe(*key);
      json_.end_object();
    }
    json_.end_object();
  }

  void required(const std::vector<const SpecKey*>& children) {
    bool any = false;
    for (const SpecKey* key : children) {
      if (!key->required) continue;
      if (!any) json_.key("required").begin_array();
      any = true;
      json_.string(key->name);
    }
    if (any) json_.end_array();
  }

  void describe(const SpecKey& key) {
    json_.key("description").string(key.doc.en);
    switch (key.shape) {
      case SpecShape::Section:
        return map_of(key.key);
      case SpecShape::Items:
        json_.key("type").string("array");
        json_.key("items").begin_object();
        map_of(key.key + "[]");
        json_.end_object();
        return;
      case SpecShape::List:
        json_.key("type").string("array");
        json_.key("items").begin_object();
        value(key);
        json_.end_object();
        return;
      case SpecShape::Map:
        json_.key("type").string("object");
        json_.key("additionalProperties").begin_object();
        value(key);
        json_.end_object();
        return;
      case SpecShape::One:
        value(key);
    }
  }

  void types(std::initializer_list<const char*> names) {
    json_.key("type");
    if (names.size() == 1) {
      json_.string(*names.begin());
      return;
    }
    json_.begin_array();
    for (const char* name : names) json_.string(name);
    json_.end_array();
  }

  void bounds(const SpecKey& key) {
    const auto least = base::parse_double(key.least), most = base::parse_double(key.most);
    if (least) json_.key("minimum").number(*least);
    if (most) json_.key("maximum").number(*most);
  }

  void value(const SpecKey& key) {
    const SpecType* type = catalog::spec_type(key.type);
    if (type == nullptr) return;
    if (!key.allowed.empty()) {
      types({"string"});
      json_.key("enum").begin_array();
      for (const std::string& word : key.allowed) json_.string(word);
      json_.end_array();
      return;
    }
    switch (type->kind) {
      case SpecKind::Boolean:
        return types({"boolean"});
      case SpecKind::Integer:
        types({"integer"});
        return bounds(key);
      case SpecKind::Number:
        types({"number"});
        return bounds(key);
      case SpecKind::Quantity:
        types({"string"});
        break;
      case SpecKind::Text:
        if (key.shape == SpecShape::Map) {
          types({"string", "number", "boolean"});
        } else if (key.type == "version" || key.type == "gpu") {
          types({"string", "number"});  // 9 or 13.1 without quotes
        } else {
          types({"string"});
        }
    }
    const std::string pattern = catalog::spec_pattern(*type);
    if (!pattern.empty()) json_.key("pattern").string(pattern);
  }

  catalog::SpecKeys keys_;
  JsonWriter json_;
};

}  // namespace

std::string spec_json_schema(const catalog::Catalog& catalog) {
  return SchemaWriter(catalog.spec_keys()).whole();
}

}  // namespace gpuwright::report
