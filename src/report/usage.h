// Where the GPU time of a fleet went, as text or JSON; computes nothing but sums and shares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/usage.h"

#include <string>

namespace gpuwright::report {

struct UsageTextOptions {
  catalog::Language language = catalog::Language::English;
  bool color = false;
  int width = 100;
};

/// "2 nodes, 16 GPUs: 1 node silent, 3 GPUs sick; 31 % of 96.0 GPU-hours lost".
std::string usage_line(const model::FleetUsage& usage, catalog::Language language);

/// What is up and sick, the ledger, who did what, prices and definitions.
std::string render_usage_text(const model::FleetUsage& usage, const catalog::Catalog& catalog,
                              const UsageTextOptions& options);

/// Follows docs/schema/fleet-usage.schema.json.
std::string render_usage_json(const model::FleetUsage& usage, const catalog::Catalog& catalog);

/// What Prometheus calls the node, without the port of the exporter.
std::string node_name(const std::string& instance);

/// The class's meaning, with the limits in it.
std::string class_meaning(const catalog::Catalog& catalog, const catalog::UsageClassRow& row,
                          catalog::Language language);

/// A word of the JSON: "node_silent", "gpu_silent", "gone", "critical".
const char* sick_word(model::SickReason reason);

/// How many nodes do not answer, and how many GPUs are sick, at the end.
struct SickCounts {
  std::int64_t nodes = 0, silent_nodes = 0, sick_gpus = 0;
};
SickCounts count_sick(const model::FleetUsage& usage);

}  // namespace gpuwright::report
