// Why clocks are held down, and for how long they have been.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <cmath>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::View;

namespace {

/// The reason that a performance policy counts; 0 for one that this model never breaks. Source: NVML API
/// reference, nvmlPerfPolicyType_t.
std::uint64_t reason_of(std::uint32_t policy) {
  switch (policy) {
    case 0:
      return kReasonSoftwarePowerCap;
    case 1:
      return kReasonHardwareThermal;
    case 2:
      return kReasonSyncBoost;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

Return nvmlDeviceGetCurrentClocksEventReasons(Device device, std::uint64_t* reasons) {
  return ask(__func__, device,
             [&](View& view) { return put(reasons, fakegpu::clock_reasons(view.gpu, view.now)); });
}

Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, std::uint64_t* reasons) {
  return ask(__func__, device,
             [&](View& view) { return put(reasons, fakegpu::clock_reasons(view.gpu, view.now)); });
}

Return nvmlDeviceGetSupportedClocksThrottleReasons(Device device, std::uint64_t* reasons) {
  return ask(__func__, device, [&](View&) { return put(reasons, 0x1FF); });
}

Return nvmlDeviceGetViolationStatus(Device device, std::uint32_t policy, Violation* violation) {
  return ask(__func__, device, [&](View& view) {
    if (policy > 11) return Return::InvalidArgument;
    Violation times{};
    times.reference_ns = static_cast<std::uint64_t>(std::llround(view.now * 1e9));
    const double seconds = fakegpu::violation_seconds(view.gpu, reason_of(policy), view.now);
    times.violation_ns = static_cast<std::uint64_t>(std::llround(seconds * 1e9));
    return put(violation, times);
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
