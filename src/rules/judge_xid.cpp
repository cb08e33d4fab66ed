// NVIDIA's work-flows for Xid 13, 31 and 45 ask where and whom an error strikes; power and memory faults show
// in several events together. Source: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_xid.h"

#include "base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace gpuwright::rules {

namespace {

using model::Event;
using model::Observations;

using EventList = std::vector<const Event*>;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTogether = 60 * kSecond;
constexpr std::int64_t kAnotherRun = 600 * kSecond;
constexpr std::int64_t kAnotherHour = 3600 * kSecond;
constexpr std::size_t kMaxEvidence = 4;

std::string param(const Event& event, const std::string& name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

/// All values of a parameter over all occurrences.
std::set<std::string> values(const EventList& events, const std::string& name) {
  std::set<std::string> all;
  for (const Event* event : events) {
    const auto seen = event->seen.find(name);
    if (seen != event->seen.end()) all.insert(seen->second.begin(), seen->second.end());
    if (!param(*event, name).empty()) all.insert(param(*event, name));
  }
  return all;
}

/// A GPU on a machine: host name and address.
using GpuKey = std::pair<std::string, std::string>;

std::map<GpuKey, EventList> by_gpu(const Observations& observations, const std::set<std::string>& signals) {
  std::map<GpuKey, EventList> groups;
  for (const Event& event : observations.events) {
    if (signals.count(event.signal) == 0 || event.subject.id.empty() ||
        event.level == model::EventLevel::Context)
      continue;
    groups[{event.subject.host, event.subject.id}].push_back(&event);
  }
  return groups;
}

/// From the first to the last occurrence, on a clock that all have; nothing when there is none.
std::optional<std::int64_t> span(const EventList& events) {
  std::int64_t from = 0;
  std::int64_t to = 0;
  for (const Event* event : events) {
    const std::optional<std::int64_t> first = model::time_between(events.front()->first, event->first);
    const std::optional<std::int64_t> last = model::time_between(events.front()->first, event->last);
    if (!first || !last) return std::nullopt;
    from = std::min(from, *first);
    to = std::max(to, *last);
  }
  return events.empty() ? std::nullopt : std::optional(to - from);
}

bool spans(const EventList& events, std::int64_t at_least) {
  const std::optional<std::int64_t> length = span(events);
  return length && *length >= at_least;
}

/// A further event out of several: their times, evidence and the first one's parameters.
Event derive(const std::string& signal, const EventList& from, const std::string& judge) {
  Event event;
  event.signal = signal;
  event.signature = judge;
  event.subject.kind = model::SubjectKind::Gpu;
  event.subject.id = from.front()->subject.id;
  event.subject.host = from.front()->subject.host;
  event.params = from.front()->params;
  event.first = from.front()->first;
  event.last = from.back()->last;
  event.count = 0;
  for (const Event* source : from) {
    event.count += source->count;
    if (event.evidence.size() < kMaxEvidence && !source->evidence.empty())
      event.evidence.push_back(source->evidence.front());
  }
  return event;
}

Event derive_for_host(const std::string& signal, const EventList& from, const std::string& judge) {
  Event event = derive(signal, from, judge);
  event.subject.kind = model::SubjectKind::Host;
  event.subject.id.clear();
  return event;
}

/// The groups of one machine.
std::map<std::string, std::map<std::string, EventList>> by_host(const std::map<GpuKey, EventList>& groups) {
  std::map<std::string, std::map<std::string, EventList>> hosts;
  for (const auto& entry : groups) hosts[entry.first.first][entry.first.second] = entry.second;
  return hosts;
}

bool within_a_minute(const Event& a, const Event& b) {
  // Without time nothing tells them apart.
  return std::abs(model::time_between(a.first, b.first).value_or(0)) <= kTogether;
}

/// The most GPUs whose first events lie within a minute of one of them.
EventList most_within_a_minute(const std::map<std::string, EventList>& gpus) {
  EventList best;
  for (const auto& anchor : gpus) {
    EventList together;
    for (const auto& gpu : gpus) {
      if (within_a_minute(*anchor.second.front(), *gpu.second.front()))
        together.push_back(gpu.second.front());
    }
    if (together.size() > best.size()) best = together;
  }
  return best;
}

/// Any alarm of the NVIDIA driver.
bool is_driver_fault(const Event& event) {
  const std::string group = event.signal.substr(0, event.signal.find('.'));
  return group == "xid" || group == "gsp" || group == "nvrm";
}

bool is_xid(const Event& event) {
  return event.signal.compare(0, 4, "xid.") == 0;
}

}  // namespace

std::vector<Event> judge_gpus_lost_together(const Observations& observations,
                                            const catalog::Catalog& /*catalog*/) {
  std::vector<Event> derived;
  for (const auto& host : by_host(by_gpu(observations, {"xid.79", "nvrm.fallen_off"}))) {
    const EventList best = most_within_a_minute(host.second);
    if (best.size() < 2) continue;
    Event event = derive_for_host("derived.gpus_lost_together", best, "gpus-lost-together");
    event.count = 1;
    std::string names;
    for (const Event* lost : best) names += (names.empty() ? "" : ", ") + lost->subject.id;
    event.params["gpus"] = names;
    event.params["lost"] = std::to_string(best.size());
    derived.push_back(std::move(event));
  }
  return derived;
}

std::vector<Event> judge_memory_errors_repeat(const Observations& observations,
                                              const catalog::Catalog& /*catalog*/) {
  std::vector<Event> derived;
  for (const auto& gpu : by_gpu(observations, {"xid.48", "xid.63", "xid.94", "xid.95", "xid.171"})) {
    EventList uncorrectable;
    EventList repairs;
    for (const Event* event : gpu.second)
      (event->signal == "xid.63" ? repairs : uncorrectable).push_back(event);
    const std::size_t rows = values(repairs, "address").size();
    if (rows < 3 && !spans(uncorrectable, kAnotherHour)) continue;
    Event event = derive("derived.memory_errors_repeat", gpu.second, "memory-errors-repeat");
    event.params["rows"] = std::to_string(rows);
    derived.push_back(std::move(event));
  }
  return derived;
}

std::vector<Event> judge_recovery_conflict(const Observations& observations,
                                           const catalog::Catalog& /*catalog*/) {
  std::map<GpuKey, EventList> groups;
  for (const Event& event : observations.events) {
    if (is_xid(event)) groups[{event.subject.host, event.subject.id}].push_back(&event);
    const bool driver_fault = event.signal.compare(0, 4, "gsp.") == 0 || event.signal == "nvrm.fallen_off";
    if (driver_fault) return {};  // 154 has its reason elsewhere
  }
  std::vector<Event> derived;
  for (const auto& gpu : groups) {
    const Event* asked = nullptr;
    bool ignorable = false;
    bool serious = false;
    std::string codes;
    for (const Event* event : gpu.second) {
      if (event->signal == "xid.154" && base::parse_int(param(*event, "to")).value_or(0) > 0) asked = event;
      if (event->signal == "xid.154" || event->signal == "xid.45") continue;
      // A row that waits for its reset has a table action of "ignore" and yet, rightly, a request for the
      // reset.
      const bool ignored = param(*event, "action") == "IGNORE" && event->signal != "xid.63";
      ignorable = ignorable || ignored;
      serious = serious || !ignored;
      codes += (codes.empty() ? "" : ", ") + param(*event, "code");
    }
    if (asked == nullptr || !ignorable || serious) continue;
    Event event = derive("derived.recovery_conflict", gpu.second, "recovery-conflict");
    event.params = asked->params;
    event.params["codes"] = codes;
    derived.push_back(std::move(event));
  }
  return derived;
}

std::vector<Event> judge_xid13_place(const Observations& observations, const catalog::Catalog& /*catalog*/) {
  std::vector<Event> derived;
  const std::map<GpuKey, EventList> groups = by_gpu(observations, {"xid.13"});
  for (const auto& gpu : groups) {
    std::set<std::string> places;
    std::set<std::string> tpcs;
    EventList placed;
    for (const Event* event : gpu.second) {
      if (param(*event, "sm").empty()) continue;
      const std::string tpc = param(*event, "gpc") + "/" + param(*event, "tpc");
      tpcs.insert(tpc);
      places.insert(tpc + "/" + param(*event, "sm"));
      placed.push_back(event);
    }
    const bool repeated = values(placed, "pid").size() >= 2 || spans(placed, kAnotherRun);
    const bool scattered = places.size() >= 3 || tpcs.size() >= 2;
    // The work-flow suspects hardware where one TPC (of two SMs) fails again and again.
    if (!scattered && (tpcs.size() != 1 || !repeated)) continue;
    Event event =
        derive(scattered ? "derived.xid13_scattered" : "derived.xid13_same_sm", placed, "xid13-place");
    event.params["sms"] = std::to_string(places.size());
    derived.push_back(std::move(event));
  }
  for (const auto& host : by_host(groups)) {
    if (host.second.size() < 2) continue;
    EventList firsts;
    for (const auto& gpu : host.second) firsts.push_back(gpu.second.front());
    Event event = derive_for_host("derived.xid13_many_gpus", firsts, "xid13-place");
    event.params["gpus"] = std::to_string(firsts.size());
    derived.push_back(std::move(event));
  }
  return derived;
}

std::vector<Event> judge_xid31_owner(const Observations& observations, const catalog::Catalog& /*catalog*/) {
  std::vector<Event> derived;
  for (const auto& host : by_host(by_gpu(observations, {"xid.31"}))) {
    std::map<std::string, EventList> gpus_of_process;
    for (const auto& gpu : host.second) {
      for (const std::string& process : values(gpu.second, "process"))
        gpus_of_process[process].push_back(gpu.second.front());
    }
    for (const auto& process : gpus_of_process) {
      if (process.second.size() < 2) continue;
      Event event = derive_for_host("derived.xid31_follows_process", process.second, "xid31-owner");
      event.params["process"] = process.first;
      derived.push_back(std::move(event));
    }
    if (host.second.size() != 1) continue;
    const EventList& only = host.second.begin()->second;
    const bool software =
        values(only, "near_null").count("yes") > 0 || values(only, "fixed_function").count("yes") > 0;
    const std::size_t pids = values(only, "pid").size();
    const bool several_runs = pids >= 3 && (spans(only, kAnotherRun) || values(only, "process").size() >= 2);
    if (several_runs && !software) derived.push_back(derive("derived.xid31_same_gpu", only, "xid31-owner"));
  }
  return derived;
}

std::vector<Event> judge_xid45_alone(const Observations& observations, const catalog::Catalog& /*catalog*/) {
  std::vector<Event> derived;
  for (const auto& gpu : by_gpu(observations, {"xid.45"})) {
    const bool caused = !values(gpu.second, "previous").empty();
    const bool other_fault =
        std::any_of(observations.events.begin(), observations.events.end(), [&](const Event& event) {
          const bool speaks =
              event.level == model::EventLevel::Alarm && event.subject.host == gpu.first.first;
          return speaks && event.signal != "xid.45" && is_driver_fault(event);
        });
    if (caused || other_fault) continue;
    derived.push_back(derive("derived.xid45_alone", gpu.second, "xid45-alone"));
  }
  return derived;
}

}  // namespace gpuwright::rules
