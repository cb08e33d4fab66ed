// The list of counters of a dcgm-exporter: "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock frequency (in MHz).", with
// comments behind '#'. Source: NVIDIA/dcgm-exporter, etc/default-counters.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

struct DcgmCounter {
  std::string name;
  std::string type;  ///< gauge, counter, histogram, summary, label
  std::string help;
  std::int64_t line = 0;
};

/// Malformed with `name:line` for a line of fewer than three parts, a name that is no metric's, a type that
/// there is not, or a counter that stands twice.
base::Result<std::vector<DcgmCounter>> parse_dcgm_counters(std::string_view text, const std::string& name);

}  // namespace gpuwright::parse
