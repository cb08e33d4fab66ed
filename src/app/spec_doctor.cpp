// SPDX-License-Identifier: Apache-2.0
#include "app/spec_doctor.h"

#include "base/text.h"
#include "model/fact_tree.h"
#include "report/wording.h"
#include "rules/spec_machine.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::app {

namespace {

using rules::SpecVerdict;
using Outcome = SpecVerdict::Outcome;

/// "spec: gpu.ecc (true wanted) on GPU 0000:3b:00: denied (...)".
std::string unknown_text(const SpecVerdict& verdict) {
  std::string text = fmt::format("spec: {} ({} wanted)", verdict.path, verdict.wanted);
  const bool on_host = verdict.subjects.front().kind == model::SubjectKind::Host;
  if (!on_host) text += " on " + report::subject_text(verdict.subjects.front(), catalog::Language::English);
  if (verdict.subjects.size() > 1) text += fmt::format(" and {} more", verdict.subjects.size() - 1);
  text += std::string(": ") + model::word_of(verdict.reason);
  if (!verdict.place.text.empty())
    return text + fmt::format(" ({}: {})", verdict.place.input, verdict.place.text);
  const bool unread = verdict.reason == model::AbsentReason::Unsupported;
  return unread ? text + " (gpuwright does not see this)" : text;
}

}  // namespace

void add_spec(const model::Spec& spec, const model::Machine& machine, const catalog::Catalog& catalog,
              model::Diagnosis& diagnosis) {
  const std::vector<SpecVerdict> verdicts = rules::compare_with_machine(spec, machine, catalog);
  model::SpecSummary summary;
  summary.file = spec.name;
  for (const SpecVerdict& verdict : verdicts) {
    switch (verdict.outcome) {
      case Outcome::Meets:
        ++summary.met;
        break;
      case Outcome::Differs:
        ++summary.differ;
        break;
      case Outcome::Unknown:
        ++summary.unknown;
        diagnosis.could_not_look.push_back(base::printable(unknown_text(verdict)));
        break;
      case Outcome::NotApplicable:
        ++summary.not_applicable;
        break;
      case Outcome::Setting:
        ++summary.settings;
    }
  }
  diagnosis.spec = summary;
  for (model::Finding& finding : rules::spec_findings(verdicts, spec, catalog))
    diagnosis.findings.push_back(std::move(finding));
  // What is broken stands before what is set otherwise.
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [](const model::Finding& a, const model::Finding& b) { return a.severity > b.severity; });
}

}  // namespace gpuwright::app
