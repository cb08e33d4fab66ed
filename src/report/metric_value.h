// How an answer of the driver's library becomes the value of a metric.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/metric.h"
#include "model/sample.h"

#include <cmath>
#include <cstdint>
#include <variant>

namespace gpuwright::report {

/// Exact where the answer is a count that is not scaled, or one bit. Only for values that are known.
inline std::variant<std::uint64_t, double> metric_value(const model::SampleValue& value,
                                                        const catalog::MetricScale& scale) {
  if (scale.bit >= 0) return (value.count >> static_cast<unsigned>(scale.bit)) & 1;
  if (scale.factor == 1 && value.kind == model::SampleValue::Kind::Count) return value.count;
  const double scaled = value.number() * scale.factor;
  return scale.whole ? std::floor(scaled) : scaled;
}

}  // namespace gpuwright::report
