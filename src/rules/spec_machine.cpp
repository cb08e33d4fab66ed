// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_machine.h"

#include "catalog/spec_types.h"
#include "model/fact_tree.h"
#include "rules/spec_diff.h"
#include "rules/spec_probes.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::rules {

namespace {

using catalog::SpecKey;
using Outcome = SpecVerdict::Outcome;

/// Puts the sight with those that gave the same answer.
void group(const SpecVerdict& blank, const SpecSight& sight, const SpecKey& key,
           std::vector<SpecVerdict>& verdicts) {
  SpecVerdict verdict = blank;
  verdict.place = sight.place;
  if (sight.kind == SpecSight::Kind::Unknown) {
    verdict.outcome = Outcome::Unknown;
    verdict.reason = sight.reason;
  } else if (sight.kind == SpecSight::Kind::None) {
    verdict.outcome = Outcome::Differs;
    verdict.found = "none";
  } else {
    const bool right = meets(key, blank.entry.value, sight.value);
    verdict.outcome = right ? Outcome::Meets : Outcome::Differs;
    verdict.found = right ? std::string() : catalog::spec_value_text(key, sight.value);
  }
  const auto same = std::find_if(verdicts.begin(), verdicts.end(), [&](const SpecVerdict& other) {
    return other.path == verdict.path && other.outcome == verdict.outcome && other.found == verdict.found &&
           other.reason == verdict.reason;
  });
  if (same != verdicts.end()) {
    same->subjects.push_back(sight.subject);
  } else {
    verdict.subjects.push_back(sight.subject);
    verdicts.push_back(std::move(verdict));
  }
}

std::vector<SpecVerdict> judge(const model::SpecEntry& entry, const std::string& path, const SpecLook& look) {
  SpecVerdict blank;
  blank.entry = entry;
  blank.path = path;
  blank.wanted = catalog::spec_value_text(look.key, entry.value);
  if (look.key.read == catalog::SpecRead::Setting) return {blank};
  std::vector<SpecVerdict> verdicts;
  for (const SpecSight& sight : look_for(look)) group(blank, sight, look.key, verdicts);
  if (!verdicts.empty()) return verdicts;
  blank.outcome = Outcome::NotApplicable;
  return {blank};
}

}  // namespace

std::vector<SpecVerdict> compare_with_machine(const model::Spec& spec, const model::Machine& machine,
                                              const catalog::Catalog& catalog) {
  const catalog::SpecKeys keys = catalog.spec_keys();
  const model::FactNode facts = model::fact_tree(machine);
  const std::vector<std::string> paths = named_paths(spec, catalog);
  std::vector<SpecVerdict> verdicts;
  for (std::size_t i = 0; i < spec.entries.size(); ++i) {
    const model::SpecEntry& entry = spec.entries[i];
    const SpecKey* key = keys.find(entry.key);
    if (key == nullptr || std::holds_alternative<model::SpecItems>(entry.value)) continue;
    const SpecLook look = {*key, spec, entry.path, machine, facts};
    for (SpecVerdict& verdict : judge(entry, paths[i], look)) verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::vector<model::Finding> spec_findings(const std::vector<SpecVerdict>& verdicts, const model::Spec& spec,
                                          const catalog::Catalog& catalog) {
  const catalog::Cause* cause = catalog.cause("differs-from-spec");
  std::vector<model::Finding> findings;
  for (const SpecVerdict& verdict : verdicts) {
    if (verdict.outcome != Outcome::Differs || cause == nullptr) continue;
    model::Finding finding;
    finding.cause = cause->id;
    finding.severity = cause->severity;
    finding.sure = 100;
    finding.signals = {"spec.differs"};
    finding.subject = verdict.subjects.front();
    finding.also.assign(verdict.subjects.begin() + 1, verdict.subjects.end());
    finding.params = {{"key", verdict.path}, {"wanted", verdict.wanted}, {"found", verdict.found}};
    model::Evidence asked;
    asked.input = spec.name;
    asked.line = verdict.entry.line;
    asked.text = verdict.path + ": " + verdict.wanted;
    finding.evidence.push_back(std::move(asked));
    if (!verdict.place.input.empty()) finding.evidence.push_back(verdict.place);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace gpuwright::rules
