// Questions that several checks ask of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/machine.h"
#include "model/observations.h"

#include <string>
#include <string_view>

namespace gpuwright::rules {

/// The unit of that name, with or without ".service"; null where it is not installed or nobody could ask.
const model::ServiceFacts* service_named(const model::Machine& machine, std::string_view name);

/// It runs, or tries to: "active" or "activating".
bool is_running(const model::ServiceFacts* service);

/// It ended badly, or systemd starts it again and again.
bool has_failed(const model::ServiceFacts* service);

/// The loaded module; null where it is not loaded or the list could not be read.
const model::ModuleFacts* module_named(const model::Machine& machine, std::string_view name);

/// The installed package; null where it is not.
const model::PackageFacts* package_named(const model::Machine& machine, std::string_view name);

/// An event of that signal in what was read; null where none is.
const model::Event* event_of(const model::Observations& observations, std::string_view signal);

/// A virtual machine's guest, as far as the firmware and the processor say.
bool is_guest(const model::Machine& machine);

/// A kubelet is configured or runs here.
bool is_kubernetes_node(const model::Machine& machine);

}  // namespace gpuwright::rules
