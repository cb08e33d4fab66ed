// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_services.h"

namespace gpuwright::rules {

model::Verdict check_fabric_manager_failed(Look look, const Situation& situation) {
  // A quick look has no fact about GPUs, but what they answered.
  if (!has_gpu(situation.machine) && situation.observations.gpus.empty()) return look.not_applicable();
  const auto* services = look.need(situation.machine.management.services);
  if (services == nullptr) return look.conclude();
  for (const model::ServiceFacts& service : *services) {
    if (model::key_text(service.name) != "nvidia-fabricmanager.service") continue;
    const std::string* active = look.need(service.active);
    if (active != nullptr && *active == "failed")
      look.fails("host.fabricmanager_unit_failed").proof(service.active).proof(service.result);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
