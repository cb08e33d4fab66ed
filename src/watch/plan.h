// Which values are asked of the driver's library: those that the published metrics need, each once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "host/nvml_samples.h"

#include <string>
#include <vector>

namespace gpuwright::watch {

struct WatchPlan {
  host::nvml::SamplePlan values;
  std::vector<catalog::PlannedSeries> series;  ///< families together, in the table's order
  std::vector<catalog::PlannedField> fields;
};

/// Adds all series of data/metrics. Malformed where the table names a call that there is not, which a test
/// would have shown.
base::Result<WatchPlan> plan_series(const catalog::Metrics& metrics);

/// Which of DCGM's fields are wanted.
struct WantedField {
  std::string name;
  std::string help;  ///< empty: the table's
};
/// Those that dcgm-exporter prints by itself; `new_names`: in the spelling of DCGM 4.6.
std::vector<WantedField> default_fields(const catalog::Metrics& metrics, bool new_names);
/// Adds them. Names that nothing answers here come back, in order.
base::Result<std::vector<std::string>> plan_fields(const catalog::Metrics& metrics,
                                                   const std::vector<WantedField>& wanted, WatchPlan& plan);

}  // namespace gpuwright::watch
