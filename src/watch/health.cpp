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
    changes_.push_back({model::IncidentChange::Step::Begun, seen.incident});
  }
  seen.incident.phase = model::IncidentPhase::Open;
}

void Health::see(Seen& seen, const model::Condition& condition, double now_s) {
  using Step = model::IncidentChange::Step;
  model::LiveIncident& incident = seen.incident;
  if (seen.seen == 0 && incident.first_s == 0) incident.first_s = now_s;
  const model::Condition before = std::exchange(incident.what, condition);
  incident.last_s = now_s;
  seen.missed = 0;
  const bool renewed = std::exchange(seen.ends_as, "unseen") == "reboot";  // it is of this boot, too
  ++seen.seen;
  if (incident.number == 0 || (before == condition && !renewed)) return;
  model::Condition with_evidence = before;
  with_evidence.evidence = condition.evidence;
  changes_.push_back({with_evidence == condition ? Step::Evidence : Step::Changed, incident});
}

void Health::take_over(const model::LiveIncident& incident, bool rebooted) {
  const Key key{incident.what.cause, incident.what.subject};
  const auto known = seen_.find(key);
  if (known != seen_.end()) {
    known->second.incident.first_s = incident.first_s;
    if (known->second.incident.number == 0) raise(known->second);
    for (model::IncidentChange& change : changes_) {
      const model::Condition& what = change.incident.what;
      if (Key{what.cause, what.subject} != key) continue;
      change.incident.first_s = incident.first_s;
      if (change.step == model::IncidentChange::Step::Begun)
        change.step = model::IncidentChange::Step::Changed;
    }
    return;
  }
  Seen seen;
  seen.incident = incident;
  seen.incident.number = ++last_number_;
  seen.incident.phase = model::IncidentPhase::Open;
  seen.source = "look";
  if (rebooted) {
    seen.missed = options_.clear_after - 1;
    seen.ends_as = "reboot";
  }
  seen_.emplace(key, std::move(seen));
}

void Health::end(Seen& seen, const std::string& why, double now_s) {
  if (seen.incident.number == 0) return;  // it was only suspected
  seen.incident.phase = model::IncidentPhase::Ended;
  seen.incident.end_s = now_s;
  seen.incident.ended_by = why;
  changes_.push_back({model::IncidentChange::Step::Ended, seen.incident});
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
    seen.source = source;
    see(seen, condition, now_s);
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
    end(seen, seen.ends_as, now_s);
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
