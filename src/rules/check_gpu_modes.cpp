// Modes of GPUs outlive the reason for which they were set. Source: NVML (nvmlComputeMode_t); NVIDIA MIG user
// guide (devices must be made after the mode, pending modes); NVIDIA driver persistence documentation.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_gpu_modes.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

/// The kernel keeps fifteen letters of a command's name.
bool is_command(const model::GpuHolder& holder, std::string_view name) {
  const std::string command = model::key_text(holder.command);
  return command == name || command == name.substr(0, 15);
}

bool any_holder(const model::Machine& machine, std::string_view name) {
  const auto& holders = model::each(machine.driver.holders);
  return std::any_of(holders.begin(), holders.end(),
                     [name](const model::GpuHolder& holder) { return is_command(holder, name); });
}

/// Slurm, or the MPS server, which needs the exclusive mode.
bool scheduler_owns(const model::Machine& machine) {
  return machine.slurm.node_name.known() || machine.slurm.gres.known() ||
         is_running(service_named(machine, "slurmd")) || any_holder(machine, "nvidia-cuda-mps-server") ||
         any_holder(machine, "nvidia-cuda-mps-control");
}

}  // namespace

model::Verdict check_compute_mode(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  if (model::each(machine.gpus).empty()) return look.not_applicable();
  const bool owned = scheduler_owns(machine);
  for (const model::GpuFacts& gpu : machine.gpus.value()) {
    const std::string mode = model::key_text(gpu.report.compute_mode);
    const bool exclusive = base::contains(mode, "xclusive") && !owned;
    if (!exclusive && mode != "Prohibited") continue;
    look.fails("gpu.compute_mode_exclusive")
        .on(model::SubjectKind::Gpu, gpu_id(gpu.report))
        .with("mode", mode)
        .proof_at(gpu.report.line_of(gpu.report.compute_mode));
  }
  return look.conclude();
}

namespace {

/// The manager reported a layout as applied, and no GPU has a MIG device: a reset that failed on the way.
const model::Event* claimed_layout(const Situation& situation) {
  const model::Event* applied = event_of(situation.observations, "driver.mig_applied");
  const model::Event* wanted = event_of(situation.observations, "driver.mig_layout_wanted");
  const auto config = wanted == nullptr ? std::string() : wanted->params.at("config");
  const bool layout = !config.empty() && config != "all-disabled" && config != "none";
  const bool refused = event_of(situation.observations, "smi.reset_refused_in_use") != nullptr;
  return layout || (wanted == nullptr && refused) ? applied : nullptr;
}

bool has_no_mig_device(const model::GpuFacts& gpu) {
  const bool off = gpu.report.mig_current.known() && !gpu.report.mig_current.value();
  return off || (gpu.mig.known() && gpu.mig.value().empty());
}

}  // namespace

model::Verdict check_mig_layout(Look look, const Situation& situation) {
  bool any = false;
  const auto& gpus = model::each(situation.machine.gpus);
  const model::Event* claimed = claimed_layout(situation);
  const bool none = !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), has_no_mig_device);
  if (claimed != nullptr && none && !claimed->evidence.empty()) {
    const model::GpuReport& first = gpus.front().report;
    look.fails("gpu.mig_without_devices")
        .on(model::SubjectKind::Gpu, gpu_id(first))
        .proof_at(&claimed->evidence.front())
        .proof_at(first.line_of(first.mig_current))
        .proof_at(first.line_of(first.uuid));
    return look.conclude();
  }
  const bool told_none = event_of(situation.observations, "driver.mig_no_instances") != nullptr;
  for (const model::GpuFacts& gpu : model::each(situation.machine.gpus)) {
    const model::GpuReport& report = gpu.report;
    if (!report.mig_current.known() || !report.mig_current.value()) continue;
    any = true;
    const bool empty = gpu.mig.known() ? gpu.mig.value().empty() : told_none;
    if (!empty || (report.mig_pending.known() && !report.mig_pending.value())) continue;
    look.fails("gpu.mig_without_devices")
        .on(model::SubjectKind::Gpu, gpu_id(report))
        .proof_at(report.line_of(report.mig_current))
        .proof_at(report.line_of(report.uuid));
  }
  return any ? look.conclude() : look.not_applicable();
}

model::Verdict check_mig_mode(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  bool any = false;
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    const model::GpuReport& report = gpu.report;
    if (!report.mig_current.known() || !report.mig_pending.known()) continue;
    any = true;
    if (report.mig_current.value() == report.mig_pending.value()) continue;
    // A guest cannot reset the GPU, so the mode waits for the guest's own start. Elsewhere whoever holds the
    // GPU makes it wait.
    if (!is_guest(machine)) continue;
    look.fails("gpu.mig_waits_for_reboot")
        .on(model::SubjectKind::Gpu, gpu_id(report))
        .proof_at(report.line_of(report.mig_pending))
        .proof(machine.os.virtualization);
  }
  const model::Event* pending = event_of(situation.observations, "driver.mig_in_use");
  if (!any && pending != nullptr && !pending->evidence.empty() && is_guest(machine)) {
    any = true;
    look.fails("gpu.mig_waits_for_reboot")
        .proof_at(&pending->evidence.front())
        .proof(machine.os.virtualization);
  }
  return any ? look.conclude() : look.not_applicable();
}

model::Verdict check_persistence(Look look, const Situation& situation) {
  const model::ServiceFacts* daemon = service_named(situation.machine, "nvidia-persistenced");
  if (daemon == nullptr || model::each(situation.machine.gpus).empty()) return look.not_applicable();
  if (has_failed(daemon))
    look.fails("driver.persistenced_failed").proof(daemon->active).proof(daemon->result);
  // Stopped, and no GPU keeps its settings otherwise.
  const auto& gpus = situation.machine.gpus.value();
  const bool off = std::all_of(gpus.begin(), gpus.end(), [](const model::GpuFacts& gpu) {
    return gpu.report.persistence.known() && !gpu.report.persistence.value();
  });
  if (!has_failed(daemon) && !is_running(daemon) && off)
    look.fails("gpu.persistence_off")
        .proof(daemon->active)
        .proof_at(gpus.front().report.line_of(gpus.front().report.persistence));
  return look.conclude();
}

model::Verdict check_unload_blocker(Look look, const Situation& situation) {
  const model::Event* refused = event_of(situation.observations, "driver.module_in_use");
  if (refused == nullptr) return look.not_applicable();
  look.need(situation.machine.driver.holders);
  const model::GpuHolder* daemon = nullptr;
  const model::GpuHolder* other = nullptr;
  for (const model::GpuHolder& holder : model::each(situation.machine.driver.holders)) {
    (is_command(holder, "nvidia-persistenced") ? daemon : other) = &holder;
  }
  // Fabric Manager is stopped by the same order of steps; anything else must be named itself.
  const bool only = other == nullptr || is_command(*other, "nv-fabricmanager");
  // Where nobody asked who holds the devices: the daemon runs, and it does.
  const model::ServiceFacts* service = service_named(situation.machine, "nvidia-persistenced");
  if (!situation.machine.driver.holders.known() && service != nullptr &&
      model::key_text(service->active) == "active")
    look.fails("driver.persistenced_blocks_unload")
        .proof(service->active)
        .proof_at(refused->evidence.empty() ? nullptr : &refused->evidence.front());
  else if (daemon != nullptr && only)
    look.fails("driver.persistenced_blocks_unload")
        .with("pid", model::key_text(daemon->pid))
        .proof(daemon->command)
        .proof_at(refused->evidence.empty() ? nullptr : &refused->evidence.front());
  else if (other != nullptr)
    look.fails("driver.held_while_unloading")
        .with("process", model::key_text(other->command))
        .with("pid", model::key_text(other->pid))
        .proof(other->command);
  return look.conclude();
}

}  // namespace gpuwright::rules
