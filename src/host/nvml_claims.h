// Who asks NVML claims what it asks first, so that no second process is sent where one already sleeps: for
// the single look (nvml_probe) and for sampling (sample_worker) alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/claims.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace gpuwright::host::nvml {

/// Takes one of a few places for those who open NVML. Who did so before and still waits in it, else nothing;
/// where all places are taken by others at work there is no claim: the GPUs have claims of their own.
std::optional<model::LeftBehind> claim_opening(const Claims& claims, Claim& opening);

struct GpuClaim {
  std::optional<Claim> claim;              ///< nobody else asks this GPU then
  std::optional<model::LeftBehind> other;  ///< who does, where that is known
  bool stuck = false;                      ///< and will not come back
};
/// Claims a GPU for `holder`; waits for others who look, but no longer than `patience`.
GpuClaim claim_gpu(const Claims& claims, std::uint32_t index, const model::LeftBehind& holder,
                   std::chrono::milliseconds patience);

}  // namespace gpuwright::host::nvml
