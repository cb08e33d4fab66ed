// Since Linux 6.8 and vGPU 17 a vGPU lives on a virtual function, not on a mediated device. Source: NVIDIA
// vGPU user guide (vendor VFIO; P2P over NVSwitch for time-sliced vGPUs of full size only).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_vgpu.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gpuwright::rules {

namespace {

bool has_vgpu_manager(const model::Machine& machine) {
  return module_named(machine, "nvidia_vgpu_vfio") != nullptr ||
         is_running(service_named(machine, "nvidia-vgpu-mgr"));
}

}  // namespace

model::Verdict check_mediated_devices(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  bool any = false;
  for (const model::GuestFacts& guest : model::each(machine.virtual_machines.guests)) {
    if (model::each(guest.mediated_devices).empty()) continue;
    any = true;
    const bool* bus = look.need(machine.virtual_machines.mediated_devices);
    if (bus == nullptr || *bus) continue;
    look.fails("vgpu.mediated_devices_gone")
        .with("guest", model::key_text(guest.name))
        .with("kernel", model::key_text(machine.os.kernel))
        .proof(guest.mediated_devices)
        .proof(machine.virtual_machines.mediated_devices)
        .proof(machine.os.kernel);
    break;
  }
  if (any || !has_vgpu_manager(machine)) return any ? look.conclude() : look.not_applicable();
  // The manager is loaded, and no GPU that needs virtual functions for it has any.
  for (const model::PciFunction& function : model::each(machine.pci)) {
    const bool able = is_gpu(function) && function.virtual_functions_max.known() &&
                      function.virtual_functions_max.value() > 0;
    if (!able || model::key_text(function.driver) != "nvidia") continue;
    any = true;
    if (!function.virtual_functions.known() || function.virtual_functions.value() > 0) return look.conclude();
  }
  const bool* bus = any ? look.need(machine.virtual_machines.mediated_devices) : nullptr;
  if (bus != nullptr && !*bus)
    look.fails("vgpu.no_functions")
        .with("kernel", model::key_text(machine.os.kernel))
        .proof(machine.virtual_machines.mediated_devices)
        .proof(machine.os.kernel);
  return any ? look.conclude() : look.not_applicable();
}

namespace {

const model::VgpuFacts* vgpu_at(const model::Machine& machine, const std::string& address) {
  for (const model::VgpuFacts& vgpu : model::each(machine.virtual_machines.vgpus)) {
    if (vgpu.key() == address) return &vgpu;
  }
  return nullptr;
}

}  // namespace

model::Verdict check_vgpu_types(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  bool any = false;
  for (const model::GuestFacts& guest : model::each(machine.virtual_machines.guests)) {
    for (const std::string& address : model::each(guest.devices)) {
      const model::VgpuFacts* vgpu = vgpu_at(machine, address);
      if (vgpu == nullptr) continue;
      any = true;
      if (model::key_text(vgpu->type) != "0") continue;
      look.fails("vgpu.type_not_set")
          .with("guest", model::key_text(guest.name))
          .with("device", address)
          .proof(vgpu->type)
          .proof(guest.devices);
    }
  }
  return any ? look.conclude() : look.not_applicable();
}

namespace {

/// "NVIDIA H100XM-40C" has 40 GB, "NVIDIA H100XM-1-10C" one slice and 10 GB.
struct VgpuName {
  std::string board;
  std::int64_t gigabytes = 0;
  bool on_mig = false;
};

std::optional<VgpuName> vgpu_name(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  const auto parts = base::split(blank == std::string_view::npos ? text : text.substr(blank + 1), '-');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  std::string_view size = parts.back();
  if (size.size() < 2 || std::string_view("CQBA").find(size.back()) == std::string_view::npos)
    return std::nullopt;
  size.remove_suffix(1);
  const auto number = base::parse_int(size);
  if (!number) return std::nullopt;
  return VgpuName{std::string(parts.front()), *number, parts.size() == 3};
}

/// Memory of the boards that sit on NVSwitch, GB. Source: NVIDIA vGPU user guide, tables of types.
std::int64_t board_memory(std::string_view board) {
  struct Board {
    std::string_view name;
    std::int64_t gigabytes;
  };
  constexpr std::array<Board, 6> kBoards = {
      {{"A100X", 40}, {"A100DX", 80}, {"H100XM", 80}, {"H800XM", 80}, {"H200X", 141}, {"B200X", 180}}};
  for (const Board& known : kBoards) {
    if (known.name == board) return known.gigabytes;
  }
  return 0;
}

bool is_whole(const VgpuName& name) {
  return !name.on_mig && name.gigabytes >= board_memory(name.board);
}

/// The vGPUs of a guest on NVSwitch: of a machine that has switches, or of boards that sit on them.
void look_at_guest(Look& look, const model::Machine& machine, const model::GuestFacts& guest, bool switches,
                   bool& any) {
  std::vector<const model::VgpuFacts*> several;
  for (const std::string& address : model::each(guest.devices)) {
    const model::VgpuFacts* vgpu = vgpu_at(machine, address);
    const auto name = vgpu == nullptr ? std::nullopt : vgpu_name(model::key_text(vgpu->type_name));
    if (name && (switches || board_memory(name->board) > 0)) several.push_back(vgpu);
  }
  if (several.size() < 2) return;
  any = true;
  for (const model::VgpuFacts* vgpu : several) {
    if (is_whole(*vgpu_name(vgpu->type_name.value()))) continue;
    look.fails("vgpu.no_peers")
        .with("type", vgpu->type_name.value())
        .with("guest", model::key_text(guest.name))
        .proof(vgpu->type_name)
        .proof(guest.devices);
    return;
  }
}

}  // namespace

model::Verdict check_vgpu_peers(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  bool any = false;
  const auto& functions = model::each(machine.pci);
  constexpr const char* kBridge = "0680";  // NVIDIA's own bridges on a GPU host are NVSwitches
  const bool on_bus = std::any_of(functions.begin(), functions.end(), [](const model::PciFunction& function) {
    return model::key_text(function.vendor) == "10de" && model::key_text(function.class_code) == kBridge;
  });
  const bool switches =
      on_bus || (machine.driver.nvswitches.known() && machine.driver.nvswitches.value() > 0);
  for (const model::GuestFacts& guest : model::each(machine.virtual_machines.guests))
    look_at_guest(look, machine, guest, switches, any);
  // From inside: several vGPUs of a board that sits on NVSwitch.
  std::int64_t count = 0;
  const model::GpuReport* part = nullptr;
  std::string type;
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    const auto name = vgpu_name(model::key_text(gpu.report.name));
    if (!name || board_memory(name->board) == 0) continue;
    count += 1;
    if (!is_whole(*name)) part = &gpu.report;
  }
  if (count >= 2) any = true;
  if (count >= 2 && part != nullptr)
    look.fails("vgpu.no_peers").with("type", part->name.value()).proof_at(part->line_of(part->name));
  return any ? look.conclude() : look.not_applicable();
}

}  // namespace gpuwright::rules
