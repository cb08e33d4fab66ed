// The driver is a set of pieces that must agree: module, libraries, services. Source: NVIDIA driver
// installation guide; Fabric Manager user guide.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_driver.h"

#include "base/ids.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

const model::KernelFacts* running_kernel(const model::Machine& machine) {
  for (const model::KernelFacts& kernel : model::each(machine.driver.kernels)) {
    if (kernel.running.known() && kernel.running.value()) return &kernel;
  }
  return nullptr;
}

const model::ModuleFacts* loaded_module(const model::Machine& machine, const std::string& name) {
  for (const model::ModuleFacts& module : model::each(machine.driver.modules)) {
    if (module.key() == name) return &module;
  }
  return nullptr;
}

std::uint64_t device_id(const model::PciFunction& function) {
  return base::parse_hex(model::key_text(function.device)).value_or(0);
}

bool is_driver_package(const std::string& name) {
  constexpr std::array<std::string_view, 8> kExact = {
      "nvidia-driver",           "nvidia-open", "cuda-drivers", "nvidia-kernel-dkms",
      "nvidia-open-kernel-dkms", "nvidia-dkms", "kmod-nvidia",  "nvidia-kmod"};
  constexpr std::array<std::string_view, 9> kBranches = {
      "nvidia-driver-",   "nvidia-open-",          "cuda-drivers-",
      "nvidia-dkms-",     "nvidia-headless-",      "kmod-nvidia-",
      "nvidia-driver-G0", "nvidia-open-driver-G0", "nvidia-kernel-source-"};
  const auto begins = [&name](std::string_view prefix) {
    const bool branch = name.size() > prefix.size() && name.starts_with(prefix);
    const char next = branch ? name[prefix.size()] : ' ';
    return branch && ((next >= '0' && next <= '9') || prefix.starts_with("kmod") || prefix.ends_with("G0") ||
                      name == "nvidia-dkms-open");
  };
  return std::find(kExact.begin(), kExact.end(), name) != kExact.end() ||
         std::any_of(kBranches.begin(), kBranches.end(), begins);
}

namespace {

/// The version of the driver's packages; null where none is installed or they do not agree.
const model::Field<std::string>* packaged_version(const model::Machine& machine) {
  const model::Field<std::string>* found = nullptr;
  for (const model::PackageFacts& package : model::each(machine.driver.packages)) {
    if (!is_driver_package(package.key()) || !package.version.known()) continue;
    const std::string version = base::upstream_version(package.version.value());
    if (version.find('.') == std::string::npos) continue;
    if (found != nullptr && base::upstream_version(found->value()) != version) return nullptr;
    found = &package.version;
  }
  return found;
}

bool is_own_daemon(const std::string& command) {
  // As /proc has it: cut to fifteen letters.
  constexpr std::array<std::string_view, 4> kDaemons = {"nvidia-persiste", "nv-fabricmanage", "nvidia-imex",
                                                        "nvlsm"};
  return std::any_of(kDaemons.begin(), kDaemons.end(),
                     [&command](std::string_view daemon) { return command.starts_with(daemon); });
}

bool is_true(const model::Field<bool>& field) {
  return field.known() && field.value();
}

}  // namespace

const model::Field<std::string>* installed_version(const model::Machine& machine) {
  const model::KernelFacts* kernel = running_kernel(machine);
  if (kernel != nullptr && kernel->module_version.known()) return &kernel->module_version;
  return packaged_version(machine);
}

std::vector<const model::GpuHolder*> clients_of_driver(const model::Machine& machine) {
  std::vector<const model::GpuHolder*> clients;
  for (const model::GpuHolder& holder : model::each(machine.driver.holders)) {
    if (!is_own_daemon(model::key_text(holder.command))) clients.push_back(&holder);
  }
  return clients;
}

model::Verdict check_library_matches_module(Look look, const Situation& situation) {
  const model::DriverFacts& driver = situation.machine.driver;
  if (!has_gpu(situation.machine)) return look.not_applicable();
  const std::string* module = look.need(driver.loaded_version);
  const std::string* library = look.need(driver.libnvidia_ml_version);
  if (module != nullptr && library != nullptr && *module != *library) {
    look.fails("driver.nvml_differs")
        .with("module", *module)
        .with("library", *library)
        .proof(driver.loaded_version)
        .proof(driver.libnvidia_ml_version);
  }
  return look.conclude();
}

namespace {

/// Another version is installed than the one that runs: of the module on disk, or of the packages where they
/// say nothing else. Null: the same, or unknown.
const model::Field<std::string>* waiting_version(const model::Machine& machine) {
  const model::DriverFacts& driver = machine.driver;
  if (!driver.loaded_version.known()) return nullptr;
  const std::string& loaded = driver.loaded_version.value();
  const model::KernelFacts* kernel = running_kernel(machine);
  if (kernel != nullptr && kernel->module_version.known() && kernel->module_version.value() != loaded)
    return &kernel->module_version;
  const model::Field<std::string>* packaged = packaged_version(machine);
  if (packaged == nullptr) return nullptr;
  // Older packages beside the module that runs: an installer put the driver over them.
  const bool newer = base::compare_versions(base::upstream_version(packaged->value()), loaded) > 0;
  return newer ? packaged : nullptr;
}

}  // namespace

model::Verdict check_upgrade_is_loaded(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::DriverFacts& driver = machine.driver;
  if (!has_gpu(machine) || (driver.modules.known() && loaded_module(machine, "nvidia") == nullptr))
    return look.not_applicable();
  // A driver that a container brought has neither packages nor modules on the host.
  if (installed_version(machine) == nullptr) return look.not_applicable();
  look.need(driver.loaded_version);
  if (const model::Field<std::string>* waiting = waiting_version(machine)) {
    look.fails("driver.upgrade_not_loaded")
        .with("module", driver.loaded_version.value())
        .with("installed", base::upstream_version(waiting->value()))
        .with("reboot_required", is_true(machine.os.reboot_required) ? "yes" : "no")
        .proof(driver.loaded_version)
        .proof(*waiting)
        .proof(machine.os.reboot_required);
  }
  return look.conclude();
}

namespace {

/// A service of the driver that is enabled and was stopped: somebody made ready to unload.
bool service_stopped(const model::Machine& machine, std::string_view name) {
  const auto& services = model::each(machine.management.services);
  return std::any_of(services.begin(), services.end(), [name](const model::ServiceFacts& service) {
    return service.key().starts_with(name) && model::key_text(service.enabled) == "enabled" &&
           model::key_text(service.active) == "inactive";
  });
}

/// Part of the driver is gone already, or its services are stopped, or the container that brought it is.
bool unload_began(const model::Machine& machine) {
  const bool modules_known = machine.driver.modules.known();
  const bool partly = modules_known && (loaded_module(machine, "nvidia_uvm") == nullptr ||
                                        loaded_module(machine, "nvidia_modeset") == nullptr);
  return partly || service_stopped(machine, "nvidia-persistenced") || service_stopped(machine, "nvidia-dcgm");
}

/// The module runs, and the container that brought its libraries is gone: nothing of them on the host.
bool container_driver_left(const model::Machine& machine) {
  const model::DriverFacts& driver = machine.driver;
  const auto gone = [](const auto& field) {
    return !field.known() && field.reason() == model::AbsentReason::NotFound;
  };
  return gone(driver.container_stack_driver) && gone(driver.libnvidia_ml_version) &&
         machine.kubernetes.device_plugins.known();
}

/// Modules of others that use the driver's.
std::vector<std::string> dependent_modules(const model::Machine& machine) {
  constexpr std::array<std::string_view, 4> kOthers = {"gdrdrv", "nvidia_fs", "nv_peer_mem",
                                                       "nvidia_vgpu_vfio"};
  std::vector<std::string> found;
  for (const std::string_view name : kOthers) {
    if (loaded_module(machine, std::string(name)) != nullptr) found.emplace_back(name);
  }
  return found;
}

std::string names_of(const std::vector<const model::GpuHolder*>& holders) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (const model::GpuHolder* holder : holders) {
    if (holder == holders[std::min(kMost, holders.size()) - 1] && holders.size() > kMost)
      return text + ", ...";
    text += (text.empty() ? "" : ", ") + model::key_text(holder->command) + " (" + holder->key() + ")";
  }
  return text;
}

bool upgrade_under_way(const model::Machine& machine) {
  return waiting_version(machine) != nullptr || container_driver_left(machine);
}

}  // namespace

model::Verdict check_old_module_can_go(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::ModuleFacts* module = loaded_module(machine, "nvidia");
  if (module == nullptr || !upgrade_under_way(machine)) return look.not_applicable();
  look.need(machine.driver.holders);
  const auto clients = clients_of_driver(machine);
  const auto dependents = dependent_modules(machine);
  const bool held = !clients.empty() || !dependents.empty() || !model::each(machine.driver.holders).empty();
  // Packages that were replaced under running jobs wait for a reboot; nobody tried to unload.
  const bool waits_for_boot =
      is_true(machine.os.reboot_required) || model::key_text(machine.os.unattended_upgrades) == "on";
  const bool tried = unload_began(machine) || container_driver_left(machine) ||
                     (!waits_for_boot && (!clients.empty() || !dependents.empty()));
  if (held && tried) {
    Failure failure = look.fails("driver.unload_stopped");
    failure.with("holders", names_of(clients)).proof(module->users).proof(machine.driver.loaded_version);
    if (!dependents.empty()) failure.with("modules", base::join(dependents, " "));
    for (const model::GpuHolder* client : clients) failure.proof(client->command);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
