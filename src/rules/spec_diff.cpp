// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_diff.h"

#include "catalog/spec_types.h"

#include <map>
#include <string>

namespace gpuwright::rules {

namespace {

using catalog::SpecKey;
using catalog::SpecKeys;
using model::Spec;
using model::SpecEntry;

/// A spec's values by a path in which items are named: "network.ports[eth0].mtu".
class Named {
 public:
  Named(const Spec& spec, const SpecKeys& keys) {
    for (const SpecKey& key : keys.rows()) {
      if (key.identity) identity_[key.parent.substr(0, key.parent.size() - 2)] = key.name;
    }
    for (const SpecEntry& entry : spec.entries) by_path_[entry.path] = &entry;
    for (const SpecEntry& entry : spec.entries) {
      const std::string path = named(entry.path);
      order.push_back(path);
      by_name[path] = &entry;
    }
  }

  std::vector<std::string> order;
  std::map<std::string, const SpecEntry*> by_name;

 private:
  /// Each "list[3]" of the path as "list[name]", where the item has a name.
  std::string named(const std::string& path) const {
    std::string result;
    std::size_t done = 0;
    for (std::size_t open = path.find('['); open != std::string::npos; open = path.find('[', open + 1)) {
      const std::size_t close = path.find(']', open);
      const auto identity = identity_.find(catalog::spec_key_of(path.substr(0, open)));
      const std::string item = path.substr(0, close + 1);
      const auto name =
          identity == identity_.end() ? by_path_.end() : by_path_.find(item + "." + identity->second);
      const auto* text = name == by_path_.end() ? nullptr : std::get_if<std::string>(&name->second->value);
      result += path.substr(done, open + 1 - done);
      result += text == nullptr ? path.substr(open + 1, close - open - 1) : *text;
      done = close;
    }
    return result + path.substr(done);
  }

  std::map<std::string, std::string> identity_;  ///< list -> the key that names its items
  std::map<std::string, const SpecEntry*> by_path_;
};

}  // namespace

std::vector<std::string> named_paths(const Spec& spec, const catalog::Catalog& catalog) {
  return Named(spec, catalog.spec_keys()).order;
}

std::vector<model::SpecDifference> compare_specs(const Spec& left, const Spec& right,
                                                 const catalog::Catalog& catalog) {
  const SpecKeys keys = catalog.spec_keys();
  const Named a(left, keys), b(right, keys);
  std::vector<model::SpecDifference> differences;
  const auto text = [&](const SpecEntry& entry) {
    const SpecKey* key = keys.find(entry.key);
    return key == nullptr ? entry.written : catalog::spec_value_text(*key, entry.value);
  };
  const auto is_list_of_maps = [](const SpecEntry& entry) {
    return std::holds_alternative<model::SpecItems>(entry.value);
  };
  for (const std::string& path : a.order) {
    const SpecEntry& here = *a.by_name.at(path);
    const auto there = b.by_name.find(path);
    const bool equal = there != b.by_name.end() && there->second->value == here.value;
    // Lists speak through their items; only one that the other spec lacks altogether is told itself.
    if (equal || (there != b.by_name.end() && is_list_of_maps(here))) continue;
    if (there == b.by_name.end()) {
      differences.push_back({path, text(here), std::nullopt});
    } else {
      differences.push_back({path, text(here), text(*there->second)});
    }
  }
  for (const std::string& path : b.order) {
    if (a.by_name.count(path) == 0) differences.push_back({path, std::nullopt, text(*b.by_name.at(path))});
  }
  return differences;
}

}  // namespace gpuwright::rules
