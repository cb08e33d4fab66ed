// SPDX-License-Identifier: Apache-2.0
#include "rules/identity.h"

#include <map>
#include <set>
#include <string>

namespace gpuwright::rules {

void unify_identities(model::Observations& observations) {
  std::map<std::string, std::set<std::string>> address_of;
  std::set<std::string> hosts;
  for (model::Event& event : observations.events) {
    // What the controller's log says of a node is about that node's machine, not the controller's.
    if (event.subject.kind == model::SubjectKind::Node && !event.subject.id.empty())
      event.subject.host = event.subject.id;
    hosts.insert(event.subject.host);
    const bool has_address =
        event.subject.kind == model::SubjectKind::Gpu && event.subject.id.find(':') != std::string::npos;
    if (!has_address) continue;
    const auto index = event.params.find("gpu_index");
    const auto uuid = event.params.find("uuid");
    if (index != event.params.end()) address_of["#" + index->second].insert(event.subject.id);
    if (uuid != event.params.end()) address_of[uuid->second].insert(event.subject.id);
  }
  for (const model::GpuReport& gpu : observations.gpus) {
    if (!gpu.pci.known()) continue;
    const std::string address = gpu.pci.value().substr(0, gpu.pci.value().rfind('.'));
    if (gpu.index.known()) address_of["#" + std::to_string(gpu.index.value())].insert(address);
    if (gpu.uuid.known()) address_of[gpu.uuid.value()].insert(address);
  }
  hosts.erase("");
  for (model::Event& event : observations.events) {
    if (hosts.size() == 1) event.subject.host = *hosts.begin();
    const auto known = address_of.find(event.subject.id);
    if (known != address_of.end() && known->second.size() == 1) event.subject.id = *known->second.begin();
  }
}

}  // namespace gpuwright::rules
