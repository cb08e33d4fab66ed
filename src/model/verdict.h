// What a check of the machine's facts says. Silence is never a pass: a check that could not look says why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <string>
#include <vector>

namespace gpuwright::model {

enum class Outcome { Passes, Fails, NotApplicable, Unknown };

/// A fact that a check needed and that is not there.
struct MissingFact {
  AbsentReason reason = AbsentReason::NotFound;
  Evidence place;
};

struct Verdict {
  std::string check;  ///< "driver.library-matches-module"
  Outcome outcome = Outcome::Unknown;
  std::vector<Event> events;         ///< of a failure: what it raises, with proof
  std::vector<MissingFact> missing;  ///< of Unknown: what could not be looked at; at most eight
};

}  // namespace gpuwright::model
