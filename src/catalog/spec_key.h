// The keys that a spec may have: rows of data/spec/. Parser, JSON Schema, documentation and examples all come
// from them; docs/KNOWLEDGE.md is the schema of a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/cause.h"
#include "kit/node.h"
#include "model/spec.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

/// Section: a map of keys. Items: a list of maps of keys. The others hold values of one type.
enum class SpecShape : std::uint8_t { Section, Items, One, List, Map };

/// How gpuwright sees what a machine has there.
enum class SpecRead : std::uint8_t {
  Setting,  ///< nothing to see: other commands act on it
  Fact,     ///< facts of the machine say it
  Probe,    ///< a function says it (rules/all_spec_probes.cpp)
  Unread,   ///< it could be seen, but gpuwright does not look there yet
};

/// How a value of the machine meets what the spec asks for.
enum class SpecCompare : std::uint8_t {
  Equal,
  AtLeast,
  AtMost,
  Contains,  ///< a list has at least these, a map at least these pairs
  Prefix,    ///< a version begins with these parts
  Words,     ///< a name holds these words
};

struct SpecKey {
  std::string key;     ///< "network.ports[].mtu"
  std::string parent;  ///< "network.ports[]"; empty for what stands at the top
  std::string name;    ///< "mtu"
  SpecShape shape = SpecShape::One;
  std::string type;  ///< a name of the type table (catalog/spec_types.h); empty for Section and Items
  std::vector<std::string> allowed;  ///< the words of type "word"
  std::string least;                 ///< the range, both ends in it, as one would write them; empty: open
  std::string most;
  bool required = false;      ///< wherever its parent is written
  bool identity = false;      ///< names the item: no two of the list are equal
  std::string default_value;  ///< what gpuwright takes where nothing is written; empty: nothing is asked for
  Text doc;
  std::string example;                         ///< the value in YAML
  std::map<std::string, std::string> starter;  ///< workload class -> the value in YAML of a first spec
  SpecRead read = SpecRead::Setting;
  std::vector<std::string>
      facts;  ///< of Fact: paths of `gpuwright facts`; the first that says something counts
  SpecCompare compare = SpecCompare::Equal;
  std::int64_t slack = 0;  ///< per cent that may lack to a bound: what was sold and what can be used differ
  bool none_if_absent = false;  ///< a fact that is not found means that the thing is not there
  bool from_machine = true;     ///< written by `spec init --from-machine`
};

/// The table, as a view: it must not outlive the catalog. Parents stand before their children, sections in
/// the order of data/spec/sections.yaml.
class SpecKeys {
 public:
  explicit SpecKeys(std::span<const SpecKey> rows) : rows_(rows) {}

  std::span<const SpecKey> rows() const { return rows_; }
  /// Null when unknown. A path with "[3]" in place of "[]" is understood.
  const SpecKey* find(std::string_view path) const;
  /// The keys right below; `parent` empty: those at the top.
  std::vector<const SpecKey*> children(std::string_view parent) const;

 private:
  std::span<const SpecKey> rows_;
};

/// "network.ports[].mtu" of "network.ports[3].mtu".
std::string spec_key_of(std::string_view path);

/// One row of data/spec as it stands in the file. Malformed with `file:line`.
base::Result<SpecKey> read_spec_key(const kit::Node& row, const std::string& file);

/// Puts the rows of all files in the order of the table: `sections` first, each followed by its own.
/// Malformed for a key that stands twice or has no parent.
base::Result<std::vector<SpecKey>> arrange_spec_keys(std::vector<SpecKey> rows,
                                                     const std::vector<std::string>& sections);

}  // namespace gpuwright::catalog
