// Values of a GPU by a short key: the family without "gpuwright_gpu_", then the values of its labels behind
// slashes: "power_watts", "clock_hertz/sm". JSON, the page and the terminal use them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/metric.h"
#include "model/node_state.h"
#include "model/sample.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpuwright::catalog {

/// "clock_hertz/sm" of gpuwright_gpu_clock_hertz and clock="sm"; "node_memory_bytes/free" of
/// gpuwright_node_memory_bytes and state="free".
std::string short_key(std::string_view family, std::string_view labels);
inline std::string short_key(const PlannedSeries& series) {
  return short_key(series.family->name, series.labels);
}

/// How an answer of the driver's library becomes the value of a metric: exact where the answer is a count
/// that is not scaled, or one bit. Only for values that are known.
inline std::variant<std::uint64_t, double> metric_value(const model::SampleValue& value,
                                                        const MetricScale& scale) {
  if (scale.bit >= 0) return (value.count >> static_cast<unsigned>(scale.bit)) & 1;
  if (scale.factor == 1 && value.kind == model::SampleValue::Kind::Count) return value.count;
  const double scaled = value.number() * scale.factor;
  return scale.whole ? std::floor(scaled) : scaled;
}

class GpuValues {
 public:
  /// `series` must outlive it.
  explicit GpuValues(const std::vector<PlannedSeries>& series);

  /// The last value. Nothing where it is not known, there is no such key, or the GPU does not answer.
  std::optional<double> of(const model::GpuState& gpu, std::string_view key) const;
  /// All keys with their series, sorted.
  const std::map<std::string, const PlannedSeries*, std::less<>>& keys() const { return series_; }

 private:
  std::map<std::string, const PlannedSeries*, std::less<>> series_;
};

}  // namespace gpuwright::catalog
