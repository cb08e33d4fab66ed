// What `gpuwright fleet --prometheus` asks a Prometheus for, how it sorts GPU time, and what a GPU costs.
// Source: data/fleet/*.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::catalog {

/// One expression that answers one quantity under the names of one exporter. Quotes within are single;
/// "@window@" stands for the time asked about. Series carry the labels job, instance, uuid.
struct FleetQueryRow {
  std::string quantity;  ///< target, board, alive, activity, clock, held_back, holder, critical, waiting, ...
  std::string naming;    ///< own (ours) or dcgm; for a GPU that has several, the first of the table counts
  std::string expr;
  std::string source;
};

/// One class of GPU time. Every GPU-second is in just one.
struct UsageClassRow {
  std::string id;
  std::string title;
  std::string title_zh;
  std::string counts;   ///< used, lost, partly (by the clock), none (neither: nothing is known)
  std::string meaning;  ///< "@idle_load@" and "@idle_hold@" stand for the limits of thresholds.csv
  std::string meaning_zh;
  std::string source;
};

/// What an hour of one board costs on demand, in US dollars: the middle of the offers that were read.
struct GpuPriceRow {
  std::string gpu;    ///< as the driver names it; '*' stands for any text
  std::string board;  ///< id in data/gpus.csv
  std::string usd_per_hour;
  std::string lowest;
  std::string highest;
  std::int64_t offers = 0;  ///< how many were read
  std::string as_of;
  std::string source;
};

struct FleetTables {
  std::vector<FleetQueryRow> queries;
  std::vector<UsageClassRow> classes;
  std::vector<GpuPriceRow> prices;
};

/// Malformed where a naming, a class or how it counts is none that the code knows, or one stands twice.
base::Status check_fleet(const FleetTables& tables);

/// The ids of the classes, in the order of data/fleet/classes.csv.
const std::vector<std::string>& usage_class_ids();

}  // namespace gpuwright::catalog
