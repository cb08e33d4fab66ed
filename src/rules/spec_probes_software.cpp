// What a spec asks of the software on the host that no single fact answers.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/spec_probes.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

using model::AbsentReason;
using model::Field;
using model::SpecValue;

template <class T>
SpecSights unknown(const SpecLook& look, const Field<T>& field) {
  return {sight_of(look.machine, field, [](const T&) { return SpecValue(true); })};
}

SpecSights value(SpecValue found) {
  return {sight_of_value(std::move(found), {})};
}

/// Whether a module of those that facts hold is loaded.
SpecSights module_loaded(const SpecLook& look, const char* name) {
  if (!look.machine.driver.modules.known()) return unknown(look, look.machine.driver.modules);
  const auto& modules = look.machine.driver.modules.value();
  return value(std::any_of(modules.begin(), modules.end(),
                           [&](const model::ModuleFacts& module) { return module.key() == name; }));
}

/// The version of the library; the wanted one where several lie there and it is among them.
SpecSights library(const SpecLook& look, const char* name) {
  if (!look.machine.cuda.libraries.known()) return unknown(look, look.machine.cuda.libraries);
  const std::string wanted = look.spec.text(look.path).value_or("");
  const Field<std::string>* found = nullptr;
  for (const model::LibraryFacts& one : look.machine.cuda.libraries.value()) {
    if (model::key_text(one.name) != name) continue;
    const bool first = found == nullptr;
    const bool matches = one.version.known() && !wanted.empty() && one.version.value().starts_with(wanted);
    if (first || matches) found = &one.version;
  }
  if (found == nullptr) return {sight_of_none({})};
  return {sight_of(look.machine, *found)};
}

}  // namespace

SpecSights probe_toolkits(const SpecLook& look) {
  if (!look.machine.cuda.toolkits.known()) return unknown(look, look.machine.cuda.toolkits);
  model::SpecTexts versions;
  for (const model::ToolkitFacts& toolkit : look.machine.cuda.toolkits.value()) {
    const std::string version = model::key_text(toolkit.version);
    versions.push_back(version);
    // "12.8" is there where 12.8.1 is.
    const std::size_t minor = version.find('.');
    const std::size_t patch = minor == std::string::npos ? minor : version.find('.', minor + 1);
    if (patch != std::string::npos) versions.push_back(version.substr(0, patch));
  }
  return value(versions);
}

SpecSights probe_default_toolkit(const SpecLook& look) {
  return {sight_of(look.machine, look.machine.cuda.default_toolkit, [](const std::string& folder) {
    const std::size_t digit = folder.find_first_of("0123456789");
    return SpecValue(digit == std::string::npos ? folder : folder.substr(digit));
  })};
}

SpecSights probe_cudnn(const SpecLook& look) {
  return library(look, "cudnn");
}

SpecSights probe_nccl(const SpecLook& look) {
  return library(look, "nccl");
}

SpecSights probe_gdrcopy(const SpecLook& look) {
  return module_loaded(look, "gdrdrv");
}

SpecSights probe_gpu_direct_storage(const SpecLook& look) {
  return module_loaded(look, "nvidia_fs");
}

SpecSights probe_engines(const SpecLook& look) {
  const model::ContainerFacts& facts = look.machine.containers;
  const std::array<std::pair<const char*, const Field<std::string>*>, 3> known = {
      {{"containerd", &facts.containerd_version},
       {"docker", &facts.docker_version},
       {"podman", &facts.podman_version}}};
  model::SpecTexts found;
  for (const auto& engine : known) {
    if (engine.second->known()) found.emplace_back(engine.first);
  }
  for (const std::string& wanted : look.spec.texts(look.path)) {
    const auto at =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return wanted == one.first; });
    if (at == known.end()) return {sight_of_unknown(AbsentReason::Unsupported, {})};
    if (!at->second->known() && at->second->reason() != AbsentReason::NotFound)
      return unknown(look, *at->second);
  }
  return value(found);
}

SpecSights probe_cdi(const SpecLook& look) {
  if (!look.machine.containers.cdi_specs.known()) return unknown(look, look.machine.containers.cdi_specs);
  const auto& specs = look.machine.containers.cdi_specs.value();
  return value(std::any_of(specs.begin(), specs.end(), [](const model::CdiSpec& spec) {
    return model::key_text(spec.kind).starts_with("nvidia.com/");
  }));
}

SpecSights probe_peer_memory(const SpecLook& look) {
  const model::NetworkFacts& network = look.machine.network;
  if (network.peer_memory.known() && network.peer_memory.value()) return value(std::string("nvidia-peermem"));
  if (network.dma_buf.known() && network.dma_buf.value()) return value(std::string("dma-buf"));
  if (!network.peer_memory.known()) return unknown(look, network.peer_memory);
  if (!network.dma_buf.known()) return unknown(look, network.dma_buf);
  return value(std::string("none"));
}

}  // namespace gpuwright::rules
