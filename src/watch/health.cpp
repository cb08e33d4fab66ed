// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/health.h"

#include <algorithm>
#include <set>

namespace gpuwright::watch {

void Health::raise(Seen& seen) {
  if (seen.incident.number == 0) {
    seen.incident.number = ++last_number_;
    seen.incident.phase = model::IncidentPhase::Open;
    changes_.push_back(seen.incident);
  }
  seen.incident.phase = model::IncidentPhase::Open;
}

void Health::end(Seen& seen, const std::string& why, double now_s) {
  if (seen.incident.number == 0) return;  // it was only suspected
  seen.incident.phase = model::IncidentPhase::Ended;
  seen.incident.end_s = now_s;
  seen.incident.ended_by = why;
  changes_.push_back(seen.incident);
  ended_.insert(ended_.begin(), seen.incident);
  if (ended_.size() > options_.keep_ended) ended_.resize(options_.keep_ended);
}

void Health::report(const std::string& source, const std::vector<model::Condition>& conditions,
                    double now_s) {
  looked_s_ = now_s;
  std::set<Key> now;
  for (const model::Condition& condition : conditions) {
    const Key key{condition.cause, condition.subject};
    if (!now.insert(key).second) continue;
    Seen& seen = seen_[key];
    if (seen.seen == 0 && seen.incident.first_s == 0) seen.incident.first_s = now_s;
    seen.source = source;
    seen.incident.what = condition;
    seen.incident.last_s = now_s;
    seen.missed = 0;
    ++seen.seen;
    if (condition.severity == model::Severity::Critical || seen.seen >= options_.raise_after) raise(seen);
  }
  for (auto at = seen_.begin(); at != seen_.end();) {
    Seen& seen = at->second;
    if (seen.source != source || now.count(at->first) != 0) {
      ++at;
      continue;
    }
    seen.seen = 0;
    ++seen.missed;
    const bool raised = seen.incident.number != 0;
    if (raised) seen.incident.phase = model::IncidentPhase::Fading;
    if (raised && seen.missed < options_.clear_after) {
      ++at;
      continue;
    }
    end(seen, "no longer seen", now_s);
    at = seen_.erase(at);
  }
}

std::size_t Health::recovered(const std::string& subject, const std::string& why, double now_s) {
  std::size_t count = 0;
  for (auto at = seen_.begin(); at != seen_.end();) {
    if (at->first.second != subject) {
      ++at;
      continue;
    }
    count += at->second.incident.number != 0 ? 1 : 0;
    end(at->second, why, now_s);
    at = seen_.erase(at);
  }
  return count;
}

std::vector<model::LiveIncident> Health::open() const {
  std::vector<model::LiveIncident> all;
  for (const auto& entry : seen_) {
    if (entry.second.incident.number != 0) all.push_back(entry.second.incident);
  }
  std::sort(all.begin(), all.end(), [](const model::LiveIncident& a, const model::LiveIncident& b) {
    if (a.what.severity != b.what.severity) return a.what.severity > b.what.severity;
    return a.number < b.number;
  });
  return all;
}

}  // namespace gpuwright::watch
