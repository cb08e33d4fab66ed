// What a spec asks of the driver stack that no single fact answers. Source: NVIDIA driver README (module
// parameters as /proc/driver/nvidia/params names them); Fabric Manager and IMEX user guides (both must be of
// the driver's version).
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/spec_probes.h"

#include <algorithm>
#include <set>

namespace gpuwright::rules {

namespace {

using model::AbsentReason;
using model::Field;
using model::SpecValue;

/// The version that runs, or why it is not known: the module's, else what the GPUs' driver says of itself.
SpecSight driver_version(const model::Machine& machine) {
  if (machine.driver.loaded_version.known()) return sight_of(machine, machine.driver.loaded_version);
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    if (gpu.report.driver.known()) return sight_of_value(gpu.report.driver.value(), {});
  }
  return sight_of(machine, machine.driver.loaded_version);
}

const model::ServiceFacts* service(const model::Machine& machine, const std::string& name) {
  for (const model::ServiceFacts& one : model::each(machine.management.services)) {
    if (one.key() == name || one.key() == name + ".service") return &one;
  }
  return nullptr;
}

/// A companion of the driver: "required" where it is of the driver's version, else the version that it is of.
SpecSights companion(const SpecLook& look, const Field<std::string>& version) {
  if (look.spec.text(look.path) == "auto") return {};
  if (!version.known() && version.reason() == AbsentReason::NotFound)
    return {sight_of_value(std::string("absent"), {})};
  const SpecSight driver = driver_version(look.machine);
  if (version.known() && driver.kind != SpecSight::Kind::Value) return {driver};
  return {sight_of(look.machine, version, [&](const std::string& found) {
    return SpecValue(driver.value == SpecValue(found) ? std::string("required") : found);
  })};
}

/// The value of "Name: value" in the loaded module's parameters.
std::optional<std::string> parameter(const model::Machine& machine, std::string_view name) {
  for (const std::string& line : model::each(machine.driver.parameters)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.substr(0, colon) == name)
      return std::string(base::trim(std::string_view(line).substr(colon + 1)));
  }
  return std::nullopt;
}

}  // namespace

SpecSights probe_driver_branch(const SpecLook& look) {
  SpecSight sight = driver_version(look.machine);
  const auto* version = std::get_if<std::string>(&sight.value);
  if (sight.kind != SpecSight::Kind::Value || version == nullptr) return {sight};
  const auto branch = base::parse_int(version->substr(0, version->find('.')));
  if (!branch) return {sight_of_unknown(AbsentReason::Malformed, sight.place)};
  sight.value = *branch;
  return {sight};
}

SpecSights probe_driver_hold(const SpecLook& look) {
  if (!look.machine.driver.packages.known())
    return {
        sight_of(look.machine, look.machine.driver.packages, [](const auto&) { return SpecValue(true); })};
  std::size_t all = 0, held = 0;
  for (const model::PackageFacts& package : look.machine.driver.packages.value()) {
    const std::string name = package.key();
    if (!name.starts_with("nvidia-driver") && !name.starts_with("nvidia-open") &&
        !name.starts_with("cuda-drivers"))
      continue;
    ++all;
    if (base::contains(model::key_text(package.state), "held")) ++held;
  }
  if (all == 0) return {sight_of_unknown(AbsentReason::NotFound, {})};
  return {sight_of_value(held == all, {})};
}

SpecSights probe_fabric_manager(const SpecLook& look) {
  return companion(look, look.machine.driver.fabric_manager_version);
}

SpecSights probe_imex(const SpecLook& look) {
  return companion(look, look.machine.driver.imex_version);
}

SpecSights probe_persistence_daemon(const SpecLook& look) {
  const auto& services = look.machine.management.services;
  if (!services.known())
    return {sight_of(look.machine, services, [](const auto&) { return SpecValue(true); })};
  const model::ServiceFacts* daemon = service(look.machine, "nvidia-persistenced");
  if (daemon == nullptr) return {sight_of_value(false, {})};
  return {sight_of(look.machine, daemon->active,
                   [](const std::string& state) { return SpecValue(state == "active"); })};
}

SpecSights probe_block_nouveau(const SpecLook& look) {
  const auto& modules = look.machine.driver.modules;
  if (!modules.known()) return {sight_of(look.machine, modules, [](const auto&) { return SpecValue(true); })};
  const bool loaded = std::any_of(modules.value().begin(), modules.value().end(),
                                  [](const model::ModuleFacts& module) { return module.key() == "nouveau"; });
  return {sight_of(look.machine, modules, [&](const auto&) { return SpecValue(!loaded); })};
}

SpecSights probe_module_parameters(const SpecLook& look) {
  const auto& parameters = look.machine.driver.parameters;
  if (!parameters.known()) return {sight_of(look.machine, parameters)};
  constexpr std::string_view kPrefix = "nvidia.NVreg_";
  model::SpecMap found;
  for (const auto& wanted : look.spec.map(look.path)) {
    const bool ours = wanted.first.starts_with(kPrefix);
    const std::string name = ours ? wanted.first.substr(kPrefix.size()) : std::string();
    // The driver shows this one under another name.
    const auto value =
        parameter(look.machine, name == "RestrictProfilingToAdminUsers" ? "RmProfilingAdminOnly" : name);
    if (!value) return {sight_of_unknown(AbsentReason::Unsupported, {})};
    found.emplace_back(wanted.first, *value);
  }
  return {sight_of_value(found, {})};
}

SpecSights probe_profiling(const SpecLook& look) {
  const auto& parameters = look.machine.driver.parameters;
  if (!parameters.known()) return {sight_of(look.machine, parameters)};
  const auto value = parameter(look.machine, "RmProfilingAdminOnly");
  if (!value) return {sight_of_unknown(AbsentReason::NotFound, {})};
  return {sight_of_value(std::string(*value == "0" ? "all" : "admin"), {})};
}

SpecSights probe_device_links(const SpecLook& look) {
  const auto& nodes = look.machine.driver.device_nodes;
  if (!nodes.known() || nodes.value().empty())
    return {sight_of_unknown(nodes.known() ? AbsentReason::NotFound : nodes.reason(), {})};
  for (const model::DeviceNode& node : nodes.value()) {
    if (!node.char_link.known() || !node.char_link.value()) return {sight_of(look.machine, node.char_link)};
  }
  return {sight_of(look.machine, nodes.value().front().char_link)};
}

SpecSights probe_device_mode(const SpecLook& look) {
  const auto& nodes = look.machine.driver.device_nodes;
  if (!nodes.known() || nodes.value().empty())
    return {sight_of_unknown(nodes.known() ? AbsentReason::NotFound : nodes.reason(), {})};
  SpecSights sights;
  std::set<std::string> seen;
  for (const model::DeviceNode& node : nodes.value()) {
    const std::string path = node.key();
    const bool gpu = path.starts_with("/dev/nvidia") && !base::contains(path, "cap");
    if (gpu && seen.insert(model::key_text(node.mode)).second)
      sights.push_back(sight_of(look.machine, node.mode));
  }
  return sights;
}

}  // namespace gpuwright::rules
