// Checks of the driver stack: versions that must agree, modules built for each kernel, the flavour that the
// GPUs take, and an upgrade that must come to its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// The running kernel among those installed; null where none is known to run.
const model::KernelFacts* running_kernel(const model::Machine& machine);
/// The loaded module of that name; null where it is not loaded or modules are unknown.
const model::ModuleFacts* loaded_module(const model::Machine& machine, const std::string& name);
/// The device id as a number; 0 where unknown.
std::uint64_t device_id(const model::PciFunction& function);
/// Driver packages are of these names; their version is the driver's. Not linux-modules-nvidia-*, whose
/// version is the kernel's.
bool is_driver_package(const std::string& name);
/// What the machine would load now: of the module on disk for the running kernel, else of the driver package.
/// Null where neither is known.
const model::Field<std::string>* installed_version(const model::Machine& machine);
/// Processes other than the driver's own daemons that hold its devices.
std::vector<const model::GpuHolder*> clients_of_driver(const model::Machine& machine);

/// User libraries and the loaded module are of one version. Source: NVIDIA driver installation guide.
model::Verdict check_library_matches_module(Look look, const Situation& situation);
/// What was installed is what runs. Source: NVIDIA driver installation guide.
model::Verdict check_upgrade_is_loaded(Look look, const Situation& situation);
/// Nothing keeps an upgrade from unloading the old module. Source: rmmod(8), driver README.
model::Verdict check_old_module_can_go(Look look, const Situation& situation);
/// The running kernel has a module. Source: dkms(8).
model::Verdict check_module_for_running_kernel(Look look, const Situation& situation);
/// So has the newest kernel, which the next boot may take. Source: dkms(8).
model::Verdict check_module_for_next_kernel(Look look, const Situation& situation);
/// Open modules from Turing on, proprietary ones up to Hopper. Source: NVIDIA driver installation guide.
model::Verdict check_flavour_fits_gpus(Look look, const Situation& situation);

}  // namespace gpuwright::rules
