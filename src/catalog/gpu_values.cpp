// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/gpu_values.h"

#include "base/text.h"

namespace gpuwright::catalog {

std::string short_key(const PlannedSeries& series) {
  constexpr std::string_view kPrefix = "gpuwright_gpu_";
  std::string key = series.family->name;
  if (key.starts_with(kPrefix)) key.erase(0, kPrefix.size());
  for (const std::string_view part : base::split(series.labels, ',')) {
    const std::size_t quote = part.find('"');
    if (quote != std::string_view::npos && part.size() > quote + 1)
      key.append("/").append(part.substr(quote + 1, part.size() - quote - 2));
  }
  return key;
}

GpuValues::GpuValues(const std::vector<PlannedSeries>& series) {
  for (const PlannedSeries& one : series) series_.emplace(short_key(one), &one);
}

std::optional<double> GpuValues::of(const model::GpuState& gpu, std::string_view key) const {
  const auto found = series_.find(key);
  if (found == series_.end() || !gpu.up) return std::nullopt;
  const PlannedSeries& series = *found->second;
  if (series.value >= gpu.values.size() || !gpu.values[series.value].known()) return std::nullopt;
  return std::visit([](auto number) { return static_cast<double>(number); },
                    metric_value(gpu.values[series.value], series.scale));
}

}  // namespace gpuwright::catalog
