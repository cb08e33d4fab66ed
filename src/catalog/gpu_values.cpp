// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/gpu_values.h"

#include "base/text.h"

namespace gpuwright::catalog {

std::string short_key(std::string_view family, std::string_view labels) {
  constexpr std::string_view kOurs = "gpuwright_", kOfGpu = "gpuwright_gpu_";
  if (family.starts_with(kOurs))
    family.remove_prefix(family.starts_with(kOfGpu) ? kOfGpu.size() : kOurs.size());
  std::string key(family);
  for (const std::string_view part : base::split(labels, ',')) {
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
