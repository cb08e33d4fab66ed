// NVSwitch boards: until Fabric Manager, of exactly the driver's version, has set up the switches, CUDA
// answers 802. Boards without switches do not need it. Source: Fabric Manager user guide; PCI ID repository.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_nvswitch.h"

#include "base/text.h"
#include "rules/check_driver.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

constexpr std::string_view kBridge = "0680";

bool has_nvswitch(const model::Machine& machine) {
  if (machine.driver.nvswitches.known() && machine.driver.nvswitches.value() > 0) return true;
  // V100, A100 and H100 boards.
  constexpr std::array<std::uint64_t, 3> kSwitches = {0x1ac2, 0x1af1, 0x22a3};
  const auto& functions = model::each(machine.pci);
  return std::any_of(functions.begin(), functions.end(), [&kSwitches](const model::PciFunction& function) {
    return model::key_text(function.vendor) == "10de" && model::key_text(function.class_code) == kBridge &&
           std::find(kSwitches.begin(), kSwitches.end(), device_id(function)) != kSwitches.end();
  });
}

/// Blackwell boards with NVLink 5: their switches are not on this machine's bus, Fabric Manager is needed all
/// the same.
bool is_nvlink5(std::uint64_t device) {
  return (device >= 0x2900 && device < 0x2a00) || (device >= 0x3180 && device < 0x3200);
}

/// Boards whose full set of eight is joined by NVSwitches.
bool is_switched_board(std::uint64_t device) {
  constexpr std::array<std::uint64_t, 9> kBoards = {0x1db8, 0x20b0, 0x20b2, 0x20bd, 0x2324,
                                                    0x2329, 0x2330, 0x2335, 0x2339};
  return std::find(kBoards.begin(), kBoards.end(), device) != kBoards.end();
}

struct Boards {
  std::size_t gpus = 0, nvlink5 = 0, switched = 0;
};

Boards boards_of(const model::Machine& machine) {
  Boards boards;
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (!is_gpu(function)) continue;
    ++boards.gpus;
    boards.nvlink5 += is_nvlink5(device_id(function)) ? 1 : 0;
    boards.switched += is_switched_board(device_id(function)) ? 1 : 0;
  }
  return boards;
}

const model::ServiceFacts* fabric_service(const model::Machine& machine) {
  for (const model::ServiceFacts& service : model::each(machine.management.services)) {
    if (service.key().starts_with("nvidia-fabricmanager")) return &service;
  }
  return nullptr;
}

bool runs_elsewhere(const model::Machine& machine) {
  const auto& holders = model::each(machine.driver.holders);
  return machine.driver.container_stack_driver.known() ||
         std::any_of(holders.begin(), holders.end(), [](const model::GpuHolder& holder) {
           return model::key_text(holder.command).starts_with("nv-fabricmanage");
         });
}

/// Of the tool, else of the package.
const model::Field<std::string>* fabric_version(const model::Machine& machine) {
  if (machine.driver.fabric_manager_version.known()) return &machine.driver.fabric_manager_version;
  for (const model::PackageFacts& package : model::each(machine.driver.packages)) {
    const std::string& name = package.key();
    const bool manager =
        name.starts_with("nvidia-fabricmanager") || name.starts_with("nvidia-fabric-manager");
    if (manager && !base::contains(name, "dev") && package.version.known()) return &package.version;
  }
  return nullptr;
}

}  // namespace

model::Verdict check_fabric_manager_runs(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const bool loaded = loaded_module(machine, "nvidia") != nullptr || machine.driver.loaded_version.known();
  if (!has_nvswitch(machine) || !loaded) return look.not_applicable();
  const model::ServiceFacts* service = fabric_service(machine);
  if (service == nullptr && runs_elsewhere(machine)) return look.conclude();
  // A person who wrote services down asked for some of them alone.
  const model::Evidence* place = machine.place(machine.management.services.provenance());
  const bool some = machine.management.services.known() && place != nullptr && place->input == "systemctl";
  if (service == nullptr && some) return look.not_applicable();
  if (look.need(machine.management.services) == nullptr) return look.conclude();
  const std::string active = service == nullptr ? "" : model::key_text(service->active);
  if (active == "active" || active == "activating" || active == "reloading") return look.conclude();
  Failure failure = look.fails("fm.not_active");
  failure.with("state", service == nullptr ? "not installed" : active).proof(machine.driver.nvswitches);
  if (service == nullptr) {
    failure.proof(machine.management.services);
  } else {
    failure.with("result", model::key_text(service->result)).proof(service->active).proof(service->result);
  }
  return look.conclude();
}

model::Verdict check_fabric_manager_version(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::Field<std::string>* manager = fabric_version(machine);
  const bool needed = has_nvswitch(machine) || boards_of(machine).nvlink5 > 0;
  if (!needed || manager == nullptr) return look.not_applicable();
  const std::string* driver = look.need(machine.driver.loaded_version);
  const std::string version = base::upstream_version(manager->value());
  if (driver != nullptr && version != *driver) {
    look.fails("driver.fabricmanager_version")
        .with("fm_version", version)
        .with("driver", *driver)
        .proof(*manager)
        .proof(machine.driver.loaded_version);
  }
  return look.conclude();
}

model::Verdict check_fabric_manager_is_needed(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::ServiceFacts* service = fabric_service(machine);
  const Boards boards = boards_of(machine);
  const bool needed = has_nvswitch(machine) || boards.nvlink5 > 0 || boards.switched >= 8;
  if (boards.gpus == 0 || service == nullptr || needed) return look.not_applicable();
  const std::string active = model::key_text(service->active);
  const bool stopped_early = active == "inactive" && model::key_text(service->enabled) == "enabled" &&
                             loaded_module(machine, "nvidia") != nullptr;
  if (active == "failed" || stopped_early) {
    look.fails("fm.enabled_without_switch")
        .with("state", active)
        .proof(service->active)
        .proof(service->enabled)
        .proof(machine.driver.nvswitches);
  }
  return look.conclude();
}

namespace {

/// Where modprobe takes a module of the stack from; empty where none is listed.
std::string path_of(const model::KernelFacts& kernel, std::string_view module) {
  for (const std::string& path : model::each(kernel.rdma_modules)) {
    if (path.substr(path.rfind('/') + 1).starts_with(std::string(module) + ".ko")) return path;
  }
  return {};
}

/// Of the kernel's own package, not of OFED.
bool is_inbox(const std::string& path) {
  return path.starts_with("kernel/");
}

}  // namespace

model::Verdict check_one_rdma_stack(Look look, const Situation& situation) {
  const model::KernelFacts* kernel = running_kernel(situation.machine);
  if (kernel == nullptr || !kernel->rdma_modules.known()) return look.not_applicable();
  const std::string core = path_of(*kernel, "ib_core");
  const std::string adapter = path_of(*kernel, "mlx5_ib");
  if (core.empty()) return look.not_applicable();
  const auto& copies = model::each(kernel->duplicate_modules);
  const auto other = std::find_if(copies.begin(), copies.end(), [&core](const std::string& path) {
    return is_inbox(core) && !is_inbox(path);
  });
  const bool split = !adapter.empty() && is_inbox(core) != is_inbox(adapter);
  if (split || other != copies.end()) {
    look.fails("ib.stack_mixed")
        .with("core", core)
        .with("other", split ? adapter : *other)
        .with("kernel", kernel->key())
        .proof(kernel->rdma_modules)
        .proof(kernel->duplicate_modules);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
