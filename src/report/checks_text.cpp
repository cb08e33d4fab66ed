// SPDX-License-Identifier: Apache-2.0
#include "report/checks_text.h"

#include "base/text.h"
#include "model/fact_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::Outcome;

// In the order in which people want to read them.
constexpr std::array kOutcomes = {Outcome::Fails, Outcome::Unknown, Outcome::Passes, Outcome::NotApplicable};

std::string reasons_of(const model::Verdict& verdict) {
  std::vector<std::string> reasons;
  if (verdict.outcome == Outcome::Fails) {
    for (const model::Event& event : verdict.events) reasons.push_back(event.signal);
  } else if (verdict.outcome == Outcome::Unknown) {
    for (const model::MissingFact& missing : verdict.missing) reasons.push_back(missing_text(missing));
  }
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  return reasons.empty() ? std::string() : ": " + base::join(reasons, "; ");
}

}  // namespace

std::string outcome_text(Outcome outcome, Language language) {
  const bool zh = language == Language::Chinese;
  switch (outcome) {
    case Outcome::Passes:
      return zh ? "通过" : "passed";
    case Outcome::Fails:
      return zh ? "未通过" : "failed";
    case Outcome::NotApplicable:
      return zh ? "不适用" : "not applicable";
    case Outcome::Unknown:
      break;
  }
  return zh ? "未能查看" : "could not look";
}

std::string missing_text(const model::MissingFact& missing) {
  const std::string why = missing.place.text.empty() ? "" : " (" + missing.place.text + ")";
  return base::printable(fmt::format("{}: {}{}", missing.place.input, model::word_of(missing.reason), why),
                         300);
}

std::string checks_text(const std::vector<model::Verdict>& checks, Language language, bool all) {
  if (checks.empty()) return {};
  std::string counts, list;
  for (const Outcome outcome : kOutcomes) {
    std::size_t count = 0;
    for (const model::Verdict& verdict : checks) {
      if (verdict.outcome != outcome) continue;
      ++count;
      if (all)
        list +=
            fmt::format("  {} {}{}\n", outcome_text(outcome, language), verdict.check, reasons_of(verdict));
    }
    if (count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, outcome_text(outcome, language));
  }
  const bool zh = language == Language::Chinese;
  return (zh ? fmt::format("检查 {} 项：{}", checks.size(), counts)
             : fmt::format("{} checks: {}", checks.size(), counts)) +
         (all  ? ""
          : zh ? "（--checks 列出全部）"
               : " (--checks lists them)") +
         "\n" + list;
}

}  // namespace gpuwright::report
