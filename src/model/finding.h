// What rules conclude. A finding carries a cause's id and typed parameters, never a sentence: text comes from
// the catalog at print time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/difference.h"
#include "model/event.h"
#include "model/left_behind.h"
#include "model/observations.h"
#include "model/verdict.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::model {

enum class Severity { Harmless, Info, Warning, Error, Critical };

/// A follower: a signal that the finding's cause explains.
struct Explained {
  std::string signal;
  Subject subject;
  std::int64_t count = 1;
  EventTime first;
  std::vector<Evidence> evidence;
};

/// One incident: its root cause, on whom, since when, with proof and followers.
struct Finding {
  std::string cause;
  Subject subject;
  std::vector<Subject> also;  ///< further subjects of the same incident (a peer fault seen by four GPUs)
  Severity severity = Severity::Error;
  std::int64_t sure = 0;  ///< confidence, per cent
  EventTime first;
  EventTime last;
  std::int64_t count = 1;
  std::map<std::string, std::string> params;
  std::vector<Evidence> evidence;    ///< of the events that raise the cause
  std::vector<std::string> signals;  ///< the signals that raise it, sorted
  std::vector<Explained> explains;
  std::vector<Evidence> contradicted;  ///< lines of sources that say otherwise
  std::vector<std::string> rivals;     ///< causes that explain as much: the evidence cannot tell them apart
};

/// How a machine stands beside a spec, in numbers of values and, where they answer apart, of groups of GPUs.
struct SpecSummary {
  std::string file;
  std::int64_t met = 0;
  std::int64_t differ = 0;
  std::int64_t unknown = 0;         ///< could not be looked at
  std::int64_t not_applicable = 0;  ///< the machine has nothing of the kind
  std::int64_t settings = 0;        ///< other commands act on them
};

/// The answer of `doctor`.
struct Diagnosis {
  std::vector<Finding> findings;  ///< most important first
  std::vector<Finding> harmless;  ///< recognised, and no problem
  std::vector<RecognisedInput> inputs;
  std::vector<Verdict> checks;      ///< of the machine's facts, by id; none where no facts were collected
  std::optional<SpecSummary> spec;  ///< nothing where no spec was named
  std::vector<std::string> could_not_look;  ///< what was asked for and could not be seen, with the reason
  std::vector<LeftBehind> left_behind;      ///< our processes that wait in the kernel
  std::optional<ChangeReport> changes;      ///< since an earlier time, where that was asked for
};

}  // namespace gpuwright::model
