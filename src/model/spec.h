// A spec: what a machine, or a fleet of equal machines, should be. It is kept as written, key by key, in the
// order of the key table (data/spec/): what is not written is not asked for. A path is the key with the
// item's number in place of each "[]": "network.ports[0].mtu" is an instance of the key
// "network.ports[].mtu".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpuwright::model {

/// A list whose items are maps; their keys follow as entries of their own.
struct SpecItems {
  std::int64_t count = 0;
  // clang-tidy 14 errs: the 0 is the one that the compiler itself puts behind a defaulted <=>.
  auto operator<=>(const SpecItems&) const = default;  // NOLINT(modernize-use-nullptr)
};

using SpecTexts = std::vector<std::string>;
using SpecMap = std::vector<std::pair<std::string, std::string>>;

/// A quantity is a double in its base unit: watts, bytes, bits or bytes a second, hertz, seconds, per cent,
/// degrees Celsius.
using SpecValue = std::variant<bool, std::int64_t, double, std::string, SpecTexts, SpecMap, SpecItems>;

struct SpecEntry {
  std::string path;  ///< "gpu.inventory[0].model"
  std::string key;   ///< "gpu.inventory[].model": a row of the key table
  SpecValue value;
  std::string written;  ///< a single value as it stands in the file ("0.5 kW"); empty for lists and maps
  std::int32_t line = 0;
  std::int32_t column = 0;
};

/// Where `path` stands: "network.ports[2].mtu" from ("network.ports", 2, "mtu").
std::string spec_path(std::string_view list, std::int64_t item, std::string_view key);

class Spec {
 public:
  std::string name;                ///< the file's name, for messages
  std::vector<SpecEntry> entries;  ///< in the order of the key table

  /// Null when the spec does not say. So do the others: nothing is what was not written, or is of another
  /// type.
  const SpecEntry* find(std::string_view path) const;
  std::optional<bool> flag(std::string_view path) const;
  std::optional<std::int64_t> integer(std::string_view path) const;
  std::optional<std::string> text(std::string_view path) const;
  /// A quantity as its strong type: quantity<base::Watts>("gpu.power_limit").
  template <class Unit>
  std::optional<Unit> quantity(std::string_view path) const {
    const std::optional<double> number = this->number(path);
    if (!number) return std::nullopt;
    return Unit(static_cast<decltype(Unit(0).count())>(*number));
  }
  std::optional<double> number(std::string_view path) const;
  SpecTexts texts(std::string_view path) const;  ///< empty when not written
  SpecMap map(std::string_view path) const;      ///< empty when not written
  /// How many items the list of maps has; 0 when not written.
  std::int64_t count(std::string_view path) const;

 private:
  template <class T>
  const T* get(std::string_view path) const {
    const SpecEntry* entry = find(path);
    return entry == nullptr ? nullptr : std::get_if<T>(&entry->value);
  }
};

/// What can be wrong with a spec.
enum class SpecFault : std::uint8_t {
  Unreadable,     ///< no YAML: `wanted` says why
  NotAMap,        ///< the whole is no map of keys
  MoreDocuments,  ///< a second document begins
  UnknownKey,     ///< `suggestion` may name the key that was meant
  Duplicate,      ///< `found` names the line where it stood first
  Empty,          ///< a key without value
  WrongShape,     ///< a list where a value belongs, and the like: `found` and `wanted` are words of SpecShape
  WrongType,      ///< `found` is no `wanted`, a name of the type table
  NotAllowed,     ///< `found` is none of the words `wanted`
  UnitMissing,    ///< `wanted` is an example with its unit
  UnitWrong,      ///< `found` is a unit, `wanted` the units that fit
  OutOfRange,     ///< `wanted` is the range
  Missing,        ///< a key that its neighbours need
  TooMany,        ///< more items than `wanted`
  TooLong,        ///< more characters than `wanted`
  Contradiction,  ///< two keys that exclude each other: `wanted` names a sentence of the check list
};

/// One fault of a spec, with its place.
struct SpecProblem {
  SpecFault fault = SpecFault::Unreadable;
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::string path;  ///< where in the spec; empty: the whole
  std::string found;
  std::string wanted;
  std::string suggestion;
};

/// What one spec says and another does not, or says otherwise.
struct SpecDifference {
  std::string path;  ///< list items by name: "network.ports[eth0].mtu"
  std::optional<std::string> left;
  std::optional<std::string> right;
  bool operator==(const SpecDifference&) const = default;
};

}  // namespace gpuwright::model
