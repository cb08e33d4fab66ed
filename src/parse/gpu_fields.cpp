// The names follow `nvidia-smi -q`, the nvsmi_device DTDs v6 to v13 and `nvidia-smi --help-query-gpu`,
// drivers 340 to 620. The driver renamed "Clocks Throttle Reasons" to "Clocks Event Reasons" in R535; both
// are folded into the new name before the look-up.
// SPDX-License-Identifier: Apache-2.0
#include "parse/gpu_fields.h"

#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

namespace gpuwright::parse {
namespace {

using model::Absent;
using model::AbsentReason;
using model::Field;
using model::GpuReport;

using IntMember = Field<std::int64_t> GpuReport::*;
using BoolMember = Field<bool> GpuReport::*;
using TextMember = Field<std::string> GpuReport::*;
using CelsiusMember = Field<base::Celsius> GpuReport::*;
using WattsMember = Field<base::Watts> GpuReport::*;
using Member = std::variant<IntMember, BoolMember, TextMember, CelsiusMember, WattsMember>;

struct FieldRow {
  const char* query;  ///< "" where the language has no such name
  const char* text;
  const char* xml;
  Member member;
};

using G = GpuReport;

// One row a line, in the order of nvidia-smi -q. A second spelling of the same fact is a second row.
// clang-format off
const FieldRow kRows[] = {
    {"driver_version", "Driver Version", "driver_version", &G::driver},
    {"cuda_version", "CUDA Version", "cuda_version", &G::cuda},
    {"count", "Attached GPUs", "attached_gpus", &G::attached},
    {"index", "", "", &G::index},
    {"name", "Product Name", "product_name", &G::name},
    {"serial", "Serial Number", "gpu/serial", &G::serial},
    {"uuid", "GPU UUID", "gpu/uuid", &G::uuid},
    {"pci.bus_id", "Bus Id", "pci_bus_id", &G::pci},
    {"gpu_bus_id", "", "", &G::pci},
    {"gpu_name", "", "", &G::name},
    {"gpu_uuid", "", "", &G::uuid},
    {"pci.device_id", "PCI/Device Id", "pci_device_id", &G::device_id},
    {"vbios_version", "VBIOS Version", "vbios_version", &G::vbios},
    {"gsp_firmware", "GSP Firmware Version", "gsp_firmware_version", &G::gsp_firmware},
    {"", "GPU Excluded", "", &G::excluded},
    {"driver_model.current", "Driver Model/Current", "current_dm", &G::driver_model},
    {"virtualization_mode", "Virtualization Mode", "virtualization_mode", &G::virtualization},
    {"compute_mode", "Compute Mode", "compute_mode", &G::compute_mode},
    {"pstate", "Performance State", "performance_state", &G::performance_state},
    {"addressing_mode", "Addressing Mode", "addressing_mode", &G::addressing_mode},
    {"persistence_mode", "Persistence Mode", "persistence_mode", &G::persistence},
    {"mig.mode.current", "MIG Mode/Current", "current_mig", &G::mig_current},
    {"mig.mode.pending", "MIG Mode/Pending", "pending_mig", &G::mig_pending},
    {"ecc.mode.current", "ECC Mode/Current", "current_ecc", &G::ecc_current},
    {"ecc.mode.pending", "ECC Mode/Pending", "pending_ecc", &G::ecc_pending},
    {"ecc.errors.corrected.volatile.sram", "Volatile/SRAM Correctable", "volatile/sram_correctable", &G::volatile_sram_corrected},
    {"ecc.errors.uncorrected.volatile.sram", "Volatile/SRAM Uncorrectable", "volatile/sram_uncorrectable", &G::volatile_sram_uncorrected},
    {"ecc.errors.uncorrected.volatile.sram.parity", "Volatile/SRAM Uncorrectable Parity", "volatile/sram_uncorrectable_parity", &G::volatile_sram_parity},
    {"ecc.errors.uncorrected.volatile.sram.secded", "Volatile/SRAM Uncorrectable SEC-DED", "volatile/sram_uncorrectable_secded", &G::volatile_sram_secded},
    {"ecc.errors.corrected.volatile.dram", "Volatile/DRAM Correctable", "volatile/dram_correctable", &G::volatile_dram_corrected},
    {"ecc.errors.uncorrected.volatile.dram", "Volatile/DRAM Uncorrectable", "volatile/dram_uncorrectable", &G::volatile_dram_uncorrected},
    {"ecc.errors.corrected.volatile.device_memory", "Volatile/Single Bit/Device Memory", "volatile/single_bit/device_memory", &G::volatile_dram_corrected},
    {"ecc.errors.uncorrected.volatile.device_memory", "Volatile/Double Bit/Device Memory", "volatile/double_bit/device_memory", &G::volatile_dram_uncorrected},
    {"ecc.errors.corrected.volatile.total", "Volatile/Single Bit/Total", "volatile/single_bit/total", &G::volatile_total_corrected},
    {"ecc.errors.uncorrected.volatile.total", "Volatile/Double Bit/Total", "volatile/double_bit/total", &G::volatile_total_uncorrected},
    {"ecc.errors.corrected.aggregate.sram", "Aggregate/SRAM Correctable", "aggregate/sram_correctable", &G::aggregate_sram_corrected},
    {"ecc.errors.uncorrected.aggregate.sram", "Aggregate/SRAM Uncorrectable", "aggregate/sram_uncorrectable", &G::aggregate_sram_uncorrected},
    {"ecc.errors.uncorrected.aggregate.sram.parity", "Aggregate/SRAM Uncorrectable Parity", "aggregate/sram_uncorrectable_parity", &G::aggregate_sram_parity},
    {"ecc.errors.uncorrected.aggregate.sram.secded", "Aggregate/SRAM Uncorrectable SEC-DED", "aggregate/sram_uncorrectable_secded", &G::aggregate_sram_secded},
    {"ecc.errors.corrected.aggregate.dram", "Aggregate/DRAM Correctable", "aggregate/dram_correctable", &G::aggregate_dram_corrected},
    {"ecc.errors.uncorrected.aggregate.dram", "Aggregate/DRAM Uncorrectable", "aggregate/dram_uncorrectable", &G::aggregate_dram_uncorrected},
    {"ecc.errors.corrected.aggregate.device_memory", "Aggregate/Single Bit/Device Memory", "aggregate/single_bit/device_memory", &G::aggregate_dram_corrected},
    {"ecc.errors.uncorrected.aggregate.device_memory", "Aggregate/Double Bit/Device Memory", "aggregate/double_bit/device_memory", &G::aggregate_dram_uncorrected},
    {"ecc.errors.corrected.aggregate.total", "Aggregate/Single Bit/Total", "aggregate/single_bit/total", &G::aggregate_total_corrected},
    {"ecc.errors.uncorrected.aggregate.total", "Aggregate/Double Bit/Total", "aggregate/double_bit/total", &G::aggregate_total_uncorrected},
    {"ecc.errors.uncorrected.aggregate.sram.thresholdExceeded", "SRAM Threshold Exceeded", "sram_threshold_exceeded", &G::sram_threshold_exceeded},
    {"", "Channel Repair Pending", "channel_repair_pending", &G::channel_repair_pending},
    {"", "TPC Repair Pending", "tpc_repair_pending", &G::tpc_repair_pending},
    {"", "Unrepairable Memory", "unrepairable_memory", &G::unrepairable_memory},
    {"remapped_rows.correctable", "Remapped Rows/Correctable Error", "remapped_row_corr", &G::remapped_corrected},
    {"remapped_rows.uncorrectable", "Remapped Rows/Uncorrectable Error", "remapped_row_unc", &G::remapped_uncorrected},
    {"remapped_rows.pending", "Remapped Rows/Pending", "remapped_row_pending", &G::remap_pending},
    {"remapped_rows.failure", "Remapping Failure Occurred", "remapped_row_failure", &G::remap_failed},
    {"remapped_rows.histogram.max", "Bank Remap Availability Histogram/Max", "row_remapper_histogram_max", &G::banks_max},
    {"remapped_rows.histogram.high", "Bank Remap Availability Histogram/High", "row_remapper_histogram_high", &G::banks_high},
    {"remapped_rows.histogram.partial", "Bank Remap Availability Histogram/Partial", "row_remapper_histogram_partial", &G::banks_partial},
    {"remapped_rows.histogram.low", "Bank Remap Availability Histogram/Low", "row_remapper_histogram_low", &G::banks_low},
    {"remapped_rows.histogram.none", "Bank Remap Availability Histogram/None", "row_remapper_histogram_none", &G::banks_none},
    {"retired_pages.single_bit_ecc.count", "Single Bit ECC", "multiple_single_bit_retirement/retired_count", &G::retired_single_bit},
    {"retired_pages.sbe", "", "single_bit_retirement/retired_count", &G::retired_single_bit},
    {"retired_pages.double_bit.count", "Double Bit ECC", "double_bit_retirement/retired_count", &G::retired_double_bit},
    {"retired_pages.dbe", "", "", &G::retired_double_bit},
    {"retired_pages.pending", "Pending Page Blacklist", "pending_blacklist", &G::retirement_pending},
    {"", "Retired Pages/Pending", "pending_retirement", &G::retirement_pending},
    {"gpu_recovery_action", "GPU Recovery Action", "gpu_recovery_action", &G::recovery_action},
    {"reset_status.reset_required", "Reset Required", "reset_required", &G::reset_required},
    {"reset_status.drain_and_reset_recommended", "Drain and Reset Recommended", "drain_and_reset_recommended", &G::drain_and_reset},
    {"clocks_event_reasons.active", "", "", &G::clocks_mask},
    {"clocks_event_reasons.gpu_idle", "Clocks Event Reasons/Idle", "clocks_event_reason_gpu_idle", &G::idle},
    {"clocks_event_reasons.applications_clocks_setting", "Applications Clocks Setting", "clocks_event_reason_applications_clocks_setting", &G::application_clocks},
    {"clocks_event_reasons.sw_power_cap", "SW Power Cap", "clocks_event_reason_sw_power_cap", &G::software_power_cap},
    {"clocks_event_reasons.hw_slowdown", "HW Slowdown", "clocks_event_reason_hw_slowdown", &G::hardware_slowdown},
    {"clocks_event_reasons.hw_thermal_slowdown", "HW Thermal Slowdown", "clocks_event_reason_hw_thermal_slowdown", &G::hardware_thermal_slowdown},
    {"clocks_event_reasons.hw_power_brake_slowdown", "HW Power Brake Slowdown", "clocks_event_reason_hw_power_brake_slowdown", &G::power_brake},
    {"clocks_event_reasons.sw_thermal_slowdown", "SW Thermal Slowdown", "clocks_event_reason_sw_thermal_slowdown", &G::software_thermal_slowdown},
    {"temperature.gpu", "GPU Current Temp", "temperature/gpu_temp", &G::temperature},
    {"", "Temperature/Gpu", "", &G::temperature},
    {"temperature.memory", "Memory Current Temp", "temperature/memory_temp", &G::memory_temperature},
    {"temperature.gpu.tlimit", "GPU T.Limit Temp", "gpu_temp_tlimit", &G::margin},
    {"", "GPU Slowdown T.Limit Temp", "gpu_temp_slow_tlimit_threshold", &G::slowdown_margin},
    {"", "GPU Shutdown T.Limit Temp", "gpu_temp_max_tlimit_threshold", &G::shutdown_margin},
    {"temperature.gpu.slowdown", "GPU Slowdown Temp", "gpu_temp_slow_threshold", &G::slowdown_temperature},
    {"temperature.gpu.shutdown", "GPU Shutdown Temp", "gpu_temp_max_threshold", &G::shutdown_temperature},
    {"temperature.gpu.max", "GPU Max Operating Temp", "gpu_temp_max_gpu_threshold", &G::maximum_temperature},
    {"temperature.memory.max", "Memory Max Operating Temp", "gpu_temp_max_mem_threshold", &G::maximum_memory_temperature},
    {"power.draw", "Power Readings/Power Draw", "power_readings/power_draw", &G::power_draw},
    {"power.draw.instant", "GPU Power Readings/Instantaneous Power Draw", "gpu_power_readings/instant_power_draw", &G::power_draw},
    {"power.draw.average", "GPU Power Readings/Average Power Draw", "gpu_power_readings/average_power_draw", &G::power_draw},
    {"", "GPU Power Readings/Power Draw", "gpu_power_readings/power_draw", &G::power_draw},
    {"enforced.power.limit", "Power Readings/Enforced Power Limit", "power_readings/enforced_power_limit", &G::power_limit},
    {"power.limit", "GPU Power Readings/Current Power Limit", "gpu_power_readings/current_power_limit", &G::power_limit},
    {"power.default_limit", "Power Readings/Default Power Limit", "power_readings/default_power_limit", &G::default_power_limit},
    {"", "GPU Power Readings/Default Power Limit", "gpu_power_readings/default_power_limit", &G::default_power_limit},
    {"pcie.link.gen.current", "PCIe Generation/Current", "current_link_gen", &G::pcie_generation},
    {"pcie.link.gen.gpucurrent", "PCIe Generation/Device Current", "device_current_link_gen", &G::pcie_generation},
    {"pcie.link.gen.max", "PCIe Generation/Max", "max_link_gen", &G::pcie_generation_max},
    {"pcie.link.gen.gpumax", "PCIe Generation/Device Max", "max_device_link_gen", &G::pcie_generation_device_max},
    {"pcie.link.gen.hostmax", "PCIe Generation/Host Max", "max_host_link_gen", &G::pcie_generation_host_max},
    {"pcie.link.width.current", "Link Width/Current", "current_link_width", &G::pcie_width},
    {"pcie.link.width.max", "Link Width/Max", "max_link_width", &G::pcie_width_max},
    {"pcie.replays", "Replays Since Reset", "replay_counter", &G::pcie_replays},
    {"", "Replay Number Rollovers", "replay_rollover_counter", &G::pcie_replay_rollovers},
    {"fabric.state", "Fabric/State", "fabric/state", &G::fabric_state},
    {"fabric.status", "Fabric/Status", "fabric/status", &G::fabric_status},
    {"fabric.health.summary", "Health/Summary", "fabric/health/summary", &G::fabric_health},
    {"fabric.health.bandwidth", "Health/Bandwidth", "fabric/health/bandwidth", &G::fabric_bandwidth},
    {"fabric.health.route_unhealthy", "Health/Route Unhealthy", "fabric/health/route_unhealthy", &G::fabric_route_unhealthy},
    {"fabric.health.incorrect_configuration", "Health/Incorrect Configuration", "fabric/health/incorrect_configuration", &G::fabric_incorrect_configuration},
    {"memory.total", "FB Memory Usage/Total", "gpu/fb_memory_usage/total", &G::memory_total_bytes},
    {"memory.used", "FB Memory Usage/Used", "gpu/fb_memory_usage/used", &G::memory_used_bytes},
    {"utilization.gpu", "Utilization/Gpu", "utilization/gpu_util", &G::utilization_percent},
    {"utilization.memory", "", "", &G::memory_utilization_percent},
    {"compute_cap", "", "", &G::compute_capability},
    {"minor_number", "", "", &G::minor_number},
    {"board_part_number", "", "", &G::part_number},
    {"inforom.img", "", "", &G::inforom},
    {"fan.speed", "", "", &G::fan_percent},
    {"power.min_limit", "", "", &G::minimum_power_limit},
    {"power.max_limit", "", "", &G::maximum_power_limit},
    {"total_energy", "", "", &G::energy_j},
    {"clocks.current.sm", "", "", &G::sm_clock_mhz},
    {"clocks.current.memory", "", "", &G::memory_clock_mhz},
    {"clocks.max.sm", "", "", &G::maximum_sm_clock_mhz},
    {"clocks.max.memory", "", "", &G::maximum_memory_clock_mhz},
    {"bar1.total", "", "", &G::bar1_total_bytes},
    {"links", "", "", &G::link_count},
    {"mig", "", "", &G::mig_count},
    {"processes", "", "", &G::process_count},
};
// clang-format on

bool ends_in_path(std::string_view path, std::string_view suffix) {
  if (suffix.empty() || path.size() < suffix.size()) return false;
  const std::size_t at = path.size() - suffix.size();
  if (at > 0 && path[at - 1] != '/') return false;
  return base::equals_ignoring_case(path.substr(at), suffix);
}

std::string_view name_in(const FieldRow& row, SmiLanguage language) {
  if (language == SmiLanguage::Text) return row.text;
  return language == SmiLanguage::Xml ? row.xml : row.query;
}

const FieldRow* find_row(SmiLanguage language, std::string_view path) {
  const FieldRow* best = nullptr;
  for (const FieldRow& row : kRows) {
    const std::string_view name = name_in(row, language);
    const bool hit =
        language == SmiLanguage::Query ? base::equals_ignoring_case(path, name) : ends_in_path(path, name);
    if (!hit || name.empty()) continue;
    if (best == nullptr || name.size() > name_in(*best, language).size()) best = &row;
  }
  return best;
}

/// The names before R535 become today's.
std::string folded_path(std::string_view path) {
  std::string folded =
      base::replace_all(std::string(path), "Clocks Throttle Reasons", "Clocks Event Reasons");
  return base::replace_all(std::move(folded), "clocks_throttle_reason", "clocks_event_reason");
}

/// The counters of the clock reasons share their names with the reasons.
bool is_counter_path(std::string_view path) {
  return base::contains(path, "Reasons Counters/") || base::contains(path, "reasons_counters");
}

std::optional<bool> parse_bool(std::string_view value) {
  for (const char* yes : {"yes", "active", "enabled", "true", "on"})
    if (base::equals_ignoring_case(value, yes)) return true;
  for (const char* no : {"no", "not active", "disabled", "false", "off", "none"})
    if (base::equals_ignoring_case(value, no)) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_count(std::string_view value) {
  const auto parsed = base::parse_number_and_unit(value);
  if (!parsed) return std::nullopt;
  double scale = 1;
  if (parsed->unit == "KiB") scale = 1024.0;
  if (parsed->unit == "MiB" || parsed->unit == "MB") scale = 1024.0 * 1024.0;
  if (parsed->unit == "GiB") scale = 1024.0 * 1024.0 * 1024.0;
  const double number = parsed->number * scale;
  // Whole numbers up to 2^53 survive a double; a counter beyond that is read directly.
  if (const auto whole = base::parse_int(base::trim(value)); whole) return *whole;
  if (!(std::fabs(number) < 9007199254740992.0)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(number));
}

std::string canonical_text(TextMember member, std::string_view value) {
  if (member == &G::pci) {
    const auto address = base::PciAddress::parse(value);
    return address ? address->text() : std::string();
  }
  if (member == &G::device_id) {
    std::string digits = base::lower(value);
    if (digits.rfind("0x", 0) == 0) digits.erase(0, 2);
    return digits.size() == 8 ? digits.substr(0, 4) : std::string();
  }
  return base::printable(value, 200);
}

/// The first reading of a fact stays: "Average" beside "Instantaneous" power, "Current" beside "Device
/// Current" generation.
template <class T>
void put(Field<T>& field, std::optional<T> value, std::int32_t place) {
  if (field.known()) return;
  if (value)
    field = Field<T>(std::move(*value), place);
  else
    field = Absent{AbsentReason::Malformed};
}

void put_member(GpuReport& report, const Member& member, std::string_view value, std::int32_t place) {
  if (const auto* whole = std::get_if<IntMember>(&member)) put(report.*(*whole), parse_count(value), place);
  if (const auto* flag = std::get_if<BoolMember>(&member)) put(report.*(*flag), parse_bool(value), place);
  if (const auto* text = std::get_if<TextMember>(&member)) {
    std::string canonical = canonical_text(*text, value);
    put(report.*(*text), canonical.empty() ? std::nullopt : std::optional<std::string>(std::move(canonical)),
        place);
  }
  const auto number = base::parse_number_and_unit(value);
  if (const auto* celsius = std::get_if<CelsiusMember>(&member))
    put(report.*(*celsius),
        number ? std::optional<base::Celsius>(base::Celsius(number->number)) : std::nullopt, place);
  if (const auto* watts = std::get_if<WattsMember>(&member))
    put(report.*(*watts), number ? std::optional<base::Watts>(base::Watts(number->number)) : std::nullopt,
        place);
}

void put_absent(GpuReport& report, const Member& member, AbsentReason reason, std::int32_t place) {
  std::visit(
      [&report, reason, place](auto pointer) {
        if (!(report.*pointer).known()) report.*pointer = {Absent{reason}, place};
      },
      member);
}

AbsentReason reason_of(SmiAbsence absence) {
  if (absence == SmiAbsence::Denied) return AbsentReason::Denied;
  if (absence == SmiAbsence::Unreadable) return AbsentReason::Malformed;
  const bool waited = absence == SmiAbsence::TimedOut || absence == SmiAbsence::NotRead;
  return waited ? AbsentReason::TimedOut : AbsentReason::Unsupported;
}

}  // namespace

namespace {

/// Further reasons why there is no value: errors of NVML in words, as src/host/nvml_words.h has them. What
/// names no fault (no data, another version of the call) is merely not there.
SmiAbsence absence_in_brackets(std::string_view text) {
  for (const char* broken :
       {"Uninitialized", "Timeout", "Interrupt Request Issue", "Driver Not Loaded", "Corrupted infoROM",
        "Driver/library version mismatch", "In use by another client", "Insufficient Memory",
        "Insufficient resources", "Insufficient External Power", "GPU not found",
        "NVML Shared Library Not Found", "the call ended the process", "the worker told too much"})
    if (base::equals_ignoring_case(text, broken)) return SmiAbsence::Unreadable;
  return SmiAbsence::NotAvailable;
}

}  // namespace

SmiAbsence absence_of(std::string_view value) {
  std::string_view text = base::trim(value);
  const bool bracketed = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  for (const char* missing : {"N/A", "Not Supported", "Not Found", "-",
                              "Requested functionality has been deprecated", "Deprecated"})
    if (base::equals_ignoring_case(text, missing)) return SmiAbsence::NotAvailable;
  if (text.empty()) return SmiAbsence::NotAvailable;
  for (const char* denied : {"Insufficient Permissions", "No Permission"})
    if (base::equals_ignoring_case(text, denied)) return SmiAbsence::Denied;
  if (text.starts_with("no answer after ")) return SmiAbsence::TimedOut;
  if (text.starts_with("asked by another look")) return SmiAbsence::NotRead;
  for (const char* broken : {"Unknown Error", "ERR!", "Error", "GPU requires reset", "GPU is lost",
                             "GPU access blocked by the operating system"})
    if (base::equals_ignoring_case(text, broken)) return SmiAbsence::Unreadable;
  return bracketed ? absence_in_brackets(text) : SmiAbsence::None;
}

GpuReport new_gpu_report(const char* format, const BlockContext& context) {
  GpuReport report;
  report.format = format;
  report.input = context.input;
  report.block_line = context.first_line;
  return report;
}

bool knows_gpu_path(SmiLanguage language, std::string_view path) {
  const std::string folded = folded_path(path);
  return !is_counter_path(folded) && find_row(language, folded) != nullptr;
}

bool assign_gpu_value(GpuReport& report, SmiLanguage language, const SmiValue& value) {
  const std::string path = folded_path(value.path);
  if (is_counter_path(path)) return false;
  const FieldRow* row = find_row(language, path);
  if (row == nullptr) return false;
  const std::string_view text = base::trim(value.value);
  const SmiAbsence absence = absence_of(text);
  const BlockContext context{report.input, value.line};
  if (report.lines.size() < 512) report.lines.push_back(evidence_of(context, value.line, value.line_text));
  const auto place = static_cast<std::int32_t>(report.lines.size());
  if (absence == SmiAbsence::Unreadable || absence == SmiAbsence::TimedOut) {
    put_absent(report, row->member, reason_of(absence), place);
    if (report.unreadable.size() < 64) {
      model::UnreadableCell cell;
      cell.field = name_in(*row, language);
      cell.text = base::printable(text, 80);
      cell.evidence = evidence_of(context, value.line, value.line_text);
      report.unreadable.push_back(std::move(cell));
    }
    return true;
  }
  if (absence != SmiAbsence::None) {
    put_absent(report, row->member, reason_of(absence), place);
    return true;
  }
  put_member(report, row->member, text, place);
  return true;
}

void derive_gpu_fields(GpuReport& report) {
  if (!report.clocks_mask.known()) return;
  const auto mask = base::parse_hex(report.clocks_mask.value());
  if (!mask) return;
  // Source: nvml.h, nvmlClocksEventReason*.
  const std::array<std::pair<std::uint64_t, BoolMember>, 7> bits = {{{0x1, &G::idle},
                                                                     {0x2, &G::application_clocks},
                                                                     {0x4, &G::software_power_cap},
                                                                     {0x8, &G::hardware_slowdown},
                                                                     {0x20, &G::software_thermal_slowdown},
                                                                     {0x40, &G::hardware_thermal_slowdown},
                                                                     {0x80, &G::power_brake}}};
  for (const auto& bit : bits) {
    Field<bool>& field = report.*(bit.second);
    if (!field.known()) field = Field<bool>((*mask & bit.first) != 0, report.clocks_mask.provenance());
  }
}

}  // namespace gpuwright::parse
