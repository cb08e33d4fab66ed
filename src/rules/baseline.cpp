// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"

#include "base/ids.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace gpuwright::rules {

namespace {

using model::Machine;
using model::PciFunction;
using Quantity = std::optional<double>;

std::vector<const PciFunction*> gpu_functions(const Machine& machine) {
  std::vector<const PciFunction*> gpus;
  for (const PciFunction& function : model::each(machine.pci)) {
    if (is_gpu(function)) gpus.push_back(&function);
  }
  return gpus;
}

double gpu_count(const Machine& machine) {
  return static_cast<double>(gpu_functions(machine).size());
}

Quantity host_memory_per_gpu_memory(const Machine& machine, Look& look) {
  const base::Bytes* host = look.need(machine.memory.total);
  const auto* gpus = look.need(machine.gpus);
  if (host == nullptr || gpus == nullptr) return std::nullopt;
  double total = 0;
  for (const model::GpuFacts& gpu : *gpus) {
    const std::int64_t* bytes = look.need(gpu.report.memory_total_bytes);
    if (bytes == nullptr) return std::nullopt;
    total += static_cast<double>(*bytes);
  }
  return total > 0 ? Quantity(static_cast<double>(host->count()) / total) : std::nullopt;
}

Quantity cores_per_gpu(const Machine& machine, Look& look) {
  const std::int64_t* cores = look.need(machine.cpu.cores);
  if (cores == nullptr) return std::nullopt;
  return static_cast<double>(*cores) / gpu_count(machine);
}

/// GPUs on each NUMA node; -1 collects those of which the firmware says nothing.
std::optional<std::map<std::int64_t, double>> gpus_by_node(const Machine& machine, Look& look) {
  std::map<std::int64_t, double> nodes;
  for (const PciFunction* gpu : gpu_functions(machine)) {
    const std::int64_t* node = look.need(gpu->numa_node);
    if (node == nullptr) return std::nullopt;
    ++nodes[std::max<std::int64_t>(*node, -1)];
  }
  return nodes;
}

/// Only where there are several nodes: with one, "unknown" costs nothing.
Quantity gpus_without_numa_node(const Machine& machine, Look& look) {
  const auto* numa = look.need(machine.cpu.numa_nodes);
  if (numa == nullptr) return std::nullopt;
  auto nodes = gpus_by_node(machine, look);
  if (!nodes) return std::nullopt;
  return numa->size() < 2 ? 0.0 : (*nodes)[-1];
}

Quantity node_imbalance(const Machine& machine, Look& look) {
  const auto* numa = look.need(machine.cpu.numa_nodes);
  auto nodes = gpus_by_node(machine, look);
  if (numa == nullptr || !nodes) return std::nullopt;
  const bool with_cores = numa->size() > 1 && nodes->count(-1) == 0;
  if (!with_cores) return 0.0;
  double fewest = gpu_count(machine), most = 0;
  for (const model::NumaNode& node : *numa) {
    const bool has_cores = node.cpu_count.known() && node.cpu_count.value() > 0;
    const double count = node.number.known() ? (*nodes)[node.number.value()] : 0.0;
    if (!has_cores) continue;  // memory of a GPU or of CXL is a node without cores
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  return std::max(0.0, most - fewest);
}

/// Of what card and slot can do together, as an idle link runs slower. 8 GT/s is generation 3, and so on.
Quantity lowest_slot_generation(const Machine& machine, Look& look) {
  Quantity lowest;
  for (const PciFunction* gpu : gpu_functions(machine)) {
    const double* speed = look.need(gpu->speed_max);
    if (speed == nullptr) return std::nullopt;
    const double generation = *speed < 5    ? 1
                              : *speed < 8  ? 2
                              : *speed < 16 ? 3
                              : *speed < 32 ? 4
                              : *speed < 64 ? 5
                                            : 6;
    lowest = lowest ? std::min(*lowest, generation) : generation;
  }
  return lowest;
}

/// Ports that carry 100 Gbit/s or more and are up.
Quantity rdma_ports_per_gpu(const Machine& machine, Look& look) {
  const bool none = !machine.network.rdma_ports.known() &&
                    machine.network.rdma_ports.reason() == model::AbsentReason::NotFound;
  const auto* ports = none ? nullptr : look.need(machine.network.rdma_ports);
  if (none) return 0.0;
  if (ports == nullptr) return std::nullopt;
  constexpr double kFastEnough = 100;
  const auto fast = std::count_if(ports->begin(), ports->end(), [](const model::RdmaFacts& port) {
    return port.rate.known() && port.rate.value() >= kFastEnough && model::key_text(port.state) == "active";
  });
  return static_cast<double>(fast) / gpu_count(machine);
}

bool is_near(std::string_view path) {
  return path.ends_with(" PIX") || path.ends_with(" PXB") || path.ends_with(" PHB") ||
         path.ends_with(" NODE");
}

bool has_near_port(const model::TopologyRow& row, const std::vector<std::string>& ports) {
  const auto& paths = model::each(row.paths);  // "ADDRESS PXB"
  return std::any_of(paths.begin(), paths.end(), [&ports](const std::string& path) {
    const std::string to = path.substr(0, path.find(' '));
    return is_near(path) && std::find(ports.begin(), ports.end(), to) != ports.end();
  });
}

/// A port is near that lies on the GPU's own socket.
Quantity gpus_without_near_port(const Machine& machine, Look& look) {
  const auto* rows = look.need(machine.topology);
  if (rows == nullptr) return std::nullopt;
  std::vector<std::string> ports;
  for (const model::RdmaFacts& port : model::each(machine.network.rdma_ports)) {
    if (port.pci.known()) ports.push_back(port.pci.value());
  }
  double far = 0;
  for (const PciFunction* gpu : gpu_functions(machine)) {
    const auto row = std::find_if(rows->begin(), rows->end(),
                                  [gpu](const model::TopologyRow& one) { return one.key() == gpu->key(); });
    if (row != rows->end() && !has_near_port(*row, ports)) ++far;
  }
  return far;
}

bool is_nvme(const model::DiskFacts& disk) {
  return model::key_text(disk.transport) == "nvme";
}

Quantity nvme_drives(const Machine& machine, Look& look) {
  const auto* disks = look.need(machine.storage.disks);
  if (disks == nullptr) return std::nullopt;
  return static_cast<double>(std::count_if(disks->begin(), disks->end(), is_nvme));
}

/// What the drives' links carry together: an upper bound, the drives may be slower. 8 GT/s and more are coded
/// 128 of 130 bits (PCI Express Base Specification).
Quantity nvme_gigabytes_per_second(const Machine& machine, Look& look) {
  const auto* disks = look.need(machine.storage.disks);
  if (disks == nullptr) return std::nullopt;
  double sum = 0;
  for (const model::DiskFacts& disk : *disks) {
    if (!is_nvme(disk)) continue;
    for (const PciFunction& function : model::each(machine.pci)) {
      if (function.key() != model::key_text(disk.pci)) continue;
      const double* speed = look.need(function.speed);
      const std::int64_t* width = look.need(function.width);
      if (speed == nullptr || width == nullptr) return std::nullopt;
      sum += *speed * static_cast<double>(*width) / 8 * 128 / 130;
    }
  }
  return sum;
}

Quantity bonded_management_ports(const Machine& machine, Look& look) {
  const auto* interfaces = look.need(machine.network.interfaces);
  if (interfaces == nullptr) return std::nullopt;
  std::size_t most = 0;
  for (const model::NicFacts& nic : *interfaces) most = std::max(most, model::each(nic.bond_members).size());
  return static_cast<double>(most);
}

Quantity nics_with_virtual_functions(const Machine& machine, Look& look) {
  const auto* interfaces = look.need(machine.network.interfaces);
  if (interfaces == nullptr) return std::nullopt;
  return static_cast<double>(
      std::count_if(interfaces->begin(), interfaces->end(), [](const model::NicFacts& nic) {
        return nic.virtual_functions_max.known() && nic.virtual_functions_max.value() > 0;
      }));
}

Quantity locked_memory_unlimited(const Machine& machine, Look& look) {
  const std::string* limit = look.need(machine.os.locked_memory_limit);
  return limit == nullptr ? std::nullopt : Quantity(*limit == "unlimited" ? 1 : 0);
}

/// A machine whose firmware rules the clocks has no governor: that is no fault.
Quantity governor_is_performance(const Machine& machine, Look&) {
  const bool other = machine.cpu.governor.known() && machine.cpu.governor.value() != "performance";
  return other ? 0.0 : 1.0;
}

struct Row {
  const char* name;
  Quantity (*compute)(const Machine& machine, Look& look);
};

constexpr std::array<Row, 13> kQuantities = {{
    {"bonded_management_ports", bonded_management_ports},
    {"cores_per_gpu", cores_per_gpu},
    {"governor_is_performance", governor_is_performance},
    {"gpus_of_fullest_node_beyond_emptiest", node_imbalance},
    {"gpus_without_near_rdma_port", gpus_without_near_port},
    {"gpus_without_numa_node", gpus_without_numa_node},
    {"host_memory_per_gpu_memory", host_memory_per_gpu_memory},
    {"locked_memory_unlimited", locked_memory_unlimited},
    {"lowest_pcie_generation_of_gpu_slots", lowest_slot_generation},
    {"nics_with_virtual_functions", nics_with_virtual_functions},
    {"nvme_drives", nvme_drives},
    {"nvme_gigabytes_per_second", nvme_gigabytes_per_second},
    {"rdma_ports_per_gpu", rdma_ports_per_gpu},
}};

std::string amount_text(double amount, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.3g}", amount) : fmt::format("{:.3g} {}", amount, unit);
}

}  // namespace

bool knows_baseline_quantity(const std::string& name) {
  return std::any_of(kQuantities.begin(), kQuantities.end(),
                     [&name](const Row& row) { return name == row.name; });
}

std::optional<double> baseline_quantity(const std::string& name, const model::Machine& machine, Look& look) {
  for (const Row& row : kQuantities) {
    if (name == row.name) return row.compute(machine, look);
  }
  return std::nullopt;
}

model::Verdict check_baseline(Look look, const Situation& situation) {
  const base::CsvTable* table = situation.catalog.table("baseline");
  if (table == nullptr || gpu_functions(situation.machine).empty() || !situation.machine.gpus.known())
    return look.not_applicable();
  for (const base::CsvTable::Row& row : table->rows) {
    const auto cell = [&](const char* column) { return table->cell(row, column); };
    if (cell("workload") != "any" && cell("workload") != situation.workload) continue;
    const auto have = baseline_quantity(cell("quantity"), situation.machine, look);
    const auto need = base::parse_double(cell("value"));
    if (!have || !need) continue;
    const bool enough = cell("relation") == "<=" ? *have <= *need : *have >= *need;
    if (enough) continue;
    model::Evidence measured;
    measured.input = "baseline";
    measured.text = fmt::format("{}: {} (asked: {} {})", cell("quantity"), amount_text(*have, cell("unit")),
                                cell("relation"), amount_text(*need, cell("unit")));
    look.fails(cell("signal"))
        .with("have", amount_text(*have, cell("unit")))
        .with("need", amount_text(*need, cell("unit")))
        .proof_at(&measured);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
