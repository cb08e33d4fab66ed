// What DCGM says: passive health, active diagnostics, discovery and single values of fields. DCGM keeps only
// the last value of some fields and checks only what it was told to watch, so "Healthy" is an opinion to be
// shown beside others, not a proof.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

enum class DcgmKind { Health, Diagnostic, ErrorCode, Discovery };
enum class DcgmVerdict { Pass, Warn, Fail, Skip, Unknown };

struct DcgmResult {
  DcgmKind kind = DcgmKind::Health;
  DcgmVerdict verdict = DcgmVerdict::Unknown;
  Field<std::int64_t> gpu;  ///< DCGM's GPU id, which follows the NVML index
  Field<std::string> pci;
  std::string subject;  ///< health system or test name: "NVLINK system", "PCIe", "Overall Health"
  std::string code;     ///< "DCGM_FR_IMEX_UNHEALTHY", where told
  std::string message;
  std::string signal;  ///< what the message means ("dcgm.nvlink_down"); empty for a pass
  std::string input;
  std::vector<Evidence> evidence;
};

}  // namespace gpuwright::model
