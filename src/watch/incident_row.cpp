// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/incident_row.h"

#include "model/severity_word.h"

#include <cmath>

namespace gpuwright::watch {

namespace {

constexpr double kMilli = 1000;

std::int64_t milliseconds(double seconds) {
  return std::llround(seconds * kMilli);
}

}  // namespace

model::Incident incident_row(const model::LiveIncident& incident, const model::NodeState& state,
                             const std::string& boot_id) {
  const model::Condition& what = incident.what;
  model::Incident row;
  row.id = model::incident_id(incident);
  row.cause = what.cause;
  const auto gpu = model::gpu_at(state, what.subject);
  row.subject = gpu ? state.gpus.at(*gpu).identity.uuid : what.subject;
  if (row.subject.empty()) row.subject = what.subject.empty() ? "host" : what.subject;
  row.severity = model::severity_word(what.severity);
  row.start_ms = milliseconds(incident.first_s);
  if (incident.phase == model::IncidentPhase::Ended) row.end_ms = milliseconds(incident.end_s);
  row.ended_by = incident.ended_by;
  row.evidence = what.evidence;
  row.device = what.subject;
  row.title = what.title;
  row.params = what.params;
  row.boot_id = boot_id;
  return row;
}

model::LiveIncident live_incident(const model::Incident& row) {
  model::LiveIncident incident;
  model::Condition& what = incident.what;
  what.cause = row.cause;
  what.subject = row.device;
  what.severity = model::severity_of_word(row.severity).value_or(model::Severity::Error);
  what.title = row.title;
  what.params = row.params;
  what.evidence = row.evidence;
  incident.first_s = static_cast<double>(row.start_ms) / kMilli;
  incident.last_s = incident.first_s;
  incident.phase = row.end_ms ? model::IncidentPhase::Ended : model::IncidentPhase::Open;
  incident.end_s = static_cast<double>(row.end_ms.value_or(0)) / kMilli;
  incident.ended_by = row.ended_by;
  return incident;
}

}  // namespace gpuwright::watch
