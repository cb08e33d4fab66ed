// Processors and NUMA nodes. Source: proc_cpuinfo(5), Documentation/ABI/stable/sysfs-devices-node,
// Documentation/ABI/testing/sysfs-devices-system-cpu.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "facts/kernel_text.h"

#include <fmt/core.h>

#include <array>
#include <set>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

/// What /proc/cpuinfo says: x86 has sockets and cores there, arm64 does not.
struct CpuInfo {
  std::string model, vendor, microcode;
  std::int64_t address_bits = 0;
  std::set<std::string> packages;
  std::set<std::string> cores;
  std::int64_t threads = 0;
  List flags;
};

void read_flags(std::string_view value, CpuInfo& info) {
  constexpr std::array<std::string_view, 6> kWanted = {"vmx",     "svm",      "avx2",
                                                       "avx512f", "amx_tile", "hypervisor"};
  for (const std::string_view flag : base::words(value)) {
    for (const std::string_view wanted : kWanted) {
      if (flag == wanted) info.flags.emplace_back(flag);
    }
  }
}

CpuInfo cpu_info_of(std::string_view text) {
  CpuInfo info;
  std::string package;
  for (const std::string_view line : base::lines(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = base::trim(line.substr(0, colon));
    const std::string_view value = base::trim(line.substr(colon + 1));
    if (key == "processor") ++info.threads;
    if (key == "model name" && info.model.empty()) info.model = base::printable(value, 100);
    if (key == "vendor_id" && info.vendor.empty()) info.vendor = base::printable(value, 40);
    if (key == "microcode" && info.microcode.empty()) info.microcode = base::printable(value, 40);
    if (key == "physical id") info.packages.insert(package = std::string(value));
    if (key == "core id") info.cores.insert(package + "/" + std::string(value));
    if (key == "flags" && info.flags.empty()) read_flags(value, info);
    if (key == "address sizes" && info.address_bits == 0) {
      const auto bits = base::parse_number_and_unit(value);
      if (bits) info.address_bits = static_cast<std::int64_t>(bits->number);
    }
  }
  return info;
}

void collect_cpuinfo(Probe& probe, model::CpuFacts& cpu) {
  const auto text = probe.text("/proc/cpuinfo", Probe::kLarge);
  const CpuInfo info = text.known() ? cpu_info_of(text.value()) : CpuInfo();
  const auto take = [&](const auto& value, bool told) {
    using T = std::decay_t<decltype(value)>;
    if (!text.known()) return Probe::as_absent<T>(text);
    return told ? Probe::derived(value, text) : Field<T>(Absent{AbsentReason::NotFound}, text.provenance());
  };
  cpu.model = take(info.model, !info.model.empty());
  cpu.vendor = take(info.vendor, !info.vendor.empty());
  cpu.microcode = take(info.microcode, !info.microcode.empty());
  cpu.physical_address_bits = take(info.address_bits, info.address_bits > 0);
  cpu.threads = take(info.threads, info.threads > 0);
  cpu.sockets = take(static_cast<std::int64_t>(info.packages.size()), !info.packages.empty());
  cpu.cores = take(static_cast<std::int64_t>(info.cores.size()), !info.cores.empty());
  cpu.flags = take(info.flags, text.known());
}

/// "Node 0 MemTotal:  131072 kB".
Field<base::Bytes> memory_of(Probe& probe, const Field<std::string>& meminfo, std::string_view key) {
  if (!meminfo.known()) return Probe::as_absent<base::Bytes>(meminfo);
  for (const std::string_view line : base::lines(meminfo.value())) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) continue;
    const auto kibibytes = base::parse_number_and_unit(line.substr(at + key.size()));
    if (kibibytes)
      return Probe::derived(base::Bytes(static_cast<std::int64_t>(kibibytes->number) * 1024), meminfo);
  }
  return Field<base::Bytes>(Absent{AbsentReason::NotFound}, probe.note("meminfo", key));
}

model::NumaNode node_of(Probe& probe, std::int64_t number) {
  const std::string folder = fmt::format("/sys/devices/system/node/node{}/", number);
  model::NumaNode node;
  node.number = probe.found(number, folder);
  node.cpus = probe.text(folder + "cpulist");
  node.cpu_count = Probe::read_as<std::int64_t>(node.cpus, count_of_ranges);
  const auto meminfo = probe.text(folder + "meminfo");
  node.memory = memory_of(probe, meminfo, "MemTotal:");
  node.memory_free = memory_of(probe, meminfo, "MemFree:");
  node.distances = Probe::read_as<List>(probe.text(folder + "distance"), [](const std::string& text) {
    List list;
    for (const std::string_view word : base::words(text)) list.emplace_back(word);
    return std::optional<List>(list);
  });
  node.hugepages_2m = probe.integer(folder + "hugepages/hugepages-2048kB/nr_hugepages");
  node.hugepages_1g = probe.integer(folder + "hugepages/hugepages-1048576kB/nr_hugepages");
  return node;
}

}  // namespace

void collect_cpu(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::CpuFacts& cpu = machine.cpu;
  collect_cpuinfo(probe, cpu);
  cpu.smt = probe.flag("/sys/devices/system/cpu/smt/active");
  cpu.governor = probe.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  cpu.offline = Probe::read_as<std::int64_t>(probe.text("/sys/devices/system/cpu/offline"), count_of_ranges);
  const auto online = probe.text("/sys/devices/system/node/online");
  const auto numbers = Probe::read_as<std::vector<std::int64_t>>(online, numbers_of_ranges);
  if (!numbers.known()) {
    cpu.numa_nodes = Probe::as_absent<std::vector<model::NumaNode>>(numbers);
    return;
  }
  std::vector<model::NumaNode> nodes;
  for (const std::int64_t number : numbers.value()) nodes.push_back(node_of(probe, number));
  cpu.numa_nodes = Probe::derived(std::move(nodes), online);
}

}  // namespace gpuwright::facts
