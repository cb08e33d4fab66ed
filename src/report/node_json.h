// The state of a node as JSON, for the page and for programs: docs/openapi.yaml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "catalog/catalog.h"
#include "model/node_state.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// A GPU's value under a short key: the family without "gpuwright_gpu_", then the values of its labels behind
/// slashes: "power_watts", "clock_hertz/sm". Values that are not known are left out; of a GPU that does not
/// answer there are none.
std::string render_node_json(const model::NodeState& state, const std::vector<catalog::PlannedSeries>& series,
                             const catalog::Catalog& catalog);

/// One incident as an object, with what to do in both languages.
void write_incident(base::JsonWriter& json, const model::NodeState& state,
                    const model::LiveIncident& incident, const catalog::Catalog& catalog);

/// The table of metrics: key, unit, group, and help in both languages.
std::string render_metrics_json(const catalog::Metrics& metrics,
                                const std::vector<catalog::PlannedSeries>& series);

}  // namespace gpuwright::report
