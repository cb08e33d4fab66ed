// What `gpuwright spec` prints, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::report {

/// The faults of one file, one a line, and how many more there are.
std::string spec_problems_text(const std::string& file, const std::vector<model::SpecProblem>& problems,
                               std::int64_t more, catalog::Language language);
std::string spec_problems_json(const std::string& file, const std::vector<model::SpecProblem>& problems,
                               std::int64_t more, catalog::Language language);

/// One difference a line: "~ path: left -> right", "- path: left", "+ path: right".
std::string spec_differences_text(const std::vector<model::SpecDifference>& differences,
                                  catalog::Language language);
std::string spec_differences_json(const std::vector<model::SpecDifference>& differences);

}  // namespace gpuwright::report
