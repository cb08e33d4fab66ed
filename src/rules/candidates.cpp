// SPDX-License-Identifier: Apache-2.0
#include "rules/candidates.h"

#include "base/text.h"
#include "rules/conditions.h"
#include "rules/pci_path.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace gpuwright::rules {

namespace {

using catalog::Cause;
using catalog::Explain;
using catalog::ExplainScope;
using catalog::Raise;
using model::Event;
using model::EventLevel;

constexpr std::int64_t kMostSure = 99;

bool any_event(const std::vector<Event>& events, const std::string& signal, const Event& beside) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return &event != &beside && base::matches_signal_glob(signal, event.signal) &&
           same_host(event.subject, beside.subject);
  });
}

std::string param(const Event& event, const std::string& name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

/// What the incident is about, by the cause's scope. Empty: the machine, or an unknown device.
std::string instance_of(const Cause& cause, const Event& event) {
  std::string instance = event.subject.host + "|";
  if (cause.scope == "host" || cause.scope == "job") return instance;
  if (cause.scope == "process")
    return instance + (param(event, "pid").empty() ? param(event, "process") : param(event, "pid"));
  instance += device_of(event.subject);
  if (cause.scope == "link" && event.subject.link) instance += "/" + std::to_string(*event.subject.link);
  return instance;
}

/// The signal is known to fit; is it the right device and time?
bool relates(const Explain& explain, const Cause& cause, const Event& root, const Event& follower,
             const PciPaths& paths) {
  if (!same_host(root.subject, follower.subject)) return false;
  const std::string root_device = device_of(root.subject);
  const std::string follower_device = device_of(follower.subject);
  const bool host_wide = cause.scope == "host" || cause.scope == "job";
  const bool same =
      host_wide || root_device.empty() || follower_device.empty() || root_device == follower_device;
  if (explain.on == ExplainScope::Same && !same) return false;
  if (explain.on == ExplainScope::Path && !same && !paths.may_share(root.subject, follower.subject))
    return false;
  if (explain.on == ExplainScope::Peer && !root_device.empty() && root_device == follower_device)
    return false;
  return in_time(root, follower, explain);
}

/// Seen beside the event. What the cause claims to explain counts only where it does: a link error of
/// yesterday says nothing about the card lost today.
bool has_companion(const Cause& cause, const Event& event, const std::string& signal,
                   const std::vector<Event>& events, const PciPaths& paths) {
  const bool claimed = std::any_of(cause.explains.begin(), cause.explains.end(), [&](const Explain& explain) {
    return base::matches_signal_glob(explain.signal, signal);
  });
  if (!claimed) return any_event(events, signal, event);
  return std::any_of(events.begin(), events.end(), [&](const Event& other) {
    return &other != &event && base::matches_signal_glob(signal, other.signal) &&
           std::any_of(cause.explains.begin(), cause.explains.end(), [&](const Explain& explain) {
             return base::matches_signal_glob(explain.signal, other.signal) &&
                    relates(explain, cause, event, other, paths);
           });
  });
}

bool raises(const Cause& cause, const Raise& raise, const Event& event, const std::vector<Event>& events,
            const PciPaths& paths) {
  if (!base::matches_signal_glob(raise.signal, event.signal) || !fulfils(event, raise)) return false;
  const auto with = [&](const std::string& signal) {
    return has_companion(cause, event, signal, events, paths);
  };
  const auto seen = [&](const std::string& signal) { return any_event(events, signal, event); };
  return std::all_of(raise.with.begin(), raise.with.end(), with) &&
         std::none_of(raise.without.begin(), raise.without.end(), seen);
}

/// True when one of the candidate's raising events explains the event.
bool is_explained(const Candidate& candidate, const std::vector<Event>& events, std::size_t index,
                  const PciPaths& paths) {
  const Cause& cause = *candidate.cause;
  return std::any_of(cause.explains.begin(), cause.explains.end(), [&](const Explain& explain) {
    if (!base::matches_signal_glob(explain.signal, events[index].signal)) return false;
    return std::any_of(candidate.raising.begin(), candidate.raising.end(), [&](std::size_t root) {
      return root != index && relates(explain, cause, events[root], events[index], paths);
    });
  });
}

void fill_covers(Candidate& candidate, const std::vector<Event>& events, const PciPaths& paths) {
  std::set<std::size_t> covers(candidate.raising.begin(), candidate.raising.end());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].level != EventLevel::Context && is_explained(candidate, events, i, paths)) covers.insert(i);
  }
  candidate.covers.assign(covers.begin(), covers.end());
}

/// Causes by the signal that can raise them.
class RaiseIndex {
 public:
  explicit RaiseIndex(const catalog::Catalog& catalog) {
    for (const Cause& cause : catalog.causes()) {
      for (const Raise& raise : cause.raised_by) {
        const bool glob = raise.signal.size() > 2 && raise.signal.substr(raise.signal.size() - 2) == ".*";
        if (glob) globs_.emplace_back(&cause, &raise);
        if (!glob) exact_.emplace(raise.signal, std::pair(&cause, &raise));
      }
    }
  }

  template <class Visit>
  void visit(const std::string& signal, Visit&& visit) const {
    const auto range = exact_.equal_range(signal);
    for (auto at = range.first; at != range.second; ++at) visit(*at->second.first, *at->second.second);
    for (const auto& entry : globs_) visit(*entry.first, *entry.second);
  }

 private:
  std::multimap<std::string, std::pair<const Cause*, const Raise*>> exact_;
  std::vector<std::pair<const Cause*, const Raise*>> globs_;
};

/// Independent signals add up: 1 - product of doubts.
std::int64_t combine(const std::map<std::string, std::int64_t>& sure_by_signal) {
  double doubt = 1;
  for (const auto& entry : sure_by_signal) doubt *= 1 - static_cast<double>(entry.second) / 100;
  return std::min(kMostSure, std::int64_t{std::llround((1 - doubt) * 100)});
}

}  // namespace

std::vector<Candidate> find_candidates(const std::vector<Event>& events, const catalog::Catalog& catalog) {
  struct Draft {
    std::set<std::size_t> raising;
    std::map<std::string, std::int64_t> sure_by_signal;
  };
  std::map<std::pair<std::string, std::string>, std::pair<const Cause*, Draft>> drafts;
  const RaiseIndex index(catalog);
  const PciPaths paths(events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].level == EventLevel::Context) continue;
    index.visit(events[i].signal, [&](const Cause& cause, const Raise& raise) {
      if (!raises(cause, raise, events[i], events, paths)) return;
      auto& entry = drafts[{cause.id, instance_of(cause, events[i])}];
      entry.first = &cause;
      entry.second.raising.insert(i);
      std::int64_t& sure = entry.second.sure_by_signal[events[i].signal];
      sure = std::max(sure, raise.sure);
    });
  }
  std::vector<Candidate> candidates;
  for (const auto& entry : drafts) {
    Candidate candidate;
    candidate.cause = entry.second.first;
    candidate.instance = entry.first.second;
    candidate.sure = combine(entry.second.second.sure_by_signal);
    candidate.raising.assign(entry.second.second.raising.begin(), entry.second.second.raising.end());
    fill_covers(candidate, events, paths);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace gpuwright::rules
