// What a spec asks of the host that no single fact answers. Source: kernel-parameters.txt (iommu=pt,
// iommu.passthrough); PCIe base specification, access control services.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/spec_probes.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

using model::AbsentReason;
using model::Field;
using model::SpecValue;

/// Unknown for the reason that the field has.
template <class T>
SpecSights unknown(const SpecLook& look, const Field<T>& field) {
  return {sight_of(look.machine, field, [](const T&) { return SpecValue(true); })};
}

SpecSights value(SpecValue found) {
  return {sight_of_value(std::move(found), {})};
}

bool has_option(const model::Machine& machine, std::string_view option) {
  const auto& options = model::each(machine.os.command_line);
  return std::find(options.begin(), options.end(), option) != options.end();
}

const model::PciFunction* function_at(const model::Machine& machine, const std::string& address) {
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (function.key() == address) return &function;
  }
  return nullptr;
}

}  // namespace

SpecSights probe_cores_per_gpu(const SpecLook& look) {
  if (!look.machine.cpu.cores.known()) return unknown(look, look.machine.cpu.cores);
  if (!look.machine.gpus.known()) return unknown(look, look.machine.gpus);
  const std::size_t gpus = look.machine.gpus.value().size();
  if (gpus == 0) return {};
  return value(static_cast<double>(look.machine.cpu.cores.value()) / static_cast<double>(gpus));
}

SpecSights probe_memory_ratio(const SpecLook& look) {
  if (!look.machine.memory.total.known()) return unknown(look, look.machine.memory.total);
  if (!look.machine.gpus.known()) return unknown(look, look.machine.gpus);
  double gpu_bytes = 0;
  for (const model::GpuFacts& gpu : look.machine.gpus.value()) {
    if (!gpu.report.memory_total_bytes.known()) return {sight_of(gpu.report, gpu.report.memory_total_bytes)};
    gpu_bytes += static_cast<double>(gpu.report.memory_total_bytes.value());
  }
  if (gpu_bytes <= 0) return {};
  return value(static_cast<double>(look.machine.memory.total.value().count()) / gpu_bytes);
}

SpecSights probe_numa_nodes(const SpecLook& look) {
  if (!look.machine.cpu.numa_nodes.known()) return unknown(look, look.machine.cpu.numa_nodes);
  const auto& nodes = look.machine.cpu.numa_nodes.value();
  const auto count = std::count_if(nodes.begin(), nodes.end(), [](const model::NumaNode& node) {
    return !node.cpu_count.known() || node.cpu_count.value() > 0;
  });
  return value(static_cast<std::int64_t>(count));
}

SpecSights probe_hugepages(const SpecLook& look) {
  if (!look.machine.cpu.numa_nodes.known()) return unknown(look, look.machine.cpu.numa_nodes);
  const double size = look.spec.number(look.sibling("size")).value_or(0);
  const auto wanted = look.spec.integer(look.sibling("numa_node"));
  constexpr double kLarge = 1 << 30, kSmall = 2 << 20;
  if (size != kLarge && size != kSmall) return {sight_of_unknown(AbsentReason::Unsupported, {})};
  std::int64_t pages = 0;
  for (const model::NumaNode& node : look.machine.cpu.numa_nodes.value()) {
    if (wanted && node.key() != std::to_string(*wanted)) continue;
    const Field<std::int64_t>& count = size == kLarge ? node.hugepages_1g : node.hugepages_2m;
    if (!count.known()) return unknown(look, count);
    pages += count.value();
  }
  return value(pages);
}

SpecSights probe_iommu(const SpecLook& look) {
  if (!look.machine.pci.known()) return unknown(look, look.machine.pci);
  if (!look.machine.os.command_line.known()) return unknown(look, look.machine.os.command_line);
  const auto& functions = look.machine.pci.value();
  const bool grouped =
      std::any_of(functions.begin(), functions.end(), [](const model::PciFunction& function) {
        return function.iommu_group.known() && !function.iommu_group.value().empty();
      });
  if (!grouped) return value(std::string("disabled"));
  if (has_option(look.machine, "iommu=pt") || has_option(look.machine, "iommu.passthrough=1"))
    return value(std::string("passthrough"));
  if (has_option(look.machine, "iommu=nopt") || has_option(look.machine, "iommu.passthrough=0"))
    return value(std::string("translated"));
  return {sight_of_unknown(AbsentReason::Unsupported, {})};  // as the kernel was built
}

SpecSights probe_pcie_acs(const SpecLook& look) {
  if (!look.machine.pci.known()) return unknown(look, look.machine.pci);
  bool any = false, redirects = false;
  const Field<bool>* hidden = nullptr;
  for (const model::GpuFacts& gpu : model::each(look.machine.gpus)) {
    const model::PciFunction* function = function_at(look.machine, model::key_text(gpu.report.pci));
    constexpr int kDeepest = 16;
    for (int depth = 0; function != nullptr && depth < kDeepest; ++depth) {
      function = function_at(look.machine, model::key_text(function->parent));
      if (function == nullptr) break;
      any = any || function->acs_redirect.known();
      redirects = redirects || (function->acs_redirect.known() && function->acs_redirect.value());
      if (!function->acs_redirect.known() && function->acs_redirect.reason() == AbsentReason::Denied)
        hidden = &function->acs_redirect;
    }
  }
  if (redirects) return value(true);
  if (hidden != nullptr) return unknown(look, *hidden);
  if (!any) return {sight_of_unknown(AbsentReason::NotFound, {})};
  return value(false);
}

SpecSights probe_swap(const SpecLook& look) {
  return {sight_of(look.machine, look.machine.memory.swap_total,
                   [](base::Bytes bytes) { return SpecValue(bytes.count() > 0); })};
}

SpecSights probe_sysctl(const SpecLook& look) {
  const model::OsFacts& os = look.machine.os;
  const std::array<std::pair<const char*, const Field<std::int64_t>*>, 3> known = {
      {{"vm.swappiness", &os.swappiness},
       {"kernel.numa_balancing", &os.numa_balancing},
       {"vm.max_map_count", &os.max_map_count}}};
  SpecSights sights;
  model::SpecMap found;
  for (const auto& wanted : look.spec.map(look.path)) {
    const auto at =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return wanted.first == one.first; });
    if (at != known.end() && at->second->known()) {
      found.emplace_back(wanted.first, std::to_string(at->second->value()));
    } else {
      found.push_back(wanted);  // not told against; what is not known is said beside it
      sights.push_back(
          sight_of_unknown(at == known.end() ? AbsentReason::Unsupported : at->second->reason(), {}));
    }
  }
  sights.insert(sights.begin(), sight_of_value(found, {}));
  return sights;
}

SpecSights probe_time_sync(const SpecLook& look) {
  if (!look.machine.management.services.known()) return unknown(look, look.machine.management.services);
  constexpr std::array kDaemons = {"chrony.service", "chronyd.service", "systemd-timesyncd.service"};
  for (const model::ServiceFacts& service : look.machine.management.services.value()) {
    const bool keeps = std::find(kDaemons.begin(), kDaemons.end(), service.key()) != kDaemons.end();
    if (keeps && model::key_text(service.active) == "active") return value(true);
  }
  return {sight_of_unknown(AbsentReason::Unsupported, {})};  // another daemon may do it, or PTP
}

SpecSights probe_modules(const SpecLook& look) {
  if (!look.machine.driver.modules.known()) return unknown(look, look.machine.driver.modules);
  model::SpecTexts found;
  for (const model::ModuleFacts& module : look.machine.driver.modules.value()) found.push_back(module.key());
  for (const std::string& wanted : look.spec.texts(look.path)) {
    // Facts hold the modules that matter here, not all.
    if (std::find(found.begin(), found.end(), wanted) == found.end())
      return {sight_of_unknown(AbsentReason::Unsupported, {})};
  }
  return value(found);
}

SpecSights probe_units(const SpecLook& look) {
  if (!look.machine.management.services.known()) return unknown(look, look.machine.management.services);
  SpecSights sights;
  model::SpecMap found;
  for (const auto& wanted : look.spec.map(look.path)) {
    const auto& services = look.machine.management.services.value();
    const auto at = std::find_if(services.begin(), services.end(), [&](const model::ServiceFacts& service) {
      return service.key() == wanted.first || service.key() == wanted.first + ".service";
    });
    const bool known = at != services.end() && at->enabled.known();
    found.emplace_back(wanted.first, known ? at->enabled.value() : wanted.second);
    if (!known) sights.push_back(sight_of_unknown(AbsentReason::Unsupported, {}));
  }
  sights.insert(sights.begin(), sight_of_value(found, {}));
  return sights;
}

SpecSights probe_firmware(const SpecLook& look) {
  const std::string component = look.spec.text(look.sibling("component")).value_or("");
  const auto is = [&](const char* name) { return base::equals_ignoring_case(component, name); };
  if (is("BIOS")) return {sight_of(look.machine, look.machine.os.bios_version)};
  if (is("BMC")) return {sight_of(look.machine, look.machine.management.bmc.firmware)};
  SpecSights sights;
  if (is("GPU VBIOS")) {
    for (const model::GpuFacts& gpu : model::each(look.machine.gpus))
      sights.push_back(sight_of(gpu.report, gpu.report.vbios));
    return sights;
  }
  for (const model::RdmaFacts& port : model::each(look.machine.network.rdma_ports)) {
    if (!base::contains(base::lower(model::key_text(port.board)), base::lower(component))) continue;
    sights.push_back(sight_of(look.machine, port.firmware));
    sights.back().subject.kind = model::SubjectKind::Nic;
    sights.back().subject.id = model::key_text(port.device);
  }
  if (sights.empty()) sights.push_back(sight_of_unknown(AbsentReason::Unsupported, {}));
  return sights;
}

SpecSights probe_nvme_drives(const SpecLook& look) {
  if (!look.machine.storage.disks.known()) return unknown(look, look.machine.storage.disks);
  const auto& disks = look.machine.storage.disks.value();
  const auto count = std::count_if(disks.begin(), disks.end(), [](const model::DiskFacts& disk) {
    return model::key_text(disk.transport) == "nvme";
  });
  return value(static_cast<std::int64_t>(count));
}

SpecSights probe_nvme_capacity(const SpecLook& look) {
  if (!look.machine.storage.disks.known()) return unknown(look, look.machine.storage.disks);
  double bytes = 0;
  for (const model::DiskFacts& disk : look.machine.storage.disks.value()) {
    if (model::key_text(disk.transport) != "nvme") continue;
    if (!disk.size.known()) return unknown(look, disk.size);
    bytes += static_cast<double>(disk.size.value().count());
  }
  return value(bytes);
}

SpecSights probe_min_free(const SpecLook& look) {
  if (!look.machine.storage.mounts.known()) return unknown(look, look.machine.storage.mounts);
  const std::string point = look.spec.text(look.sibling("mount_point")).value_or("");
  for (const model::MountFacts& mount : look.machine.storage.mounts.value()) {
    if (mount.key() != point) continue;
    if (!mount.size.known() || mount.size.value().count() <= 0) return unknown(look, mount.size);
    if (!mount.available.known()) return unknown(look, mount.available);
    return value(100 * static_cast<double>(mount.available.value().count()) /
                 static_cast<double>(mount.size.value().count()));
  }
  return {sight_of_none({})};
}

}  // namespace gpuwright::rules
