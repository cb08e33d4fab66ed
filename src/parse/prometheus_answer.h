// What a Prometheus says to a question of its HTTP API: vectors, matrices, lists of series.
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"
#include "model/usage.h"

#include <string>
#include <vector>

namespace gpuwright::parse {

struct PrometheusAnswer {
  std::vector<model::LabelledSeries> series;
  std::vector<std::string> warnings;  ///< the answer may be only a part
};

/// Values that are no numbers (NaN, Inf) are left out. Errors: Malformed (no answer of this API), Unsupported
/// (in Prometheus' own words: the expression, too many samples, its own deadline).
base::Result<PrometheusAnswer> read_prometheus_answer(const kit::Node& root);

}  // namespace gpuwright::parse
