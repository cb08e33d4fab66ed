// Specs in tests: read, with their faults as lines; and as the JSON that an editor makes of the YAML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kit/node.h"
#include "model/spec.h"
#include "parse/spec.h"

#include <string>
#include <vector>

namespace gpuwright::tests {

parse::SpecReading read_spec(const std::string& text);

/// "line:column: what is wrong", one a fault.
std::vector<std::string> spec_faults(const std::string& text, bool chinese = false);

/// Values by path, for comparing what two specs ask for.
std::vector<std::pair<std::string, model::SpecValue>> spec_values(const model::Spec& spec);

/// The document as JSON, plain scalars typed as YAML 1.2's core schema does.
std::string yaml_as_json(const std::string& yaml);

/// The names of the examples in docs/examples.
std::vector<std::string> example_names();

}  // namespace gpuwright::tests
