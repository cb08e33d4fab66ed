// Makes the events that a judge raises, in one place, so that each carries its signature, subject and proof.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::rules {

inline constexpr std::size_t kMaxEvidence = 4;

/// An alarm of `signal` about `subject`, raised by the judge `judge`.
inline model::Event derived_event(const std::string& signal, const std::string& judge, model::Subject subject,
                                  model::Evidence evidence) {
  model::Event event;
  event.signal = signal;
  event.signature = judge;
  event.subject = std::move(subject);
  event.evidence.push_back(std::move(evidence));
  return event;
}

/// Adds one more occurrence to an event that stands for several.
inline void add_occurrence(model::Event& event, const model::Evidence& evidence) {
  ++event.count;
  if (event.evidence.size() < kMaxEvidence) event.evidence.push_back(evidence);
}

inline model::Subject device_subject(model::SubjectKind kind, const std::string& id,
                                     const std::string& host = {}) {
  model::Subject subject;
  subject.kind = kind;
  subject.id = id;
  subject.host = host;
  return subject;
}

}  // namespace gpuwright::rules
