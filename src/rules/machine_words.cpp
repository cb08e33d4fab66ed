// SPDX-License-Identifier: Apache-2.0
#include "rules/machine_words.h"

#include <algorithm>

namespace gpuwright::rules {

const model::ServiceFacts* service_named(const model::Machine& machine, std::string_view name) {
  for (const model::ServiceFacts& service : model::each(machine.management.services)) {
    std::string_view unit =
        service.name.known() ? std::string_view(service.name.value()) : std::string_view();
    if (unit.ends_with(".service")) unit.remove_suffix(8);
    if (unit == name) return &service;
  }
  return nullptr;
}

bool is_running(const model::ServiceFacts* service) {
  const std::string state = service == nullptr ? std::string() : model::key_text(service->active);
  return state == "active" || state == "activating";
}

bool has_failed(const model::ServiceFacts* service) {
  if (service == nullptr) return false;
  return model::key_text(service->active) == "failed" || model::key_text(service->sub) == "auto-restart";
}

const model::ModuleFacts* module_named(const model::Machine& machine, std::string_view name) {
  for (const model::ModuleFacts& module : model::each(machine.driver.modules)) {
    if (module.name.known() && module.name.value() == name) return &module;
  }
  return nullptr;
}

const model::PackageFacts* package_named(const model::Machine& machine, std::string_view name) {
  for (const model::PackageFacts& package : model::each(machine.driver.packages)) {
    if (package.name.known() && package.name.value() == name) return &package;
  }
  return nullptr;
}

const model::Event* event_of(const model::Observations& observations, std::string_view signal) {
  for (const model::Event& event : observations.events) {
    if (event.signal == signal) return &event;
  }
  return nullptr;
}

bool is_guest(const model::Machine& machine) {
  return machine.os.virtualization.known() && machine.os.virtualization.value() != "none";
}

bool is_kubernetes_node(const model::Machine& machine) {
  return machine.kubernetes.cgroup_driver.known() || is_running(service_named(machine, "kubelet"));
}

}  // namespace gpuwright::rules
