// A module must be there for the kernel that runs, and for the one that the next boot takes. Source: dkms(8),
// modules.dep(5), NVIDIA driver installation guide (headers, precompiled packages).
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/check_driver.h"
#include "rules/check_kubernetes_driver.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

bool has_module(const model::KernelFacts& kernel) {
  return !model::each(kernel.nvidia_modules).empty();
}

/// DKMS holds the driver's source; it builds where it finds headers.
bool dkms_builds(const model::KernelFacts& kernel) {
  return kernel.dkms.known();
}

bool has_driver_pod(const model::Machine& machine) {
  const auto& pods = model::each(machine.kubernetes.pods);
  return std::any_of(pods.begin(), pods.end(), is_driver_pod);
}

/// Somebody installed a driver on this host: a package, DKMS, or a module for another kernel.
bool host_has_driver(const model::Machine& machine) {
  const auto& kernels = model::each(machine.driver.kernels);
  const auto& packages = model::each(machine.driver.packages);
  return std::any_of(
             kernels.begin(), kernels.end(),
             [](const model::KernelFacts& kernel) { return has_module(kernel) || dkms_builds(kernel); }) ||
         std::any_of(packages.begin(), packages.end(),
                     [](const model::PackageFacts& package) { return is_driver_package(package.key()); });
}

/// The newest kernel that has a module.
std::string built_for(const model::Machine& machine) {
  for (const model::KernelFacts& kernel : model::each(machine.driver.kernels)) {
    if (has_module(kernel)) return kernel.key();
  }
  return "none";
}

void tell_headers(Look& look, const model::KernelFacts& kernel) {
  look.fails("driver.headers_not_installed")
      .with("kernel", kernel.key())
      .with("repository", model::key_text(kernel.headers_package))
      .proof(kernel.has_headers)
      .proof(kernel.headers_package);
}

/// "generic" of "6.8.0-87-generic", "64k" of "5.14.0-570.el9.aarch64+64k", else nothing.
std::string flavour_of(const std::string& release) {
  std::string last = release.substr(release.rfind('-') + 1);
  if (last.empty() || last.front() < '0' || last.front() > '9') return last;
  const std::size_t plus = last.find('+');
  return plus == std::string::npos ? std::string() : last.substr(plus + 1);
}

}  // namespace

model::Verdict check_module_for_running_kernel(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const bool loaded = loaded_module(machine, "nvidia") != nullptr || machine.driver.loaded_version.known();
  if (!has_gpu(machine) || loaded || machine.driver.container_stack_driver.known())
    return look.not_applicable();
  look.need(machine.driver.kernels);
  look.need(machine.os.kernel);
  const model::KernelFacts* kernel = running_kernel(machine);
  if (kernel == nullptr) {
    // It has not even a folder below /lib/modules.
    const bool others = !model::each(machine.driver.kernels).empty() && machine.os.kernel.known();
    if (others && host_has_driver(machine)) {
      look.fails("driver.no_module_for_kernel")
          .with("kernel", machine.os.kernel.value())
          .with("dkms", "none")
          .with("built_for", built_for(machine))
          .proof(machine.os.kernel)
          .proof(machine.driver.kernels);
    }
    return look.conclude();
  }
  const bool no_headers = kernel->has_headers.known() && !kernel->has_headers.value();
  if (!host_has_driver(machine)) {
    // The operator's container builds here; it needs the same headers from the same repositories.
    const bool nowhere = no_headers && model::key_text(kernel->headers_package) == "none";
    if (!has_driver_pod(machine)) return look.not_applicable();
    if (nowhere) tell_headers(look, *kernel);
    return look.conclude();
  }
  if (has_module(*kernel)) return look.conclude();
  if (no_headers && dkms_builds(*kernel)) tell_headers(look, *kernel);
  look.fails("driver.no_module_for_kernel")
      .with("kernel", kernel->key())
      .with("dkms", kernel->dkms.known() ? kernel->dkms.value() : "none")
      .with("built_for", built_for(machine))
      .proof(kernel->nvidia_modules)
      .proof(kernel->dkms);
  return look.conclude();
}

model::Verdict check_module_for_next_kernel(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::KernelFacts* running = running_kernel(machine);
  if (!has_gpu(machine) || running == nullptr || !has_module(*running)) return look.not_applicable();
  for (const model::KernelFacts& kernel : model::each(machine.driver.kernels)) {
    // What is left of a removed kernel has no modules.dep; another flavour is not what the next boot takes.
    const bool comes_next = base::compare_versions(kernel.key(), running->key()) > 0 &&
                            flavour_of(kernel.key()) == flavour_of(running->key()) &&
                            kernel.rdma_modules.known();
    if (!comes_next || has_module(kernel)) continue;
    look.fails("driver.no_module_for_next_kernel")
        .with("kernel", kernel.key())
        .with("running", running->key())
        .with("headers", kernel.has_headers.known() && !kernel.has_headers.value() ? "missing" : "installed")
        .proof(kernel.nvidia_modules)
        .proof(kernel.has_headers);
    break;
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
