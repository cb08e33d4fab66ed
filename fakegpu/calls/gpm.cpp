// Performance metrics (GPM) of Hopper and later: two samples, and the rates between them.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace gpuwright::host::nvml {

/// What a sample remembers.
struct GpmSampleHandle {
  bool taken = false;
  double at = 0;
  double load = 0;       ///< 0 to 1
  double pcie_sent = 0;  ///< MiB/s
  double pcie_received = 0;
  bool of_instance = false;  ///< PCIe and NVLink belong to the whole GPU alone
};

using fakegpu::ask;
using fakegpu::Simulator;
using fakegpu::View;
using fakegpu::World;

namespace {

constexpr std::uint32_t kVersion = 1;

struct Samples {
  std::mutex mutex;
  std::map<GpmSample, std::unique_ptr<GpmSampleHandle>> live;
};

Samples& samples() {
  static Samples* all = new Samples;  // never destroyed, as the simulator
  return *all;
}

/// What a metric says while a GPU is this busy with large matrix products. Numbers: nvmlGpmMetricId_t.
bool metric_value(std::uint32_t id, const GpmSampleHandle& first, const GpmSampleHandle& second,
                  double& value) {
  const double load = (first.load + second.load) / 2;
  constexpr std::uint32_t kFirstOfLinks = 20;
  if (first.of_instance && id >= kFirstOfLinks) return false;
  switch (id) {
    case 1:  // graphics engine
    case 2:
      value = load * 100;
      return true;  // SM
    case 3:
      value = load * 45;
      return true;  // SM occupancy
    case 5:         // any tensor
    case 7:
      value = load * 65;
      return true;  // HMMA tensor
    case 10:
      value = load * 60;
      return true;  // DRAM bandwidth
    case 4:         // integer
    case 12:
      value = load * 8;
      return true;  // FP32
    case 6:         // DFMA tensor
    case 9:         // IMMA tensor
    case 11:        // FP64
    case 13:
      value = 0;
      return true;  // FP16
    case 20:
      value = (first.pcie_sent + second.pcie_sent) / 2;
      return true;
    case 21:
      value = (first.pcie_received + second.pcie_received) / 2;
      return true;
    case 60:  // NVLink received, MiB/s
    case 61:
      value = load * 200000;
      return true;  // NVLink sent
    default:
      return false;
  }
}

double load_of(const View& view) {
  return view.quantity("utilization") / 100;
}

}  // namespace

extern "C" {

Return nvmlGpmQueryDeviceSupport(Device device, GpmSupport* support) {
  return ask(__func__, device, [&](View& view) {
    if (support == nullptr) return Return::InvalidArgument;
    if (support->version != kVersion) return Return::ArgumentVersionMismatch;
    support->supported = view.gpu.board->gpm ? 1 : 0;
    return Return::Success;
  });
}

Return nvmlGpmSampleAlloc(GpmSample* sample) {
  return Simulator::instance().ask_system(__func__, [&](World&, double) {
    if (sample == nullptr) return Return::InvalidArgument;
    auto made = std::make_unique<GpmSampleHandle>();
    const std::lock_guard<std::mutex> lock(samples().mutex);
    *sample = made.get();
    samples().live[made.get()] = std::move(made);
    return Return::Success;
  });
}

Return nvmlGpmSampleFree(GpmSample sample) {
  const std::lock_guard<std::mutex> lock(samples().mutex);
  return samples().live.erase(sample) == 0 ? Return::InvalidArgument : Return::Success;
}

Return nvmlGpmSampleGet(Device device, GpmSample sample) {
  return ask(__func__, device, [&](View& view) {
    if (!view.gpu.board->gpm) return Return::NotSupported;
    const std::lock_guard<std::mutex> lock(samples().mutex);
    const auto found = samples().live.find(sample);
    if (found == samples().live.end()) return Return::InvalidArgument;
    *found->second = {true,
                      view.now,
                      load_of(view),
                      view.quantity("pcie-sent") / 1024,
                      view.quantity("pcie-received") / 1024,
                      false};
    return Return::Success;
  });
}

Return nvmlGpmMigSampleGet(Device device, std::uint32_t gpu_instance, GpmSample sample) {
  return ask(__func__, device, [&](View& view) {
    if (!view.gpu.board->gpm) return Return::NotSupported;
    const auto is = [&](const auto& slice) { return slice.instance == gpu_instance; };
    if (std::none_of(view.gpu.slices.begin(), view.gpu.slices.end(), is)) return Return::InvalidArgument;
    const std::lock_guard<std::mutex> lock(samples().mutex);
    const auto found = samples().live.find(sample);
    if (found == samples().live.end()) return Return::InvalidArgument;
    *found->second = {true, view.now, load_of(view), 0, 0, true};
    return Return::Success;
  });
}

Return nvmlGpmMetricsGet(GpmMetrics* metrics) {
  return Simulator::instance().ask_system(__func__, [&](World&, double) {
    if (metrics == nullptr || metrics->count > kMaxGpmMetrics) return Return::InvalidArgument;
    if (metrics->version != kVersion) return Return::ArgumentVersionMismatch;
    const std::lock_guard<std::mutex> lock(samples().mutex);
    const auto first = samples().live.find(metrics->first);
    const auto second = samples().live.find(metrics->second);
    const auto none = samples().live.end();
    if (first == none || second == none || !first->second->taken || !second->second->taken) {
      return Return::InvalidArgument;
    }
    for (std::uint32_t at = 0; at < metrics->count; ++at) {
      GpmMetric& one = metrics->metrics[at];
      one.value = 0;
      const bool known = metric_value(one.id, *first->second, *second->second, one.value);
      one.result = known ? Return::Success : Return::NotSupported;
    }
    return Return::Success;
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
