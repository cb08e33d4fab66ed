// The machine's facts as JSON: groups are objects, lists are arrays, an absent fact is null and its reason
// stands in `absent`. An element of a list begins with its `key`, which tells it from its siblings. Schema:
// docs/schema/facts.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "model/fact_tree.h"

#include <string>

namespace gpuwright::report {

std::string render_facts_json(const model::FactNode& tree);

/// The entries `facts` and `absent` of an object that is open.
void write_facts(base::JsonWriter& json, const model::FactNode& tree);

}  // namespace gpuwright::report
