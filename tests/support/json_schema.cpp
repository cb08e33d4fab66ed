// Source: JSON Schema draft 2020-12, the part that our schemas use.
// SPDX-License-Identifier: Apache-2.0
#include "support/json_schema.h"

#include "kit/regex.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using Json = nlohmann::json;

bool is_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  return type == value.type_name();
}

class Checker {
 public:
  explicit Checker(const Json& schema) : schema_(schema) {}

  void check(const Json& value, const Json& rule, const std::string& place) {
    if (rule.is_boolean()) {  // true allows anything
      if (!rule.get<bool>()) breach(place, "is not allowed");
      return;
    }
    if (rule.contains("$ref")) {
      const std::string name = rule["$ref"].get<std::string>();
      check(value, schema_.at(Json::json_pointer(name.substr(1))), place);
      return;
    }
    if (!check_type(value, rule, place)) return;
    if (rule.contains("enum") &&
        std::find(rule["enum"].begin(), rule["enum"].end(), value) == rule["enum"].end()) {
      breach(place, "not one of the allowed values: " + value.dump());
    }
    if (value.is_number()) check_bounds(value, rule, place);
    if (value.is_string() && rule.contains("pattern")) check_pattern(value, rule, place);
    if (value.is_object()) check_object(value, rule, place);
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        check(value[i], rule.at("items"), place + "/" + std::to_string(i));
    }
  }

  std::vector<std::string> breaches;

 private:
  void breach(const std::string& place, const std::string& what) { breaches.push_back(place + ": " + what); }

  bool check_type(const Json& value, const Json& rule, const std::string& place) {
    if (!rule.contains("type")) return true;
    const Json& type = rule["type"];
    bool right = false;
    for (const Json& one : type.is_array() ? type : Json::array({type}))
      right = right || is_type(value, one.get<std::string>());
    if (!right) breach(place, "has the wrong type: " + value.dump().substr(0, 80));
    return right;
  }

  void check_bounds(const Json& value, const Json& rule, const std::string& place) {
    if (rule.contains("minimum") && value < rule["minimum"])
      breach(place, "below the minimum: " + value.dump());
    if (rule.contains("maximum") && value > rule["maximum"])
      breach(place, "above the maximum: " + value.dump());
  }

  void check_pattern(const Json& value, const Json& rule, const std::string& place) {
    const auto pattern = kit::Regex::compile(rule["pattern"].get<std::string>());
    if (!pattern || !pattern.value().matches(value.get<std::string>()))
      breach(place, "does not follow the pattern: " + value.dump());
  }

  void check_object(const Json& value, const Json& rule, const std::string& place) {
    for (const Json& name : rule.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) breach(place, "lacks " + name.get<std::string>());
    }
    const Json known = rule.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      if (known.contains(name)) {
        check(member, known[name], place + "/" + name);
      } else if (rule.contains("additionalProperties")) {
        check(member, rule["additionalProperties"], place + "/" + name);
      } else {
        breach(place, "has a property that the schema does not name: " + name);
      }
    }
  }

  const Json& schema_;
};

}  // namespace

std::vector<std::string> schema_breaches(const std::string& document, const std::string& schema) {
  const Json rules = Json::parse(schema, nullptr, false);
  if (rules.is_discarded()) return {"the schema is no JSON"};
  const Json value = Json::parse(document, nullptr, false);
  if (value.is_discarded()) return {"the document is no JSON"};
  Checker checker(rules);
  checker.check(value, rules, "");
  return checker.breaches;
}

}  // namespace gpuwright::tests
