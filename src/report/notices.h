// What receivers are told of incidents: our own JSON for a webhook, and alerts as Alertmanager takes them.
// Source: docs/schema/webhook.schema.json; Prometheus Alertmanager, API v2 (postableAlerts).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/live_incident.h"
#include "model/node_state.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::report {

/// "begun", "changed", "ended"; docs/schema/webhook.schema.json. `number` grows with each notice of a daemon.
std::string render_webhook(const model::IncidentChange& change, const model::NodeState& state,
                           const catalog::Catalog& catalog, std::uint64_t number);

/// By which an alert is known; they must stay while it is open.
using AlertLabels = std::map<std::string, std::string>;
/// alertname ("GpuLostToDriver" of gpu-lost-to-driver), cause, severity, instance (the node's name), and gpu,
/// uuid, pci or subject.
AlertLabels alert_labels(const model::LiveIncident& incident, const model::NodeState& state);

struct Alert {
  AlertLabels labels;
  const model::LiveIncident* incident = nullptr;
  double ends_s = 0;  ///< unix time: when it ended, or until when it holds unless it is sent again
};
std::string render_alerts(const std::vector<Alert>& alerts, const model::NodeState& state,
                          const catalog::Catalog& catalog);

}  // namespace gpuwright::report
