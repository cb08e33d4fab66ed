// Source of calls and units: NVML API reference.
// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_samples.h"

#include <algorithm>
#include <array>

namespace gpuwright::host::nvml {

namespace {

/// A call that writes one number, after `arguments` that say which.
template <class Number, class Call, class... Arguments>
Return number(Call call, std::uint64_t& value, Device device, Arguments... arguments) {
  if (call == nullptr) return Return::FunctionNotFound;
  Number answer{};
  const Return result = call(device, arguments..., &answer);
  value = answer;
  return result;
}

template <class Call, class... Arguments>
Return small(Call call, std::uint64_t& value, Device device, Arguments... arguments) {
  return number<std::uint32_t>(call, value, device, arguments...);
}

enum class Part { Total, Used, Reserved, Free };

/// Of _v2, where what the driver itself holds is not counted as used; R510 and later.
Return memory(const Api& api, Device device, std::uint64_t& value, Part part) {
  if (api.memory_v2 != nullptr) {
    MemoryV2 info{};
    info.version = version_of<MemoryV2>(2);
    const Return result = api.memory_v2(device, &info);
    value = part == Part::Total      ? info.total
            : part == Part::Used     ? info.used
            : part == Part::Reserved ? info.reserved
                                     : info.free;
    if (result != Return::FunctionNotFound && result != Return::ArgumentVersionMismatch) return result;
  }
  if (api.memory == nullptr) return Return::FunctionNotFound;
  if (part == Part::Reserved) return Return::NotSupported;
  Memory info{};
  const Return result = api.memory(device, &info);
  value = part == Part::Total ? info.total : part == Part::Used ? info.used : info.free;
  return result;
}

Return bar1_used(const Api& api, Device device, std::uint64_t& value) {
  if (api.bar1_memory == nullptr) return Return::FunctionNotFound;
  Memory info{};
  const Return result = api.bar1_memory(device, &info);
  value = info.used;
  return result;
}

Return utilization(const Api& api, Device device, std::uint64_t& value, bool of_memory) {
  if (api.utilization == nullptr) return Return::FunctionNotFound;
  Utilization rates{};
  const Return result = api.utilization(device, &rates);
  value = of_memory ? rates.memory : rates.gpu;
  return result;
}

template <class Call>
Return engine(Call call, Device device, std::uint64_t& value) {
  if (call == nullptr) return Return::FunctionNotFound;
  std::uint32_t per_cent = 0, period_us = 0;
  const Return result = call(device, &per_cent, &period_us);
  value = per_cent;
  return result;
}

Return active_links(const Api& api, Device device, std::uint64_t& value) {
  if (api.link_state == nullptr) return Return::FunctionNotFound;
  for (std::uint32_t link = 0; link < kMaxLinks; ++link) {
    std::uint32_t active = 0;
    const Return result = api.link_state(device, link, &active);
    if (result != Return::Success && (link == 0 || is_gone(result))) return result;
    value += result == Return::Success && active != 0 ? 1 : 0;
  }
  return Return::Success;
}

using Value = std::uint64_t;

// clang-format off
constexpr auto kCalls = std::to_array<SampleCall>({
    {"bar1_used", "nvmlDeviceGetBAR1MemoryInfo", bar1_used},
    {"clock_reasons", "nvmlDeviceGetCurrentClocksEventReasons", [](const Api& a, Device d, Value& v) { return number<Value>(a.clock_reasons, v, d); }},
    {"decoder", "nvmlDeviceGetDecoderUtilization", [](const Api& a, Device d, Value& v) { return engine(a.decoder, d, v); }},
    {"encoder", "nvmlDeviceGetEncoderUtilization", [](const Api& a, Device d, Value& v) { return engine(a.encoder, d, v); }},
    {"fan", "nvmlDeviceGetFanSpeed", [](const Api& a, Device d, Value& v) { return small(a.fan_speed, v, d); }},
    {"memory_clock", "nvmlDeviceGetClockInfo", [](const Api& a, Device d, Value& v) { return small(a.clock, v, d, kClockMemory); }},
    {"memory_clock_max", "nvmlDeviceGetMaxClockInfo", [](const Api& a, Device d, Value& v) { return small(a.max_clock, v, d, kClockMemory); }},
    {"memory_free", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d, Value& v) { return memory(a, d, v, Part::Free); }, true},
    {"memory_reserved", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d, Value& v) { return memory(a, d, v, Part::Reserved); }, true},
    {"memory_total", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d, Value& v) { return memory(a, d, v, Part::Total); }, true},
    {"memory_used", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d, Value& v) { return memory(a, d, v, Part::Used); }, true},
    {"memory_utilization", "nvmlDeviceGetUtilizationRates", [](const Api& a, Device d, Value& v) { return utilization(a, d, v, true); }},
    {"nvlink_active", "nvmlDeviceGetNvLinkState", active_links},
    {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", [](const Api& a, Device d, Value& v) { return small(a.pcie_generation, v, d); }},
    {"pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration", [](const Api& a, Device d, Value& v) { return small(a.pcie_max_generation, v, d); }},
    {"pcie_lanes", "nvmlDeviceGetCurrPcieLinkWidth", [](const Api& a, Device d, Value& v) { return small(a.pcie_width, v, d); }},
    {"pcie_lanes_max", "nvmlDeviceGetMaxPcieLinkWidth", [](const Api& a, Device d, Value& v) { return small(a.pcie_max_width, v, d); }},
    {"performance_state", "nvmlDeviceGetPerformanceState", [](const Api& a, Device d, Value& v) { return small(a.performance_state, v, d); }},
    {"power", "nvmlDeviceGetPowerUsage", [](const Api& a, Device d, Value& v) { return small(a.power_usage, v, d); }},
    {"power_limit", "nvmlDeviceGetEnforcedPowerLimit", [](const Api& a, Device d, Value& v) { return small(a.enforced_power_limit, v, d); }},
    {"power_limit_default", "nvmlDeviceGetPowerManagementDefaultLimit", [](const Api& a, Device d, Value& v) { return small(a.default_power_limit, v, d); }},
    {"shutdown_temperature", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d, Value& v) { return small(a.temperature_threshold, v, d, kThresholdShutdown); }},
    {"slowdown_temperature", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d, Value& v) { return small(a.temperature_threshold, v, d, kThresholdSlowdown); }},
    {"sm_clock", "nvmlDeviceGetClockInfo", [](const Api& a, Device d, Value& v) { return small(a.clock, v, d, kClockSm); }},
    {"sm_clock_max", "nvmlDeviceGetMaxClockInfo", [](const Api& a, Device d, Value& v) { return small(a.max_clock, v, d, kClockSm); }},
    {"temperature", "nvmlDeviceGetTemperature", [](const Api& a, Device d, Value& v) { return small(a.temperature, v, d, kTemperatureGpu); }},
    {"utilization", "nvmlDeviceGetUtilizationRates", [](const Api& a, Device d, Value& v) { return utilization(a, d, v, false); }},
    {"video_clock", "nvmlDeviceGetClockInfo", [](const Api& a, Device d, Value& v) { return small(a.clock, v, d, kClockVideo); }},
});
// clang-format on

}  // namespace

std::span<const SampleCall> sample_calls() {
  return kCalls;
}

std::optional<std::size_t> find_sample_call(std::string_view key) {
  const auto at = std::find_if(kCalls.begin(), kCalls.end(),
                               [key](const SampleCall& call) { return std::string_view(call.key) == key; });
  if (at == kCalls.end()) return std::nullopt;
  return static_cast<std::size_t>(at - kCalls.begin());
}

model::AbsentReason absent_reason(Return result) {
  switch (result) {
    case Return::NoPermission:
    case Return::OperatingSystem:
      return model::AbsentReason::Denied;
    case Return::Timeout:
    case Return::NotReady:
      return model::AbsentReason::TimedOut;
    case Return::NotFound:
    case Return::NoData:
    case Return::GpuIsLost:
    case Return::ResetRequired:
    case Return::GpuNotFound:
      return model::AbsentReason::NotFound;
    default:
      return model::AbsentReason::Unsupported;
  }
}

bool is_gone(Return result) {
  return result == Return::GpuIsLost || result == Return::ResetRequired || result == Return::GpuNotFound;
}

}  // namespace gpuwright::host::nvml
