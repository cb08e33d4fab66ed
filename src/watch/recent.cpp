// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/recent.h"

#include <algorithm>

namespace gpuwright::watch {

namespace {

constexpr std::size_t kPoints = 60;
constexpr double kUnknown = -1;

std::optional<double> rate(std::optional<double> now, std::optional<double> before, double seconds) {
  if (!now || !before || seconds <= 0 || *now < *before) return std::nullopt;
  return (*now - *before) / seconds;
}

}  // namespace

void Recent::take(const model::NodeState& state) {
  for (const auto& [index, gpu] : state.gpus) {
    model::RecentGpu& recent = gpus_[index];
    recent.busy.push_back(values_.of(gpu, "utilization_ratio").value_or(kUnknown));
    if (recent.busy.size() > kPoints) recent.busy.pop_front();
    rate_pcie(gpu, recent);
  }
  std::erase_if(gpus_, [&](const auto& entry) { return state.gpus.count(entry.first) == 0; });
}

/// The library's own rate where the board has one (since Hopper), else what the counters grew by.
void Recent::rate_pcie(const model::GpuState& gpu, model::RecentGpu& recent) {
  Counted& before = before_[gpu.identity.index];
  Counted now{values_.of(gpu, "pcie_bytes/sent"), values_.of(gpu, "pcie_bytes/received"), gpu.whole_s};
  if (now.at_s > before.at_s || !gpu.up) {
    const double seconds = now.at_s - before.at_s;
    recent.pcie_sent = rate(now.sent, before.sent, seconds);
    recent.pcie_received = rate(now.received, before.received, seconds);
    before = now;
  }
  if (const auto told = values_.of(gpu, "pcie_bytes_per_second/sent")) recent.pcie_sent = told;
  if (const auto told = values_.of(gpu, "pcie_bytes_per_second/received")) recent.pcie_received = told;
}

}  // namespace gpuwright::watch
