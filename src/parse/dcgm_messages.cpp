// Source: DCGM, dcgm_errors.h (versions 2.4 to 4.7): codes and the fixed words of their messages.
// SPDX-License-Identifier: Apache-2.0
#include "parse/dcgm_messages.h"

#include "base/text.h"

#include <utility>

namespace gpuwright::parse {
namespace {

struct CodeRow {
  const char* code;      ///< without DCGM_FR_
  const char* fragment;  ///< fixed words of the message; "" when there are none of its own
  const char* signal;
};

// The first row whose words occur wins: the more special sentence stands first.
constexpr CodeRow kRows[] = {
    {"IMEX_UNHEALTHY", "IMEX daemon status", "dcgm.imex_unhealthy"},
    {"IMEX_UNHEALTHY", "IMEX domain status", "dcgm.imex_unhealthy"},
    {"NVLINK_DOWN", "is currently down", "dcgm.nvlink_down"},
    {"GPU_EXPECTED_NVLINKS_UP", "NvLinks are up out of the expected", "dcgm.nvlink_down"},
    {"NVSWITCH_EXPECTED_NVLINKS_UP", "", "dcgm.nvlink_down"},
    {"NVLINK_ERROR_THRESHOLD", "NvLink errors on GPU", "dcgm.nvlink_errors"},
    {"NVLINK_CRC_ERROR_THRESHOLD", "NvLink errors found", "dcgm.nvlink_errors"},
    {"NVLINK_ERROR_CRITICAL", "", "dcgm.nvlink_errors"},
    {"NVLINK_EFFECTIVE_BER_THRESHOLD", "effective BER", "dcgm.nvlink_errors"},
    {"NVLINK_SYMBOL_BER_THRESHOLD", "symbol BER", "dcgm.nvlink_errors"},
    {"NVSWITCH_FATAL_ERROR", "fatal errors on NvSwitch", "dcgm.nvswitch_fatal"},
    {"SXID_ERROR", "fatal NvSwitch SXID", "dcgm.nvswitch_fatal"},
    {"NVSWITCH_NON_FATAL_ERROR", "nonfatal errors on NvSwitch", "dcgm.nvswitch_nonfatal"},
    {"ROW_REMAP_FAILURE", "row remapping failed", "dcgm.remap_failed"},
    {"PENDING_ROW_REMAP", "row remappings are pending", "dcgm.remap_pending"},
    {"PENDING_ROW_REMAP", "pending row remapping", "dcgm.remap_pending"},
    {"UNCORRECTABLE_ROW_REMAP", "rows were remapped", "dcgm.row_remapped"},
    {"UNCONTAINED_ERROR", "uncontained error", "dcgm.uncontained"},
    {"DBE_PENDING_PAGE_RETIREMENTS", "Pending page retirements", "dcgm.pages_pending"},
    {"PENDING_PAGE_RETIREMENTS", "pending retired page", "dcgm.pages_pending"},
    {"RETIRED_PAGES_DBE_LIMIT", "retired pages due to DBEs", "dcgm.pages_limit"},
    {"RETIRED_PAGES_LIMIT", "or more retired pages", "dcgm.pages_limit"},
    {"VOLATILE_DBE_DETECTED", "volatile double-bit ECC", "dcgm.ecc_uncorrected"},
    {"CUDA_DBE", "double-bit ECC error has", "dcgm.ecc_uncorrected"},
    {"DBE_VIOLATION", "", "dcgm.ecc_uncorrected"},
    {"DBE_THRESHOLD_VIOLATION", "", "dcgm.ecc_uncorrected"},
    {"VOLATILE_SBE_DETECTED", "single-bit ECC error", "dcgm.ecc_corrected"},
    {"SBE_VIOLATION", "", "dcgm.ecc_corrected"},
    {"SBE_THRESHOLD_VIOLATION", "", "dcgm.ecc_corrected"},
    {"FAULTY_MEMORY", "faulty memory elements", "dcgm.faulty_memory"},
    {"MEMORY_MISMATCH", "memory mismatch was detected", "dcgm.faulty_memory"},
    {"L1TAG_MISCOMPARE", "miscompare failure in the L1", "dcgm.faulty_memory"},
    {"SRAM_THRESHOLD", "SRAM threshold", "dcgm.sram_threshold"},
    {"CORRUPT_INFOROM", "corrupt InfoROM", "dcgm.inforom"},
    {"CLOCK_THROTTLE_THERMAL", "due to thermal violation", "dcgm.thermal"},
    {"CLOCKS_EVENT_THERMAL", "thermal violation", "dcgm.thermal"},
    {"THERMAL_VIOLATIONS", "hermal violations totaling", "dcgm.thermal"},
    {"THERMAL_VIOLATIONS_TS", "", "dcgm.thermal"},
    {"TEMP_VIOLATION", "maximum allowed temperature", "dcgm.thermal"},
    {"CLOCK_THROTTLE_POWER", "due to power violation", "dcgm.power_throttle"},
    {"CLOCKS_EVENT_POWER", "power violation", "dcgm.power_throttle"},
    {"THROTTLING_VIOLATION", "Clocks are being throttled", "dcgm.clocks_throttled"},
    {"PCI_REPLAY_RATE", "PCIe replays per minute", "dcgm.pcie_replays"},
    {"PCIE_REPLAY_VIOLATION", "PCIe replay violation", "dcgm.pcie_replays"},
    {"PCIE_H_REPLAY_VIOLATION", "", "dcgm.pcie_replays"},
    {"PCIE_REPLAY_THRESHOLD_VIOLATION", "", "dcgm.pcie_replays"},
    {"PCIE_GENERATION", "running at PCI link generation", "dcgm.pcie_link"},
    {"PCIE_WIDTH", "running at PCI link width", "dcgm.pcie_link"},
    {"FABRIC_PROBE_STATE", "abric probe state", "dcgm.fabric_not_ready"},
    {"FABRIC_MANAGER_TRAINING_ERROR", "abric manager", "dcgm.fabric_not_ready"},
    {"CUDA_FM_NOT_INITIALIZED", "", "dcgm.fabric_not_ready"},
    {"GPU_RECOVERY_RESET", "requires a reset to recover", "dcgm.recovery_action"},
    {"GPU_RECOVERY_REBOOT", "ecovery action:", "dcgm.recovery_action"},
    {"GPU_RECOVERY_DRAIN_P2P", "", "dcgm.recovery_action"},
    {"GPU_RECOVERY_DRAIN_RESET", "", "dcgm.recovery_action"},
    {"XID_ERROR", "Detected XID", "dcgm.xid"},
    {"DEVICE_COUNT_MISMATCH", "number of devices NVML returns", "dcgm.device_count"},
    {"CUDA_API", "CUDA API", "dcgm.cuda_error"},
    {"CUDA_UNBOUND", "", "dcgm.cuda_error"},
    {"DENYLISTED_DRIVER", "driver on the denylist", "dcgm.environment"},
    {"PERSISTENCE_MODE", "Persistence mode for GPU", "dcgm.environment"},
    {"BAD_CUDA_ENV", "performance-limiting environment variable", "dcgm.environment"},
    {"GRAPHICS_PROCESSES", "graphics contexts open", "dcgm.environment"},
    {"CANNOT_OPEN_LIB", "Cannot open library", "dcgm.environment"},
    {"NO_ACCESS_TO_FILE", "could not be accessed directly", "dcgm.environment"},
    {"ECC_DISABLED", "ECC is not enabled on GPU", "dcgm.environment"},
    {"LOW_BANDWIDTH", "minimum required bandwidth", "dcgm.performance"},
    {"HIGH_LATENCY", "maximum allowed latency", "dcgm.performance"},
    {"STRESS_LEVEL", "desired stress level", "dcgm.performance"},
    {"TARGET_POWER", "desired power minimum", "dcgm.performance"},
    {"MEMORY_BANDWIDTH", "only achieved a memory bandwidth", "dcgm.performance"},
    {"ENFORCED_POWER_LIMIT", "Enforced power limit on GPU", "dcgm.performance"},
};

/// The decimal number that begins at `at`, after one optional separator.
std::optional<std::int64_t> number_at(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == ' ' || text[at] == ':')) ++at;
  if (at < text.size() && text[at] == ' ') ++at;
  std::size_t end = at;
  while (end < text.size() && end - at < 9 && text[end] >= '0' && text[end] <= '9') ++end;
  return base::parse_int(text.substr(at, end - at));
}

}  // namespace

std::string dcgm_signal_of_code(std::string_view code) {
  constexpr std::string_view prefix = "DCGM_FR_";
  if (code.substr(0, prefix.size()) == prefix) code.remove_prefix(prefix.size());
  for (const CodeRow& row : kRows)
    if (code == row.code) return row.signal;
  return "dcgm.failure";
}

std::string dcgm_signal_of_message(std::string_view message) {
  const std::size_t code = message.find("DCGM_FR_");
  if (code != std::string_view::npos) {
    std::size_t end = code + 8;
    while (end < message.size() && ((message[end] >= 'A' && message[end] <= 'Z') || message[end] == '_'))
      ++end;
    return dcgm_signal_of_code(message.substr(code, end - code));
  }
  for (const CodeRow& row : kRows)
    if (row.fragment[0] != '\0' && base::contains(message, row.fragment)) return row.signal;
  return {};
}

std::optional<std::int64_t> dcgm_gpu_of_message(std::string_view message) {
  for (std::size_t at = message.find("GPU"); at != std::string_view::npos; at = message.find("GPU", at + 3))
    if (const auto number = number_at(message, at + 3)) return number;
  return std::nullopt;
}

std::optional<std::int64_t> dcgm_xid_of_message(std::string_view message) {
  const std::string low = base::lower(message);
  const std::size_t at = low.find("xid");
  if (at == std::string::npos) return std::nullopt;
  if (const auto direct = number_at(low, at + 3)) return direct;
  // "last Xid on GPU 1: 120"
  const std::size_t colon = low.find(": ", at);
  return colon == std::string::npos ? std::nullopt : number_at(low, colon + 1);
}

bool add_dcgm_results(std::vector<model::DcgmResult>& results, model::Observations& out) {
  for (model::DcgmResult& result : results) {
    const bool bad = result.verdict == model::DcgmVerdict::Fail || result.verdict == model::DcgmVerdict::Warn;
    if (bad && result.signal.empty()) result.signal = dcgm_signal_of_message(result.message);
    if (bad && !result.gpu.known())
      if (const auto gpu = dcgm_gpu_of_message(result.message)) result.gpu = model::Field<std::int64_t>(*gpu);
    out.dcgm.push_back(std::move(result));
  }
  return !results.empty();
}

}  // namespace gpuwright::parse
