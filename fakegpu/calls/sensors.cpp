// What a GPU feels and does: temperature, fans, power, clocks, how busy it is.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::View;

namespace {

std::int64_t milli(double value) {
  return std::llround(value * 1000);
}

Return put_quantity(const char* call, Device device, const char* name, std::uint32_t* out) {
  return ask(call, device, [&](View& view) { return put(out, std::llround(view.quantity(name))); });
}

Return put_milliwatts(const char* call, Device device, const char* name, std::uint32_t* out) {
  return ask(call, device, [&](View& view) { return put(out, milli(view.quantity(name))); });
}

/// The clock's number at full speed; 0 for a clock that there is not.
std::uint32_t most_megahertz(const View& view, std::uint32_t clock) {
  switch (clock) {
    case kClockGraphics:
    case kClockSm:
      return view.gpu.board->graphics_mhz;
    case kClockMemory:
      return view.gpu.board->memory_mhz;
    case kClockVideo:
      return view.gpu.board->video_mhz;
    default:
      return 0;
  }
}

Return put_most(const char* call, Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return ask(call, device, [&](View& view) {
    const auto most = most_megahertz(view, clock);
    return most == 0 ? Return::InvalidArgument : put(megahertz, most);
  });
}

/// Applications' clocks: of data-centre boards only, without the video clock.
Return put_application(const char* call, Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return ask(call, device, [&](View& view) {
    if (clock > kClockVideo) return Return::InvalidArgument;
    if (clock == kClockVideo || view.gpu.board->part.empty()) return Return::NotSupported;
    return put(megahertz, most_megahertz(view, clock));
  });
}

Return put_fan(const char* call, Device device, std::uint32_t fan, std::uint32_t* per_cent) {
  return ask(call, device, [&](View& view) {
    if (view.gpu.board->fans == 0) return Return::NotSupported;
    if (fan >= view.gpu.board->fans) return Return::InvalidArgument;
    return put(per_cent, std::llround(view.quantity("fan")));
  });
}

Return put_engine(const char* call, Device device, const char* name, std::uint32_t* per_cent,
                  std::uint32_t* period_us) {
  return ask(call, device, [&](View& view) {
    if (!view.gpu.slices.empty()) return Return::NotSupported;
    if (per_cent == nullptr || period_us == nullptr) return Return::InvalidArgument;
    *per_cent = static_cast<std::uint32_t>(std::llround(view.quantity(name)));
    *period_us = 167000;
    return Return::Success;
  });
}

}  // namespace

extern "C" {

Return nvmlDeviceGetTemperature(Device device, std::uint32_t sensor, std::uint32_t* celsius) {
  return ask(__func__, device, [&](View& view) {
    if (sensor != kTemperatureGpu) return Return::InvalidArgument;
    return put(celsius, std::llround(view.quantity("temperature")));
  });
}

Return nvmlDeviceGetTemperatureThreshold(Device device, std::uint32_t which, std::uint32_t* celsius) {
  return ask(__func__, device, [&](View& view) {
    const auto& board = *view.gpu.board;
    switch (which) {
      case kThresholdShutdown:
        return put(celsius, board.shutdown_c);
      case kThresholdSlowdown:
        return put(celsius, board.slowdown_c);
      case kThresholdGpuMax:
        return put(celsius, board.max_c);
      case kThresholdMemoryMax:
        return board.memory_max_c == 0 ? Return::NotSupported : put(celsius, board.memory_max_c);
      default:
        return which < 8 ? Return::NotSupported : Return::InvalidArgument;  // acoustic ones, GPS
    }
  });
}

Return nvmlDeviceGetNumFans(Device device, std::uint32_t* count) {
  return ask(__func__, device, [&](View& view) {
    return view.gpu.board->fans == 0 ? Return::NotSupported : put(count, view.gpu.board->fans);
  });
}

Return nvmlDeviceGetFanSpeed(Device device, std::uint32_t* per_cent) {
  return put_fan(__func__, device, 0, per_cent);
}

Return nvmlDeviceGetFanSpeed_v2(Device device, std::uint32_t fan, std::uint32_t* per_cent) {
  return put_fan(__func__, device, fan, per_cent);
}

Return nvmlDeviceGetPowerUsage(Device device, std::uint32_t* milliwatts) {
  return put_milliwatts(__func__, device, "power", milliwatts);
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, std::uint32_t* milliwatts) {
  return put_milliwatts(__func__, device, "power-limit", milliwatts);
}

Return nvmlDeviceGetPowerManagementLimit(Device device, std::uint32_t* milliwatts) {
  return put_milliwatts(__func__, device, "power-limit", milliwatts);
}

Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, std::uint32_t* milliwatts) {
  return ask(__func__, device, [&](View& view) { return put(milliwatts, milli(view.gpu.board->default_w)); });
}

Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, std::uint32_t* least,
                                                    std::uint32_t* most) {
  return ask(__func__, device, [&](View& view) {
    if (least == nullptr || most == nullptr) return Return::InvalidArgument;
    *least = static_cast<std::uint32_t>(milli(view.gpu.board->min_w));
    *most = static_cast<std::uint32_t>(milli(view.gpu.board->max_w));
    return Return::Success;
  });
}

Return nvmlDeviceSetPowerManagementLimit(Device device, std::uint32_t milliwatts) {
  return ask(__func__, device, [&](View& view) {
    const double watts = milliwatts / 1000.0;
    if (watts < view.gpu.board->min_w || watts > view.gpu.board->max_w) return Return::InvalidArgument;
    if (::geteuid() != 0) return Return::NoPermission;
    fakegpu::settle(view.gpu, view.now);
    view.gpu.limit_w = watts;
    Simulator::instance().tell_others(fmt::format("gpu {} power-limit {}", view.gpu.index, watts));
    return Return::Success;
  });
}

Return nvmlDeviceGetTotalEnergyConsumption(Device device, std::uint64_t* millijoules) {
  return ask(__func__, device, [&](View& view) { return put(millijoules, milli(view.quantity("energy"))); });
}

Return nvmlDeviceGetPerformanceState(Device device, std::uint32_t* state) {
  return put_quantity(__func__, device, "pstate", state);
}

Return nvmlDeviceGetPowerState(Device device, std::uint32_t* state) {
  return put_quantity(__func__, device, "pstate", state);
}

Return nvmlDeviceGetClockInfo(Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  static constexpr const char* kNames[] = {"graphics-clock", "graphics-clock", "memory-clock", "video-clock"};
  return ask(__func__, device, [&](View& view) {
    if (clock > kClockVideo) return Return::InvalidArgument;
    return put(megahertz, std::llround(view.quantity(kNames[clock])));
  });
}

Return nvmlDeviceGetMaxClockInfo(Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return put_most(__func__, device, clock, megahertz);
}

Return nvmlDeviceGetMaxCustomerBoostClock(Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return put_most(__func__, device, clock, megahertz);
}

Return nvmlDeviceGetApplicationsClock(Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return put_application(__func__, device, clock, megahertz);
}

Return nvmlDeviceGetDefaultApplicationsClock(Device device, std::uint32_t clock, std::uint32_t* megahertz) {
  return put_application(__func__, device, clock, megahertz);
}

Return nvmlDeviceGetUtilizationRates(Device device, Utilization* utilization) {
  return ask(__func__, device, [&](View& view) {
    if (!view.gpu.slices.empty()) return Return::NotSupported;  // under MIG nobody counts the whole GPU
    Utilization busy{};
    busy.gpu = static_cast<std::uint32_t>(std::llround(view.quantity("utilization")));
    busy.memory = static_cast<std::uint32_t>(std::llround(view.quantity("memory-utilization")));
    return put(utilization, busy);
  });
}

Return nvmlDeviceGetEncoderUtilization(Device device, std::uint32_t* per_cent, std::uint32_t* period_us) {
  return put_engine(__func__, device, "encoder", per_cent, period_us);
}

Return nvmlDeviceGetDecoderUtilization(Device device, std::uint32_t* per_cent, std::uint32_t* period_us) {
  return put_engine(__func__, device, "decoder", per_cent, period_us);
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
