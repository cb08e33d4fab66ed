// Performance metrics (GPM) of Hopper and later: rates between two samples, of a whole GPU or of one of its
// MIG instances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_samples.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpuwright::host::nvml {

/// The last sample, and room for the next. The library must outlive it.
class GpmPair {
 public:
  /// Nothing where the library or this GPU has no GPM.
  static std::optional<GpmPair> open(const Api& api, Device device);
  ~GpmPair();
  GpmPair(GpmPair&& other) noexcept;
  GpmPair& operator=(GpmPair&& other) noexcept;

  /// Takes a sample and, from the second on, fills `values` at these places of the plan. `instance`: of this
  /// GPU instance instead of the whole GPU (R535 and later).
  void ask(std::optional<std::uint32_t> instance, const SamplePlan& plan,
           const std::vector<std::size_t>& places, std::vector<model::SampleValue>& values);

 private:
  GpmPair(const Api& api, Device device) : api_(&api), device_(device) {}

  const Api* api_;
  Device device_;
  GpmSample last_ = nullptr, next_ = nullptr;
  bool sampled_ = false;  ///< `last_` holds a sample
};

}  // namespace gpuwright::host::nvml
