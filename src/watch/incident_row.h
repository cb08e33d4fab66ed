// An incident as the history keeps it, and as it goes on when a daemon starts anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/history.h"
#include "model/live_incident.h"
#include "model/node_state.h"

#include <string>

namespace gpuwright::watch {

/// The subject becomes the GPU's UUID where that is known, and "host" for this machine.
model::Incident incident_row(const model::LiveIncident& incident, const model::NodeState& state,
                             const std::string& boot_id);
model::LiveIncident live_incident(const model::Incident& row);

}  // namespace gpuwright::watch
