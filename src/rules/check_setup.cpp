// Two that do the same on one machine: drivers, exporters on a port, definitions of a package source. Source:
// NVIDIA GPU operator documentation (pre-installed drivers); Prometheus wiki of default ports, DOCA telemetry
// service guide; apt-secure(8).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_setup.h"

#include "base/text.h"
#include "rules/check_kubernetes_driver.h"
#include "rules/machine_words.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

/// A package that brings the kernel modules of the driver to the host.
const model::PackageFacts* host_driver_package(const model::Machine& machine) {
  for (const model::PackageFacts& package : model::each(machine.driver.packages)) {
    const std::string name = package.key();
    for (const char* prefix : {"nvidia-dkms", "nvidia-driver", "nvidia-open", "nvidia-kernel", "kmod-nvidia",
                               "cuda-drivers", "linux-modules-nvidia", "nvidia-kmod", "akmod-nvidia"}) {
      if (name.starts_with(prefix) && !base::contains(name, "pinning")) return &package;
    }
  }
  return nullptr;
}

}  // namespace

model::Verdict check_driver_owner(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const auto& pods = model::each(machine.kubernetes.pods);
  const auto pod = std::find_if(pods.begin(), pods.end(), is_driver_pod);
  // A driver pod beside the host's driver is told where it fails.
  const bool failing = event_of(situation.observations, "k8s.operator_pod_failing") != nullptr ||
                       event_of(situation.observations, "k8s.crash_loop") != nullptr;
  const bool by_pod = !machine.driver.container_stack_driver.known() && pod != pods.end() && failing;
  const model::Field<std::string>& operators = by_pod ? pod->name : machine.driver.container_stack_driver;
  if (!operators.known()) return look.not_applicable();
  const model::PackageFacts* package = host_driver_package(machine);
  const bool by_installer = package == nullptr && machine.driver.libnvidia_ml_version.known();
  if (package == nullptr && !by_installer) return look.conclude();
  auto failure = look.fails("driver.host_and_operator");
  failure.proof(operators);
  if (package != nullptr) failure.with("package", package->key()).proof(package->version);
  if (by_installer) failure.proof(machine.driver.libnvidia_ml_version);
  failure.proof(machine.driver.loaded_version);
  return look.conclude();
}

model::Verdict check_ports(Look look, const Situation& situation) {
  struct Default {
    const char* service;
    std::int64_t port;
  };
  // Source: Prometheus wiki of default ports; DCGM and DOCA telemetry documentation.
  constexpr std::array<Default, 8> kDefaults = {{{"prometheus-node-exporter", 9100},
                                                 {"node_exporter", 9100},
                                                 {"node-exporter", 9100},
                                                 {"doca-telemetry", 9100},
                                                 {"dts", 9100},
                                                 {"telemetry", 9100},
                                                 {"dcgm-exporter", 9400},
                                                 {"nvidia-dcgm", 5555}}};
  const model::ManagementFacts& facts = situation.machine.management;
  bool any = false;
  for (const Default& known : kDefaults) {
    const model::ServiceFacts* service = service_named(situation.machine, known.service);
    if (service == nullptr) continue;
    any = true;
    if (!has_failed(service)) continue;
    look.need(facts.listening);
    for (const model::PortFacts& port : model::each(facts.listening)) {
      if (!port.port.known() || port.port.value() != known.port) continue;
      look.fails("host.port_taken")
          .with("port", std::to_string(known.port))
          .with("service", known.service)
          .proof(service->active)
          .proof(port.port);
      break;
    }
  }
  return any ? look.conclude() : look.not_applicable();
}

model::Verdict check_repositories(Look look, const Situation& situation) {
  const auto& sources = model::each(situation.machine.driver.repositories);
  if (sources.empty()) return look.not_applicable();
  for (const model::RepositoryFacts& source : sources) {
    if (source.has_key.known() && !source.has_key.value())
      look.fails(base::contains(model::key_text(source.address), "developer.download.nvidia.")
                     ? "driver.cuda_key_absent"
                     : "driver.repo_key_absent")
          .with("file", model::key_text(source.key_file))
          .with("source", model::key_text(source.path))
          .proof(source.address)
          .proof(source.has_key);
    const auto other = std::find_if(sources.begin(), sources.end(), [&](const model::RepositoryFacts& one) {
      return &one < &source && model::key_text(one.address) == model::key_text(source.address) &&
             model::key_text(one.key_file) != model::key_text(source.key_file);
    });
    if (other != sources.end() && model::key_text(source.path).starts_with("/etc/apt"))
      look.fails("driver.repo_defined_twice")
          .with("source", model::key_text(source.path))
          .with("other", model::key_text(other->path))
          .proof(source.address)
          .proof(other->address);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
