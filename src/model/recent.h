// What a GPU did in the last minute, for those who look on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace gpuwright::model {

struct RecentGpu {
  std::deque<double> busy;  ///< utilization, 0 to 1, the newest last; negative: not known
  /// Bytes a second.
  std::optional<double> pcie_sent, pcie_received;
};

using RecentGpus = std::map<std::uint32_t, RecentGpu>;  ///< by NVML index

}  // namespace gpuwright::model
