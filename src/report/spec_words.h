// The sentences of a spec: its faults, and what a key takes, in both languages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/spec_key.h"
#include "model/spec.h"

#include <string>

namespace gpuwright::report {

/// "unknown key 'persistance' in gpu; did you mean 'persistence'?": one line, without its place.
std::string spec_problem_text(const model::SpecProblem& problem, catalog::Language language);

/// "gpuwright.yaml:12:7: unknown key ...".
std::string spec_problem_line(const std::string& file, const model::SpecProblem& problem,
                              catalog::Language language);

/// The fault's name for programs: "unknown_key".
std::string spec_fault_name(model::SpecFault fault);

/// What the key takes: "one of training, inference", "a power (W, kW, MW), 10 W .. 5 kW", "list of ...".
std::string spec_type_text(const catalog::SpecKey& key, catalog::Language language);

}  // namespace gpuwright::report
