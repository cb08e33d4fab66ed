// Rates and trends made of the states of a node, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/gpu_values.h"
#include "model/node_state.h"
#include "model/recent.h"

#include <cstdint>
#include <map>

namespace gpuwright::watch {

class Recent {
 public:
  /// `values` must outlive it.
  explicit Recent(const catalog::GpuValues& values) : values_(values) {}

  /// Takes the state; a GPU of which nothing new has come adds a point that is not known.
  void take(const model::NodeState& state);
  const model::RecentGpus& gpus() const { return gpus_; }

 private:
  /// Bytes over PCIe as counted, and when.
  struct Counted {
    std::optional<double> sent, received;
    double at_s = 0;
  };
  void rate_pcie(const model::GpuState& gpu, model::RecentGpu& recent);

  const catalog::GpuValues& values_;
  model::RecentGpus gpus_;
  std::map<std::uint32_t, Counted> before_;
};

}  // namespace gpuwright::watch
