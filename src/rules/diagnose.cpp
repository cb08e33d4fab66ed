// SPDX-License-Identifier: Apache-2.0
#include "rules/diagnose.h"

#include "base/ids.h"
#include "base/text.h"
#include "rules/candidates.h"
#include "rules/check.h"
#include "rules/conditions.h"
#include "rules/cover.h"
#include "rules/identity.h"
#include "rules/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gpuwright::rules {

namespace {

using model::Event;
using model::EventTime;
using model::Evidence;
using model::Finding;
using model::Severity;
using model::Subject;
using model::SubjectKind;

constexpr std::size_t kMaxEvidence = 8;
constexpr std::int64_t kCostOfACause = 100;  // one cause more weighs as much as
constexpr std::int64_t kCostOfDoubt = 2;     // fifty points of confidence less

SubjectKind kind_of_scope(const std::string& scope) {
  static const std::map<std::string, SubjectKind> kKinds = {{"gpu", SubjectKind::Gpu},
                                                            {"link", SubjectKind::Link},
                                                            {"switch", SubjectKind::Switch},
                                                            {"nic", SubjectKind::Nic},
                                                            {"pci", SubjectKind::Pci},
                                                            {"process", SubjectKind::Process},
                                                            {"container", SubjectKind::Container},
                                                            {"pod", SubjectKind::Pod},
                                                            {"node", SubjectKind::Node},
                                                            {"disk", SubjectKind::Disk},
                                                            {"job", SubjectKind::Job}};
  const auto at = kKinds.find(scope);
  return at == kKinds.end() ? SubjectKind::Host : at->second;
}

bool earlier(const EventTime& a, const EventTime& b) {
  return model::time_between(a, b).value_or(0) > 0;
}

void widen(Finding& finding, const Event& event, bool is_first) {
  if (is_first || earlier(event.first, finding.first)) finding.first = event.first;
  if (is_first || earlier(finding.last, event.last)) finding.last = event.last;
}

void add_evidence(std::vector<Evidence>& to, const std::vector<Evidence>& from) {
  for (const Evidence& line : from) {
    if (to.size() < kMaxEvidence && std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
  }
}

/// The same occurrence seen in two inputs (dmesg and journal) counts once.
std::int64_t occurrences(const std::vector<Event>& events, const std::vector<std::size_t>& raising) {
  std::map<std::tuple<std::string, Subject, std::optional<std::int64_t>>, std::int64_t> counts;
  std::map<std::string, std::int64_t> by_signal;
  for (const std::size_t i : raising) {
    const Event& event = events[i];
    std::int64_t& count =
        counts[{event.signal + "/" + event.signature, event.subject, event.first.since_boot_ns}];
    const std::int64_t more = event.first.since_boot_ns ? std::max(count, event.count) - count : event.count;
    count += more;
    by_signal[event.signal] += more;
  }
  std::int64_t most = 0;
  for (const auto& entry : by_signal) most = std::max(most, entry.second);
  return most;
}

/// Whom the incident is about: the deciding events' device, else the followers'.
Subject subject_of(const Candidate& candidate, const std::vector<Event>& events) {
  Subject subject;
  subject.kind = kind_of_scope(candidate.cause->scope);
  subject.host = events[candidate.raising.front()].subject.host;
  if (subject.kind == SubjectKind::Host || subject.kind == SubjectKind::Job) return subject;
  if (subject.kind == SubjectKind::Process) {
    subject.id = candidate.instance.substr(candidate.instance.find('|') + 1);
    return subject;
  }
  for (const auto* list : {&candidate.raising, &candidate.covers}) {
    for (const std::size_t i : *list) {
      const Subject& from = events[i].subject;
      if (!subject.id.empty() || device_of(from).empty()) continue;
      subject.id = from.id;
      subject.kind =
          from.kind == SubjectKind::Link && subject.kind != SubjectKind::Link ? subject.kind : from.kind;
      if (subject.kind == SubjectKind::Link) subject.link = from.link;
    }
  }
  if (subject.id.empty()) subject.kind = SubjectKind::Host;
  return subject;
}

std::vector<Subject> further_subjects(const Candidate& candidate, const std::vector<Event>& events,
                                      const Subject& main) {
  std::set<Subject> also;
  for (const std::size_t i : candidate.raising) {
    Subject subject = events[i].subject;
    if (subject.kind == SubjectKind::Link && main.kind != SubjectKind::Link) {
      subject.kind = SubjectKind::Gpu;
      subject.link.reset();
    }
    if (!device_of(subject).empty() && subject.id != main.id) also.insert(subject);
  }
  return {also.begin(), also.end()};
}

/// The raising event that says most: the surest signal's, then the first.
const Event& deciding_event(const Candidate& candidate, const std::vector<Event>& events) {
  const Event* best = &events[candidate.raising.front()];
  std::int64_t best_sure = -1;
  for (const std::size_t i : candidate.raising) {
    for (const catalog::Raise& raise : candidate.cause->raised_by) {
      const bool fits =
          base::matches_signal_glob(raise.signal, events[i].signal) && fulfils(events[i], raise);
      if (!fits || raise.sure <= best_sure) continue;
      best_sure = raise.sure;
      best = &events[i];
    }
  }
  return *best;
}

/// What commands take for the device, where the deciding lines did not say it in that form.
void name_device(Finding& finding) {
  const std::string& id = finding.subject.id;
  const auto address = base::PciAddress::parse(id);
  if (address) finding.params.emplace("pci", address->text());
  if (finding.subject.kind != SubjectKind::Gpu || id.empty()) return;
  finding.params.emplace("bus_id", address ? address->text() : id[0] == '#' ? id.substr(1) : id);
}

Finding make_finding(const Candidate& candidate, const std::vector<Event>& events) {
  Finding finding;
  finding.cause = candidate.cause->id;
  finding.severity = candidate.cause->severity;
  finding.sure = candidate.sure;
  finding.subject = subject_of(candidate, events);
  finding.also = further_subjects(candidate, events, finding.subject);
  finding.count = occurrences(events, candidate.raising);
  const Event& deciding = deciding_event(candidate, events);
  finding.params = deciding.params;
  name_device(finding);
  add_evidence(finding.evidence, deciding.evidence);
  std::set<std::string> signals;
  bool is_first = true;
  for (const std::size_t i : candidate.raising) {
    signals.insert(events[i].signal);
    add_evidence(finding.evidence, events[i].evidence);
    widen(finding, events[i], is_first);
    is_first = false;
  }
  finding.signals.assign(signals.begin(), signals.end());
  for (const Event& event : events) {
    const bool contradicts = std::any_of(
        candidate.cause->contradicted_by.begin(), candidate.cause->contradicted_by.end(),
        [&](const std::string& signal) { return base::matches_signal_glob(signal, event.signal); });
    if (contradicts && same_host(event.subject, finding.subject))
      add_evidence(finding.contradicted, event.evidence);
  }
  return finding;
}

/// Candidates of other causes that are raised by the same events and cost the same: the evidence cannot tell
/// them apart.
std::vector<std::string> rivals_of(const Candidate& chosen, const std::vector<Candidate>& candidates) {
  std::set<std::string> rivals;
  for (const Candidate& other : candidates) {
    const bool equal =
        other.raising == chosen.raising && other.sure == chosen.sure && other.covers == chosen.covers;
    if (equal && other.cause != chosen.cause) rivals.insert(other.cause->id);
  }
  return {rivals.begin(), rivals.end()};
}

/// Puts each follower under the chosen cause on its own device that explains it, else under the first that
/// does, unless it raises a chosen cause itself. What judges derived is no line of anybody and stays out.
void attach_followers(const std::vector<const Candidate*>& chosen, const std::vector<Event>& events,
                      std::vector<Finding>& findings) {
  std::set<std::size_t> placed;
  for (const Candidate* candidate : chosen)
    placed.insert(candidate->raising.begin(), candidate->raising.end());
  const auto attach = [&](const Candidate& candidate, Finding& finding, bool only_own_device) {
    for (const std::size_t i : candidate.covers) {
      const Event& event = events[i];
      if (only_own_device && device_of(event.subject) != device_of(finding.subject)) continue;
      if (base::matches_signal_glob("derived.*", event.signal) || !placed.insert(i).second) continue;
      finding.explains.push_back(
          model::Explained{event.signal, event.subject, event.count, event.first, event.evidence});
    }
  };
  for (const bool only_own_device : {true, false}) {
    for (std::size_t k = 0; k < chosen.size(); ++k) attach(*chosen[k], findings[k], only_own_device);
  }
}

bool more_important(const Finding& a, const Finding& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  if (a.sure != b.sure) return a.sure > b.sure;
  if (a.explains.size() != b.explains.size()) return a.explains.size() > b.explains.size();
  if (earlier(a.first, b.first) != earlier(b.first, a.first)) return earlier(a.first, b.first);
  return std::tie(a.cause, a.subject) < std::tie(b.cause, b.subject);
}

}  // namespace

model::Diagnosis diagnose(model::Observations observations, const catalog::Catalog& catalog,
                          const Background& background) {
  unify_identities(observations);
  std::vector<Event> events = observations.events;
  std::vector<model::Verdict> verdicts;
  if (background.machine != nullptr)
    verdicts = run_checks(Situation{*background.machine, observations, catalog, background.today_s,
                                    background.workload, background.quick});
  for (const model::Verdict& verdict : verdicts) {
    events.insert(events.end(), verdict.events.begin(), verdict.events.end());
  }
  for (const Judge& judge : all_judges()) {
    for (Event& event : judge.judge(observations, catalog)) events.push_back(std::move(event));
  }
  // Judges may name a GPU by index, or tie an index to an address that the log lines lack.
  observations.events = std::move(events);
  unify_identities(observations);
  events = std::move(observations.events);
  const std::vector<Candidate> candidates = find_candidates(events, catalog);
  std::vector<CoverSet> sets;
  sets.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    sets.push_back(CoverSet{candidate.covers, kCostOfACause + kCostOfDoubt * (100 - candidate.sure)});
  }
  std::vector<const Candidate*> chosen;
  std::vector<Finding> findings;
  for (const std::size_t index : cheapest_cover(sets)) {
    chosen.push_back(&candidates[index]);
    findings.push_back(make_finding(candidates[index], events));
    findings.back().rivals = rivals_of(candidates[index], candidates);
  }
  attach_followers(chosen, events, findings);
  std::sort(findings.begin(), findings.end(), more_important);
  model::Diagnosis diagnosis;
  diagnosis.inputs = std::move(observations.inputs);
  diagnosis.checks = std::move(verdicts);
  for (Finding& finding : findings) {
    (finding.severity == Severity::Harmless ? diagnosis.harmless : diagnosis.findings)
        .push_back(std::move(finding));
  }
  return diagnosis;
}

}  // namespace gpuwright::rules
