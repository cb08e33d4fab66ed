// Source of names: nvidia-smi --help-query-gpu. Of calls, units and numbers: NVML API reference.
// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_questions.h"

#include "base/text.h"
#include "host/nvml_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::host::nvml {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

/// A call that writes a text.
template <std::size_t kSize, class Call>
Answer text(Call call, Device device) {
  if (call == nullptr) return {};
  std::array<char, kSize + 1> buffer{};
  const Return result = call(device, buffer.data(), static_cast<std::uint32_t>(kSize));
  buffer.back() = '\0';
  return {result, base::printable(buffer.data(), kSize)};
}

/// A call that writes one number, after `arguments` that say which.
template <class Number, class Call, class... Arguments>
Return number(Call call, Number& value, Device device, Arguments... arguments) {
  if (call == nullptr) return Return::FunctionNotFound;
  return call(device, arguments..., &value);
}

template <class Call, class... Arguments>
Answer count(Call call, Device device, Arguments... arguments) {
  std::uint32_t value = 0;
  const Return result = number(call, value, device, arguments...);
  return {result, fmt::format("{}", value)};
}

template <class Call, class... Arguments>
Answer wide_count(Call call, Device device, Arguments... arguments) {
  std::uint64_t value = 0;
  const Return result = number(call, value, device, arguments...);
  return {result, fmt::format("{}", value)};
}

template <class Call>
Answer watts(Call call, Device device) {
  std::uint32_t milliwatts = 0;
  const Return result = number(call, milliwatts, device);
  return {result, fmt::format("{:.2f}", milliwatts / 1000.0)};
}

std::string on_or_off(std::uint32_t value) {
  return value != 0 ? "Enabled" : "Disabled";
}

/// One of the two that a call writes: what is, and what will be after a reset or reboot.
enum class Which { First, Second };

template <class Call>
Answer mode_of(Call call, Device device, Which which) {
  if (call == nullptr) return {};
  std::uint32_t current = 0, pending = 0;
  const Return result = call(device, &current, &pending);
  return {result, on_or_off(which == Which::First ? current : pending)};
}

Answer pci_address(const Api& api, Device device) {
  PciInfo info{};
  const Return result = number(api.pci_info, info, device);
  return {result, fmt::format("{:08X}:{:02X}:{:02X}.0", info.domain, info.bus, info.device)};
}

Answer pci_device(const Api& api, Device device) {
  PciInfo info{};
  const Return result = number(api.pci_info, info, device);
  return {result, fmt::format("0x{:08X}", info.device_id)};
}

Answer gsp_version(const Api& api, Device device) {
  if (api.gsp_version == nullptr) return {};
  std::array<char, kVersionSize + 1> buffer{};
  const Return result = api.gsp_version(device, buffer.data());
  buffer.back() = '\0';
  return {result, base::printable(buffer.data(), kVersionSize)};
}

Answer compute_capability(const Api& api, Device device) {
  if (api.compute_capability == nullptr) return {};
  std::int32_t major = 0, minor = 0;
  const Return result = api.compute_capability(device, &major, &minor);
  return {result, fmt::format("{}.{}", major, minor)};
}

Answer persistence(const Api& api, Device device) {
  std::uint32_t enabled = 0;
  const Return result = number(api.persistence_mode, enabled, device);
  return {result, on_or_off(enabled)};
}

Answer compute_mode(const Api& api, Device device) {
  constexpr std::array<const char*, 4> kWords = {"Default", "Exclusive_Thread", "Prohibited",
                                                 "Exclusive_Process"};
  std::uint32_t mode = 0;
  const Return result = number(api.compute_mode, mode, device);
  return {result, mode < kWords.size() ? kWords[mode] : fmt::format("unknown mode {}", mode)};
}

Answer virtualization(const Api& api, Device device) {
  constexpr std::array<const char*, 5> kWords = {"None", "Pass-Through", "VGPU", "Host VGPU", "Host VSGA"};
  std::uint32_t mode = 0;
  const Return result = number(api.virtualization_mode, mode, device);
  return {result, mode < kWords.size() ? kWords[mode] : fmt::format("unknown mode {}", mode)};
}

Answer performance_state(const Api& api, Device device) {
  std::uint32_t state = 0;
  const Return result = number(api.performance_state, state, device);
  return {result, fmt::format("P{}", state)};
}

Answer clock_reasons(const Api& api, Device device) {
  std::uint64_t reasons = 0;
  const Return result = number(api.clock_reasons, reasons, device);
  return {result, fmt::format("0x{:016X}", reasons)};
}

Answer gpu_utilization(const Api& api, Device device) {
  Utilization utilization{};
  const Return result = number(api.utilization, utilization, device);
  return {result, fmt::format("{}", utilization.gpu)};
}

/// Used memory: of _v2, where what the driver itself holds is not counted as used.
Answer memory(const Api& api, Device device, Which which) {
  if (api.memory_v2 != nullptr) {
    MemoryV2 info{};
    info.version = version_of<MemoryV2>(2);
    const Return result = api.memory_v2(device, &info);
    if (result != Return::FunctionNotFound)
      return {result,
              fmt::format("{:.0f} MiB",
                          static_cast<double>(which == Which::First ? info.total : info.used) / kMebibyte)};
  }
  Memory info{};
  const Return result = number(api.memory, info, device);
  return {result,
          fmt::format("{:.0f} MiB",
                      static_cast<double>(which == Which::First ? info.total : info.used) / kMebibyte)};
}

Answer bar1(const Api& api, Device device) {
  Memory info{};
  const Return result = number(api.bar1_memory, info, device);
  return {result, fmt::format("{:.0f} MiB", static_cast<double>(info.total) / kMebibyte)};
}

Answer memory_temperature(const Api& api, Device device) {
  if (api.field_values == nullptr) return {};
  FieldValue value{};
  value.field = kFieldMemoryTemperature;
  const Return result = api.field_values(device, 1, &value);
  return {result == Return::Success ? value.result : result, fmt::format("{}", value.value.u32)};
}

Answer recovery_action(const Api& api, Device device) {
  if (api.field_values == nullptr) return {};
  constexpr std::array<const char*, 5> kWords = {"None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"};
  FieldValue value{};
  value.field = kFieldRecoveryAction;
  const Return result = api.field_values(device, 1, &value);
  const std::uint32_t action = value.value.u32;
  return {result == Return::Success ? value.result : result,
          action < kWords.size() ? kWords[action] : fmt::format("unknown action {}", action)};
}

Answer energy(const Api& api, Device device) {
  std::uint64_t millijoules = 0;
  const Return result = number(api.total_energy, millijoules, device);
  return {result, fmt::format("{}", millijoules / 1000)};
}

Answer memory_utilization(const Api& api, Device device) {
  Utilization utilization{};
  const Return result = number(api.utilization, utilization, device);
  return {result, fmt::format("{}", utilization.memory)};
}

Answer power_range(const Api& api, Device device, Which which) {
  if (api.power_limits == nullptr) return {};
  std::uint32_t least = 0, most = 0;
  const Return result = api.power_limits(device, &least, &most);
  return {result, fmt::format("{:.2f}", (which == Which::First ? least : most) / 1000.0)};
}

Answer retired(const Api& api, Device device, RetirementCause cause) {
  if (api.retired_pages == nullptr) return {};
  std::uint32_t pages = 0;  // no room for addresses: we want the number alone
  const Return result = api.retired_pages(device, cause, &pages, nullptr);
  return {result == Return::InsufficientSize ? Return::Success : result, fmt::format("{}", pages)};
}

Answer retired_pending(const Api& api, Device device) {
  std::uint32_t pending = 0;
  const Return result = number(api.retired_pending, pending, device);
  return {result, pending != 0 ? "Yes" : "No"};
}

enum class Remapped { Corrected, Uncorrected, Pending, Failed };

Answer remapped(const Api& api, Device device, Remapped which) {
  if (api.remapped_rows == nullptr) return {};
  std::array<std::uint32_t, 4> value{};
  const Return result = api.remapped_rows(device, &value[0], &value[1], &value[2], &value[3]);
  const std::uint32_t chosen = value[static_cast<std::size_t>(which)];
  const bool is_flag = which == Remapped::Pending || which == Remapped::Failed;
  return {result, is_flag ? (chosen != 0 ? "Yes" : "No") : fmt::format("{}", chosen)};
}

Answer histogram(const Api& api, Device device, std::uint32_t RemapperHistogram::*banks) {
  RemapperHistogram all{};
  const Return result = number(api.remapper_histogram, all, device);
  return {result, fmt::format("{}", all.*banks)};
}

const char* fabric_words(std::uint8_t state) {
  constexpr std::array<const char*, 4> kWords = {"N/A", "Not Started", "In Progress", "Completed"};
  return state < kWords.size() ? kWords[state] : "unknown";
}

Answer fabric_state(const Api& api, Device device) {
  FabricInfo info{};
  const Return result = number(api.fabric, info, device);
  return {result, fabric_words(info.state)};
}

Answer fabric_status(const Api& api, Device device) {
  FabricInfo info{};
  const Return result = number(api.fabric, info, device);
  if (info.state == kFabricNotSupported) return {result, "N/A"};
  return {result, info.status == Return::Success ? "Success" : words_of(info.status)};
}

/// One slot of the health mask, in the words of nvidia-smi.
Answer fabric_health(const Api& api, Device device, FabricHealthShift slot, const char* bad,
                     const char* good) {
  FabricInfoV2 info{};
  info.version = version_of<FabricInfoV2>(2);
  const Return result = number(api.fabric_v, info, device);
  const std::uint32_t health = info.health_mask >> slot & 3;
  return {result, health == kHealthTrue ? bad : health == kHealthFalse ? good : "N/A"};
}

// clang-format off
constexpr auto kQuestions = std::to_array<Question>({
    {"pci.bus_id", "nvmlDeviceGetPciInfo_v3", pci_address},
    {"name", "nvmlDeviceGetName", [](const Api& a, Device d) { return text<kNameSize>(a.name, d); }},
    {"uuid", "nvmlDeviceGetUUID", [](const Api& a, Device d) { return text<kUuidSize>(a.uuid, d); }},
    {"serial", "nvmlDeviceGetSerial", [](const Api& a, Device d) { return text<kSerialSize>(a.serial, d); }},
    {"pci.device_id", "nvmlDeviceGetPciInfo_v3", pci_device},
    {"vbios_version", "nvmlDeviceGetVbiosVersion", [](const Api& a, Device d) { return text<kVbiosSize>(a.vbios_version, d); }},
    {"inforom.img", "nvmlDeviceGetInforomImageVersion", [](const Api& a, Device d) { return text<kInforomSize>(a.inforom_version, d); }},
    {"board_part_number", "nvmlDeviceGetBoardPartNumber", [](const Api& a, Device d) { return text<kVersionSize>(a.part_number, d); }},
    {"gsp_firmware", "nvmlDeviceGetGspFirmwareVersion", gsp_version},
    {"minor_number", "nvmlDeviceGetMinorNumber", [](const Api& a, Device d) { return count(a.minor_number, d); }},
    {"compute_cap", "nvmlDeviceGetCudaComputeCapability", compute_capability},
    {"persistence_mode", "nvmlDeviceGetPersistenceMode", persistence},
    {"compute_mode", "nvmlDeviceGetComputeMode", compute_mode},
    {"virtualization_mode", "nvmlDeviceGetVirtualizationMode", virtualization},
    {"ecc.mode.current", "nvmlDeviceGetEccMode", [](const Api& a, Device d) { return mode_of(a.ecc_mode, d, Which::First); }},
    {"ecc.mode.pending", "nvmlDeviceGetEccMode", [](const Api& a, Device d) { return mode_of(a.ecc_mode, d, Which::Second); }},
    {"mig.mode.current", "nvmlDeviceGetMigMode", [](const Api& a, Device d) { return mode_of(a.mig_mode, d, Which::First); }},
    {"mig.mode.pending", "nvmlDeviceGetMigMode", [](const Api& a, Device d) { return mode_of(a.mig_mode, d, Which::Second); }},
    {"temperature.gpu", "nvmlDeviceGetTemperature", [](const Api& a, Device d) { return count(a.temperature, d, kTemperatureGpu); }},
    {"temperature.gpu.shutdown", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d) { return count(a.temperature_threshold, d, kThresholdShutdown); }},
    {"temperature.gpu.slowdown", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d) { return count(a.temperature_threshold, d, kThresholdSlowdown); }},
    {"temperature.gpu.max", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d) { return count(a.temperature_threshold, d, kThresholdGpuMax); }},
    {"temperature.memory.max", "nvmlDeviceGetTemperatureThreshold", [](const Api& a, Device d) { return count(a.temperature_threshold, d, kThresholdMemoryMax); }},
    {"temperature.memory", "nvmlDeviceGetFieldValues(82)", memory_temperature},
    {"fan.speed", "nvmlDeviceGetFanSpeed", [](const Api& a, Device d) { return count(a.fan_speed, d); }},
    {"power.draw", "nvmlDeviceGetPowerUsage", [](const Api& a, Device d) { return watts(a.power_usage, d); }},
    {"enforced.power.limit", "nvmlDeviceGetEnforcedPowerLimit", [](const Api& a, Device d) { return watts(a.enforced_power_limit, d); }},
    {"power.default_limit", "nvmlDeviceGetPowerManagementDefaultLimit", [](const Api& a, Device d) { return watts(a.default_power_limit, d); }},
    {"power.min_limit", "nvmlDeviceGetPowerManagementLimitConstraints", [](const Api& a, Device d) { return power_range(a, d, Which::First); }},
    {"power.max_limit", "nvmlDeviceGetPowerManagementLimitConstraints", [](const Api& a, Device d) { return power_range(a, d, Which::Second); }},
    {"pstate", "nvmlDeviceGetPerformanceState", performance_state},
    {"clocks.current.sm", "nvmlDeviceGetClockInfo", [](const Api& a, Device d) { return count(a.clock, d, kClockSm); }},
    {"clocks.current.memory", "nvmlDeviceGetClockInfo", [](const Api& a, Device d) { return count(a.clock, d, kClockMemory); }},
    {"clocks.max.sm", "nvmlDeviceGetMaxClockInfo", [](const Api& a, Device d) { return count(a.max_clock, d, kClockSm); }},
    {"clocks.max.memory", "nvmlDeviceGetMaxClockInfo", [](const Api& a, Device d) { return count(a.max_clock, d, kClockMemory); }},
    {"clocks_event_reasons.active", "nvmlDeviceGetCurrentClocksEventReasons", clock_reasons},
    {"utilization.gpu", "nvmlDeviceGetUtilizationRates", gpu_utilization},
    {"utilization.memory", "nvmlDeviceGetUtilizationRates", memory_utilization},
    {"total_energy", "nvmlDeviceGetTotalEnergyConsumption", energy},
    {"memory.total", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d) { return memory(a, d, Which::First); }},
    {"memory.used", "nvmlDeviceGetMemoryInfo_v2", [](const Api& a, Device d) { return memory(a, d, Which::Second); }},
    {"bar1.total", "nvmlDeviceGetBAR1MemoryInfo", bar1},
    {"pcie.link.gen.current", "nvmlDeviceGetCurrPcieLinkGeneration", [](const Api& a, Device d) { return count(a.pcie_generation, d); }},
    {"pcie.link.gen.max", "nvmlDeviceGetMaxPcieLinkGeneration", [](const Api& a, Device d) { return count(a.pcie_max_generation, d); }},
    {"pcie.link.width.current", "nvmlDeviceGetCurrPcieLinkWidth", [](const Api& a, Device d) { return count(a.pcie_width, d); }},
    {"pcie.link.width.max", "nvmlDeviceGetMaxPcieLinkWidth", [](const Api& a, Device d) { return count(a.pcie_max_width, d); }},
    {"pcie.replays", "nvmlDeviceGetPcieReplayCounter", [](const Api& a, Device d) { return count(a.pcie_replays, d); }},
    {"ecc.errors.corrected.volatile.total", "nvmlDeviceGetTotalEccErrors", [](const Api& a, Device d) { return wide_count(a.total_ecc_errors, d, kCorrected, kVolatile); }},
    {"ecc.errors.uncorrected.volatile.total", "nvmlDeviceGetTotalEccErrors", [](const Api& a, Device d) { return wide_count(a.total_ecc_errors, d, kUncorrected, kVolatile); }},
    {"ecc.errors.corrected.aggregate.total", "nvmlDeviceGetTotalEccErrors", [](const Api& a, Device d) { return wide_count(a.total_ecc_errors, d, kCorrected, kAggregate); }},
    {"ecc.errors.uncorrected.aggregate.total", "nvmlDeviceGetTotalEccErrors", [](const Api& a, Device d) { return wide_count(a.total_ecc_errors, d, kUncorrected, kAggregate); }},
    {"ecc.errors.uncorrected.volatile.dram", "nvmlDeviceGetMemoryErrorCounter", [](const Api& a, Device d) { return wide_count(a.memory_errors, d, kUncorrected, kVolatile, kLocationDram); }},
    {"ecc.errors.uncorrected.volatile.sram", "nvmlDeviceGetMemoryErrorCounter", [](const Api& a, Device d) { return wide_count(a.memory_errors, d, kUncorrected, kVolatile, kLocationSram); }},
    {"ecc.errors.uncorrected.aggregate.dram", "nvmlDeviceGetMemoryErrorCounter", [](const Api& a, Device d) { return wide_count(a.memory_errors, d, kUncorrected, kAggregate, kLocationDram); }},
    {"ecc.errors.uncorrected.aggregate.sram", "nvmlDeviceGetMemoryErrorCounter", [](const Api& a, Device d) { return wide_count(a.memory_errors, d, kUncorrected, kAggregate, kLocationSram); }},
    {"remapped_rows.correctable", "nvmlDeviceGetRemappedRows", [](const Api& a, Device d) { return remapped(a, d, Remapped::Corrected); }},
    {"remapped_rows.uncorrectable", "nvmlDeviceGetRemappedRows", [](const Api& a, Device d) { return remapped(a, d, Remapped::Uncorrected); }},
    {"remapped_rows.pending", "nvmlDeviceGetRemappedRows", [](const Api& a, Device d) { return remapped(a, d, Remapped::Pending); }},
    {"remapped_rows.failure", "nvmlDeviceGetRemappedRows", [](const Api& a, Device d) { return remapped(a, d, Remapped::Failed); }},
    {"remapped_rows.histogram.max", "nvmlDeviceGetRowRemapperHistogram", [](const Api& a, Device d) { return histogram(a, d, &RemapperHistogram::max); }},
    {"remapped_rows.histogram.high", "nvmlDeviceGetRowRemapperHistogram", [](const Api& a, Device d) { return histogram(a, d, &RemapperHistogram::high); }},
    {"remapped_rows.histogram.partial", "nvmlDeviceGetRowRemapperHistogram", [](const Api& a, Device d) { return histogram(a, d, &RemapperHistogram::partial); }},
    {"remapped_rows.histogram.low", "nvmlDeviceGetRowRemapperHistogram", [](const Api& a, Device d) { return histogram(a, d, &RemapperHistogram::low); }},
    {"remapped_rows.histogram.none", "nvmlDeviceGetRowRemapperHistogram", [](const Api& a, Device d) { return histogram(a, d, &RemapperHistogram::none); }},
    {"retired_pages.single_bit_ecc.count", "nvmlDeviceGetRetiredPages", [](const Api& a, Device d) { return retired(a, d, kMultipleSingleBit); }},
    {"retired_pages.double_bit.count", "nvmlDeviceGetRetiredPages", [](const Api& a, Device d) { return retired(a, d, kDoubleBit); }},
    {"retired_pages.pending", "nvmlDeviceGetRetiredPagesPendingStatus", retired_pending},
    {"fabric.state", "nvmlDeviceGetGpuFabricInfo", fabric_state},
    {"fabric.status", "nvmlDeviceGetGpuFabricInfo", fabric_status},
    {"fabric.health.bandwidth", "nvmlDeviceGetGpuFabricInfoV", [](const Api& a, Device d) { return fabric_health(a, d, kDegradedBandwidth, "Degraded", "Full"); }},
    {"fabric.health.route_unhealthy", "nvmlDeviceGetGpuFabricInfoV", [](const Api& a, Device d) { return fabric_health(a, d, kRouteUnhealthy, "True", "False"); }},
    {"gpu_recovery_action", "nvmlDeviceGetFieldValues(230)", recovery_action},
});
// clang-format on

/// "link 3: active, 26562 MB/s, remote 0000:05:00.0, replay 0, recovery 0, crc 0".
Return links(const Api& api, Device device, std::vector<std::string>& lines) {
  if (api.link_state == nullptr) return Return::FunctionNotFound;
  for (std::uint32_t link = 0; link < kMaxLinks; ++link) {
    std::uint32_t active = 0;
    const Return result = api.link_state(device, link, &active);
    if (result == Return::GpuIsLost) return result;
    if (result != Return::Success) {
      if (link == 0) return result;
      continue;  // fewer links than the most there can be
    }
    std::string line = fmt::format("link {}: {}", link, active != 0 ? "active" : "inactive");
    PciInfo remote{};
    if (active != 0 && number(api.link_remote, remote, device, link) == Return::Success)
      line += fmt::format(", remote {:08X}:{:02X}:{:02X}.0", remote.domain, remote.bus, remote.device);
    constexpr std::array<std::pair<LinkCounter, const char*>, 3> kCounters = {
        {{kLinkReplay, "replay"}, {kLinkRecovery, "recovery"}, {kLinkCrcFlit, "crc"}}};
    for (const auto& [counter, word] : kCounters) {
      std::uint64_t errors = 0;
      if (number(api.link_errors, errors, device, link, counter) == Return::Success)
        line += fmt::format(", {} {}", word, errors);
    }
    lines.push_back(std::move(line));
  }
  return Return::Success;
}

/// "mig 0: gpu instance 7, compute instance 0, uuid MIG-...".
Return mig_devices(const Api& api, Device device, std::vector<std::string>& lines) {
  std::uint32_t most = 0;
  const Return result = number(api.mig_count, most, device);
  if (result != Return::Success || api.mig_handle == nullptr) return result;
  for (std::uint32_t index = 0; index < most && index < 16; ++index) {
    Device instance = nullptr;
    if (api.mig_handle(device, index, &instance) != Return::Success) continue;  // fewer than there could be
    std::string line = fmt::format("mig {}:", index);
    std::uint32_t id = 0;
    if (number(api.gpu_instance, id, instance) == Return::Success)
      line += fmt::format(" gpu instance {},", id);
    if (number(api.compute_instance, id, instance) == Return::Success)
      line += fmt::format(" compute instance {},", id);
    line += " uuid " + text<kUuidSize>(api.uuid, instance).text;
    lines.push_back(std::move(line));
  }
  return Return::Success;
}

template <class Info>
void add_processes(const std::vector<Info>& infos, const char* kind, std::vector<std::string>& lines) {
  for (const Info& info : infos) {
    const bool known = info.used_memory != kValueNotAvailable;
    lines.push_back(fmt::format("process: {} {} {}", kind, info.pid,
                                known ? fmt::format("{} B", info.used_memory) : std::string("N/A")));
  }
}

template <class Info, class Call>
Return processes_of(Call call, Device device, const char* kind, std::vector<std::string>& lines) {
  constexpr std::uint32_t kMost = 1024;
  std::vector<Info> infos(kMost);
  std::uint32_t count = kMost;
  const Return result = call(device, &count, infos.data());
  if (result != Return::Success) return result;
  infos.resize(std::min(count, kMost));
  add_processes(infos, kind, lines);
  return result;
}

Return processes(const Api& api, Device device, std::vector<std::string>& lines) {
  Return result = Return::FunctionNotFound;
  if (api.compute_processes != nullptr) {
    result = processes_of<ProcessInfo>(api.compute_processes, device, "C", lines);
  } else if (api.compute_processes_v1 != nullptr) {
    result = processes_of<ProcessInfoV1>(api.compute_processes_v1, device, "C", lines);
  }
  if (result == Return::Success && api.graphics_processes != nullptr)
    (void)processes_of<ProcessInfo>(api.graphics_processes, device, "G", lines);
  return result;
}

constexpr auto kListQuestions = std::to_array<ListQuestion>({
    {"links", "nvmlDeviceGetNvLinkState", links},
    {"mig", "nvmlDeviceGetMigDeviceHandleByIndex", mig_devices},
    {"processes", "nvmlDeviceGetComputeRunningProcesses_v3", processes},
});

}  // namespace

std::span<const Question> questions() {
  return kQuestions;
}

std::span<const ListQuestion> list_questions() {
  return kListQuestions;
}

}  // namespace gpuwright::host::nvml
