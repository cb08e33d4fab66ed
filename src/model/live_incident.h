// What is wrong with this machine now, and since when: what the daemon knows of its incidents before they are
// history.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::model {

/// Something that is wrong, as one source sees it.
struct Condition {
  std::string cause;    ///< of data/causes
  std::string subject;  ///< "0000:3b:00" of a GPU; empty: this machine
  Severity severity = Severity::Error;
  std::string title;
  std::map<std::string, std::string> params;  ///< of the cause's texts
  std::vector<std::string> evidence;          ///< lines
  bool operator==(const Condition&) const = default;
};

enum class IncidentPhase { Suspected, Open, Fading, Ended };

/// One incident, from its first sign to its end.
struct LiveIncident {
  std::int64_t number = 0;  ///< grows; 0: only suspected
  Condition what;           ///< as last seen
  IncidentPhase phase = IncidentPhase::Suspected;
  double first_s = 0;    ///< unix time of the first sign
  double last_s = 0;     ///< of the last
  double end_s = 0;      ///< where ended
  std::string ended_by;  ///< a code of data/endings.csv: "unseen", or what was proven
};

/// The same for as long as it goes on, also across restarts: "1796099696123/0000:3b:00/gpu-lost".
inline std::string incident_id(const LiveIncident& incident) {
  constexpr double kMilli = 1000;
  const std::string& subject = incident.what.subject;
  return std::to_string(std::llround(incident.first_s * kMilli)) + "/" +
         (subject.empty() ? "host" : subject) + "/" + incident.what.cause;
}

/// What became of an incident.
struct IncidentChange {
  enum class Step {
    Begun,
    Changed,   ///< its severity or what is said of it
    Evidence,  ///< only the lines that prove it
    Ended,
  };
  Step step = Step::Begun;
  LiveIncident incident;
};

}  // namespace gpuwright::model
