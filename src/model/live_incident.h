// What is wrong with this machine now, and since when: what the daemon knows of its incidents before they are
// history.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

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
  std::string ended_by;  ///< "no longer seen", or what was proven
};

}  // namespace gpuwright::model
