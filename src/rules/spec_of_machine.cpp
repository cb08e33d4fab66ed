// A spec of what is here: each key that can be looked at, with what the look gave. Lists of maps get their
// items from the machine's own lists; the other keys of an item are then looked for like any other.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "catalog/spec_types.h"
#include "model/fact_tree.h"
#include "rules/spec_machine.h"
#include "rules/spec_probes.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

namespace gpuwright::rules {

namespace {

using catalog::SpecCompare;
using catalog::SpecKey;
using catalog::SpecShape;
using model::Machine;
using model::SpecValue;

/// What an item is known by before its other keys are looked for: key name -> value.
using Item = std::map<std::string, SpecValue>;
using Items = std::vector<Item>;

Items gpu_models(const Machine& machine) {
  std::set<std::string> names;
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    if (gpu.report.name.known()) names.insert(gpu.report.name.value());
  }
  Items items;
  for (const std::string& name : names) items.push_back({{"model", name}});
  return items;
}

/// GPUs in MIG mode, those with the same instances together. One whose instances have no known profile gets
/// no layout.
Items mig_layouts(const Machine& machine) {
  std::map<model::SpecMap, model::SpecTexts> gpus;
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    const bool on = gpu.report.mig_current.known() && gpu.report.mig_current.value();
    if (!on || !gpu.report.index.known()) continue;
    std::map<std::string, int> counts;
    for (const model::MigInstance& instance : gpu.report.mig) ++counts[instance.profile];
    if (counts.count("") > 0) continue;
    model::SpecMap profiles;
    for (const auto& count : counts) profiles.emplace_back(count.first, std::to_string(count.second));
    gpus[profiles].push_back(model::key_text(gpu.report.index));
  }
  Items items;
  for (const auto& layout : gpus) items.push_back({{"gpus", layout.second}, {"profiles", layout.first}});
  return items;
}

Items ports(const Machine& machine) {
  std::set<std::string> names;
  for (const model::NicFacts& nic : model::each(machine.network.interfaces)) {
    if (!nic.bond_members.known()) names.insert(nic.key());
  }
  for (const model::RdmaFacts& port : model::each(machine.network.rdma_ports))
    names.insert(model::key_text(port.device));
  Items items;
  for (const std::string& name : names) items.push_back({{"name", name}});
  return items;
}

Items bonds(const Machine& machine) {
  Items items;
  for (const model::NicFacts& nic : model::each(machine.network.interfaces)) {
    if (nic.bond_members.known()) items.push_back({{"name", nic.key()}});
  }
  return items;
}

Items mounts(const Machine& machine) {
  Items items;
  for (const model::MountFacts& mount : model::each(machine.storage.mounts)) {
    if (mount.point.known()) items.push_back({{"mount_point", mount.point.value()}});
  }
  return items;
}

Items firmware(const Machine& machine) {
  Items items;
  if (machine.os.bios_version.known()) items.push_back({{"component", std::string("BIOS")}});
  if (machine.management.bmc.firmware.known()) items.push_back({{"component", std::string("BMC")}});
  if (!model::each(machine.gpus).empty()) items.push_back({{"component", std::string("GPU VBIOS")}});
  return items;
}

struct ItemSource {
  const char* list;
  Items (*items)(const Machine& machine);
};

constexpr std::array<ItemSource, 6> kSources = {{{"firmware", firmware},
                                                 {"gpu.inventory", gpu_models},
                                                 {"gpu.mig.layouts", mig_layouts},
                                                 {"network.bonds", bonds},
                                                 {"network.ports", ports},
                                                 {"storage.mounts", mounts}}};

/// Three digits, never more than it is: a bound that the machine keeps.
double rounded_down(double value) {
  if (value <= 0) return value;
  const double step = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::floor(value / step + 1e-9) * step;
}

class Author {
 public:
  Author(const Machine& machine, const catalog::Catalog& catalog)
      : keys_(catalog.spec_keys()), machine_(machine), facts_(model::fact_tree(machine)) {}

  SpecOfMachine result;

  void write(const std::string& workload_class) {
    for (const SpecKey& key : keys_.rows()) {
      if (key.key == "workload.class" && !workload_class.empty()) keep(key, key.key, workload_class);
      if (key.shape == SpecShape::Items) write_items(key);
      const bool single = key.key.find("[]") == std::string::npos;
      if (single && is_written(key)) look(key, key.key);
    }
  }

 private:
  /// Lists that a machine has much more of than anybody asks for are left to people.
  static bool is_written(const SpecKey& key) {
    const bool seen = key.read == catalog::SpecRead::Fact || key.read == catalog::SpecRead::Probe;
    return seen && key.from_machine && key.compare != SpecCompare::Contains && key.shape == SpecShape::One;
  }

  void write_items(const SpecKey& list) {
    for (const ItemSource& source : kSources) {
      if (list.key != source.list) continue;
      std::int64_t written = 0;
      const std::size_t at = result.spec.entries.size();
      for (const Item& item : source.items(machine_)) written += write_item(list, item, written) ? 1 : 0;
      if (written == 0) continue;
      model::SpecEntry entry;
      entry.path = entry.key = list.key;
      entry.value = model::SpecItems{written};
      result.spec.entries.insert(result.spec.entries.begin() + static_cast<std::ptrdiff_t>(at),
                                 std::move(entry));
    }
  }

  /// False, and nothing written, where a required key cannot be.
  bool write_item(const SpecKey& list, const Item& item, std::int64_t number) {
    const std::size_t before = result.spec.entries.size();
    for (const SpecKey* key : keys_.children(list.key + "[]")) {
      const std::string path = model::spec_path(list.key, number, key->name);
      const auto known = item.find(key->name);
      bool written = false;
      if (known != item.end()) written = keep(*key, path, known->second);
      if (known == item.end() && is_written(*key)) written = look(*key, path);
      if (written || !key->required) continue;
      result.spec.entries.resize(before);
      return false;
    }
    return true;
  }

  bool look(const SpecKey& key, const std::string& path) {
    const SpecSights sights = look_for(SpecLook{key, result.spec, path, machine_, facts_});
    std::optional<SpecValue> value;
    for (const SpecSight& sight : sights) {
      if (sight.kind == SpecSight::Kind::Unknown) {
        result.unknown.push_back(fmt::format("{}: {}", path, model::word_of(sight.reason)));
        return false;
      }
      if (sight.kind == SpecSight::Kind::None) return false;
      if (!value) value = sight.value;
      const bool less = key.compare == SpecCompare::AtLeast && sight.value < *value;
      if (less) value = sight.value;
      if (key.compare != SpecCompare::AtLeast && sight.value != *value) {
        result.unknown.push_back(path + ": not the same on all");
        return false;
      }
    }
    return value && keep(key, path, *value);
  }

  /// Writes the value, if the key takes it.
  bool keep(const SpecKey& key, const std::string& path, SpecValue value) {
    const bool bound = key.compare == SpecCompare::AtLeast;
    if (bound && (value == SpecValue(0.0) || value == SpecValue(std::int64_t{0})))
      return false;  // asks nothing
    double* number = std::get_if<double>(&value);
    if (number != nullptr && bound) *number = rounded_down(*number);
    model::SpecEntry entry;
    entry.path = path;
    entry.key = key.key;
    entry.value = value;
    if (key.shape == SpecShape::One) {
      entry.written = catalog::spec_value_text(key, value);
      const auto read = catalog::read_spec_value(key, entry.written);
      const auto* again = std::get_if<SpecValue>(&read);
      if (again == nullptr) return false;
      entry.value = *again;
    }
    result.spec.entries.push_back(std::move(entry));
    return true;
  }

  catalog::SpecKeys keys_;
  const Machine& machine_;
  model::FactNode facts_;
};

}  // namespace

SpecOfMachine spec_of_machine(const Machine& machine, const std::string& workload_class,
                              const catalog::Catalog& catalog) {
  Author author(machine, catalog);
  author.write(workload_class);
  return std::move(author.result);
}

}  // namespace gpuwright::rules
