// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/sample_gpm.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpuwright::host::nvml {

using model::SampleValue;

std::optional<GpmPair> GpmPair::open(const Api& api, Device device) {
  if (api.gpm_support == nullptr || api.gpm_alloc == nullptr || api.gpm_sample == nullptr ||
      api.gpm_metrics == nullptr)
    return std::nullopt;
  GpmSupport support{1, 0};
  if (api.gpm_support(device, &support) != Return::Success || support.supported == 0) return std::nullopt;
  GpmPair pair(api, device);
  if (api.gpm_alloc(&pair.last_) != Return::Success || api.gpm_alloc(&pair.next_) != Return::Success)
    return std::nullopt;
  return pair;
}

GpmPair::~GpmPair() {
  for (const GpmSample sample : {last_, next_}) {
    if (sample != nullptr && api_->gpm_free != nullptr) (void)api_->gpm_free(sample);
  }
}

GpmPair::GpmPair(GpmPair&& other) noexcept
    : api_(other.api_),
      device_(other.device_),
      last_(std::exchange(other.last_, nullptr)),
      next_(std::exchange(other.next_, nullptr)),
      sampled_(other.sampled_) {}

GpmPair& GpmPair::operator=(GpmPair&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(device_, other.device_);
  std::swap(last_, other.last_);
  std::swap(next_, other.next_);
  std::swap(sampled_, other.sampled_);
  return *this;
}

void GpmPair::ask(std::optional<std::uint32_t> instance, const SamplePlan& plan,
                  const std::vector<std::size_t>& places, std::vector<SampleValue>& values) {
  if (instance && api_->gpm_part_sample == nullptr) return;
  const Return taken =
      instance ? api_->gpm_part_sample(device_, *instance, next_) : api_->gpm_sample(device_, next_);
  if (taken != Return::Success) return;
  if (sampled_) {
    GpmMetrics metrics{};
    metrics.version = 1;
    metrics.count = static_cast<std::uint32_t>(places.size());
    metrics.first = last_;
    metrics.second = next_;
    for (std::size_t i = 0; i < places.size(); ++i) metrics.metrics[i].id = plan[places[i]].number;
    const Return result = api_->gpm_metrics(&metrics);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const GpmMetric& metric = metrics.metrics[i];
      const Return answer = result == Return::Success ? metric.result : result;
      const bool good = answer == Return::Success && std::isfinite(metric.value);
      values[places[i]] = good ? SampleValue::of_real(metric.value)
                               : SampleValue::absent(answer == Return::Success ? model::AbsentReason::NotFound
                                                                               : absent_reason(answer));
    }
  }
  std::swap(last_, next_);
  sampled_ = true;
}

}  // namespace gpuwright::host::nvml
