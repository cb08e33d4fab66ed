// The flavour of the module decides which GPUs it takes: open ones need the GSP, which came with Turing;
// Grace Hopper and everything from Blackwell on works with open ones alone. Source: NVIDIA driver
// installation guide (module flavours), PCI ID repository.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "rules/check_driver.h"
#include "rules/compatibility.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

/// By the names of the packages, where they agree.
std::string flavour_of_packages(const model::Machine& machine, const model::Field<std::string>** fact) {
  std::string flavour;
  for (const model::PackageFacts& package : model::each(machine.driver.packages)) {
    if (!is_driver_package(package.key())) continue;
    const std::string one = base::contains(package.key(), "open") ? "open" : "proprietary";
    if (!flavour.empty() && flavour != one) return {};
    flavour = one;
    *fact = &package.name;
  }
  return flavour;
}

/// "open", "proprietary" or empty, by what is loaded, else by the module on disk for the running kernel.
std::string flavour_of(const model::Machine& machine, const model::Field<std::string>** fact) {
  *fact = &machine.driver.flavour;
  if (machine.driver.flavour.known()) return machine.driver.flavour.value();
  const model::KernelFacts* kernel = running_kernel(machine);
  if (kernel == nullptr || !kernel->module_license.known()) return flavour_of_packages(machine, fact);
  *fact = &kernel->module_license;
  const std::string& license = kernel->module_license.value();
  if (license == "NVIDIA") return "proprietary";
  return base::contains(license, "GPL") ? "open" : "";
}

/// The driver tells of this GPU, so it takes it.
bool works(const model::Machine& machine, const model::PciFunction& function) {
  const auto address = base::PciAddress::parse(model::key_text(function.address));
  const auto& gpus = model::each(machine.gpus);
  return std::any_of(gpus.begin(), gpus.end(), [&address](const model::GpuFacts& gpu) {
    const auto other = base::PciAddress::parse(model::key_text(gpu.report.pci));
    return address && other && address->text() == other->text() && gpu.report.name.known();
  });
}

}  // namespace

model::Verdict check_flavour_fits_gpus(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::Field<std::string>* fact = nullptr;
  const std::string flavour = flavour_of(machine, &fact);
  if (!has_gpu(machine) || flavour.empty()) return look.not_applicable();
  look.need(machine.pci);
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (!is_gpu(function) || works(machine, function)) continue;
    if (model::key_text(function.driver) == "vfio-pci") continue;  // a guest's
    const OpenModules modules = modules_for(situation.catalog.compat(), model::key_text(function.device), "");
    if (modules != (flavour == "open" ? OpenModules::Impossible : OpenModules::Required)) continue;
    look.fails(flavour == "open" ? "driver.open_on_old_gpu" : "driver.proprietary_on_new_gpu")
        .with("device", model::key_text(function.device))
        .with("flavour", flavour)
        .with("gpu", model::key_text(function.address))
        .proof(function.device)
        .proof(*fact);
    break;
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
