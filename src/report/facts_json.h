// The machine's facts as JSON: groups are objects, lists are arrays, an absent fact is null and its reason
// stands in `absent`. Schema: docs/schema/facts.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fact_tree.h"

#include <string>

namespace gpuwright::report {

std::string render_facts_json(const model::FactNode& tree);

}  // namespace gpuwright::report
