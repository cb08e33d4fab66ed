// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_claims.h"

#include <fmt/core.h>

#include <thread>
#include <utility>

namespace gpuwright::host::nvml {

std::optional<model::LeftBehind> claim_opening(const Claims& claims, Claim& opening) {
  constexpr int kPlaces = 8;
  const auto waiting = claims.stuck(kOpeningClaim);
  if (!waiting.empty()) return waiting.front();
  for (int place = 0; place < kPlaces && opening.fd() < 0; ++place) {
    auto claim = claims.take(fmt::format("{}{}", kOpeningClaim, place), claim_of("NVML"));
    if (claim) opening = std::move(*claim);
  }
  return std::nullopt;
}

GpuClaim claim_gpu(const Claims& claims, std::uint32_t index, const model::LeftBehind& holder,
                   std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause{10};
  const std::string name = fmt::format("{}{}", kGpuClaim, index);
  const Clock::time_point until = Clock::now() + patience;
  std::int64_t seen = 0;
  while (true) {
    GpuClaim one;
    auto claim = claims.take(name, holder);
    if (claim) {
      one.claim = std::move(*claim);
      return one;
    }
    one.other = claims.holder(name);
    one.stuck = one.other && is_stuck(*one.other);
    if ((one.stuck && seen == one.other->pid) || Clock::now() >= until) return one;
    seen = one.stuck ? one.other->pid : 0;  // others who merely look take the lock for a moment: look twice
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace gpuwright::host::nvml
