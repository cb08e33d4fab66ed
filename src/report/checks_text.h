// The answers of the checks as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/cause.h"
#include "model/verdict.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// One line with the numbers; with `all` also one line a check, those that need attention first. Empty
/// without checks.
std::string checks_text(const std::vector<model::Verdict>& checks, catalog::Language language, bool all);

/// "passed", "failed", "not applicable", "could not look".
std::string outcome_text(model::Outcome outcome, catalog::Language language);

/// Why a check could not look: "/etc/x: denied (permission denied)".
std::string missing_text(const model::MissingFact& missing);

}  // namespace gpuwright::report
