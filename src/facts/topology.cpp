// How near GPUs and network cards are to each other, from the tree of PCI ports, the NUMA nodes and the
// NVLinks. Source: nvidia-smi documentation, "topo -m": PIX at most one bridge, PXB several bridges and no
// host bridge, PHB a host bridge, NODE several host bridges of one NUMA node, SYS between NUMA nodes, NV#
// bonded links.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

class Distances {
 public:
  explicit Distances(const model::Machine& machine) {
    for (const model::PciFunction& function : model::each(machine.pci))
      functions_[function.key()] = &function;
    for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
      const std::string address = canonical(gpu.report.key());
      for (const model::NvlinkFacts& link : model::each(gpu.nvlinks)) {
        if (model::key_text(link.state) == "up") ++links_[address][canonical(model::key_text(link.remote))];
      }
    }
  }

  static std::string canonical(const std::string& text) {
    const auto address = base::PciAddress::parse(text);
    return address ? address->text() : text;
  }

  bool knows(const std::string& address) const { return functions_.count(address) != 0; }

  std::string between(const std::string& a, const std::string& b) const {
    const std::int64_t links = nvlinks(a, b);
    if (links > 0) return fmt::format("NV{}", links);
    const List up_a = ports_above(a), up_b = ports_above(b);
    if (!up_a.empty() && !up_b.empty() && up_a.back() == up_b.back()) return near(up_a, up_b) ? "PIX" : "PXB";
    if (root_bus(a, up_a) == root_bus(b, up_b)) return "PHB";
    const auto node = [this](const std::string& address) { return functions_.at(address)->numa_node; };
    const auto node_a = node(a), node_b = node(b);
    if (!node_a.known() || !node_b.known() || node_a.value() < 0 || node_b.value() < 0) return "unknown";
    return node_a.value() == node_b.value() ? "NODE" : "SYS";
  }

 private:
  /// Direct links, or through switches: as many as both have up to the same switches.
  std::int64_t nvlinks(const std::string& a, const std::string& b) const {
    const auto from = links_.find(a), to = links_.find(b);
    if (from == links_.end() || to == links_.end()) return 0;
    if (const auto direct = from->second.find(b); direct != from->second.end()) return direct->second;
    std::int64_t shared = 0;
    for (const auto& [remote, count] : from->second) {
      const auto other = to->second.find(remote);
      if (other != to->second.end() && links_.count(remote) == 0) shared += std::min(count, other->second);
    }
    return shared;
  }

  /// The ports above, the nearest first.
  List ports_above(const std::string& address) const {
    List ports;
    auto at = functions_.find(address);
    while (at != functions_.end() && ports.size() < 32) {
      const std::string parent = model::key_text(at->second->parent);
      at = functions_.find(parent);
      if (at != functions_.end()) ports.push_back(parent);
    }
    return ports;
  }

  /// Below one switch: the ports above both are the same, or hang on the same upstream port.
  static bool near(const List& a, const List& b) {
    if (a.front() == b.front()) return true;
    return a.size() > 1 && b.size() > 1 && a[1] == b[1];
  }

  /// The bus of the host bridge: that of the topmost port, or of the device itself.
  static std::string root_bus(const std::string& address, const List& ports) {
    const std::string& top = ports.empty() ? address : ports.back();
    return top.substr(0, top.rfind(':'));
  }

  std::map<std::string, const model::PciFunction*> functions_;
  std::map<std::string, std::map<std::string, std::int64_t>> links_;
};

/// GPUs, then network cards, in the order of their addresses.
List devices_of(const model::Machine& machine, const Distances& distances) {
  List gpus, nics;
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    const std::string address = Distances::canonical(gpu.report.key());
    if (distances.knows(address)) gpus.push_back(address);
  }
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (model::key_text(function.class_code).starts_with("02")) nics.push_back(function.key());
  }
  constexpr std::size_t kMostDevices = 128;
  gpus.insert(gpus.end(), nics.begin(), nics.end());
  gpus.resize(std::min(gpus.size(), kMostDevices));
  return gpus;
}

}  // namespace

void collect_topology(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  using Rows = std::vector<model::TopologyRow>;
  if (!machine.pci.known() || !machine.gpus.known()) {
    machine.topology =
        machine.pci.known() ? Probe::as_absent<Rows>(machine.gpus) : Probe::as_absent<Rows>(machine.pci);
    return;
  }
  const Distances distances(machine);
  const List devices = devices_of(machine, distances);
  const std::int32_t place = probe.note("PCI tree, NUMA nodes and NVLinks", "");
  Rows rows;
  for (const std::string& device : devices) {
    model::TopologyRow row;
    row.device = Field<std::string>(device, place);
    List paths;
    for (const std::string& other : devices) {
      if (other != device) paths.push_back(other + " " + distances.between(device, other));
    }
    row.paths = Field<List>(std::move(paths), place);
    rows.push_back(std::move(row));
  }
  machine.topology = Field<Rows>(std::move(rows), place);
}

}  // namespace gpuwright::facts
