// The types that a value of a spec can have, and how a value is read. One row a type; a quantity has its
// units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/spec_key.h"
#include "model/spec.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpuwright::catalog {

enum class SpecKind : std::uint8_t { Boolean, Integer, Number, Quantity, Text };

struct SpecUnit {
  const char* name;
  double factor;  ///< to the base unit
};

struct SpecType {
  const char* name;
  SpecKind kind;
  std::span<const SpecUnit> units;  ///< of a quantity, the base unit first
  const char* pattern;              ///< RE2 and ECMA 262 alike; the whole of a text; empty: any line of text
  const char* en;                   ///< "an absolute path"
  const char* zh;
};

/// All types, by name.
std::span<const SpecType> spec_types();
/// Null when unknown.
const SpecType* spec_type(std::string_view name);

/// The expression that the written form of a value follows; empty: any line of text.
std::string spec_pattern(const SpecType& type);

/// One value of the key's type (of one item, where the key holds a list or a map), or what is wrong with it:
/// fault, found, wanted and suggestion are set.
std::variant<model::SpecValue, model::SpecProblem> read_spec_value(const SpecKey& key, std::string_view text);

/// The value for people and for comparing: "true", "8", a quantity in the largest unit that needs no more
/// than three digits behind the point, "[a, b]", "{a: 1}".
std::string spec_value_text(const SpecKey& key, const model::SpecValue& value);

/// A value of YAML on one line: a scalar, "[0, 1]" or "{a: 7}". `as_text`: quoted where it could be taken for
/// a number.
std::string flow_yaml(const kit::Node& node, bool as_text);
/// Whether values of the type are texts to YAML, also where they look like numbers (a version "13.0").
bool is_yaml_text(const SpecKey& key);

}  // namespace gpuwright::catalog
