// Checks a JSON document against a schema: type, enum, required, properties, additionalProperties, items,
// minimum, maximum, pattern, $ref. In addition a property that the schema does not name is a breach, so that
// the schema cannot fall behind the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace gpuwright::tests {

/// Breaches, each with the place in the document; empty: valid. Text that is no JSON is a breach.
std::vector<std::string> schema_breaches(const std::string& document, const std::string& schema);

}  // namespace gpuwright::tests
