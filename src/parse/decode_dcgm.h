// DCGM in single lines: error codes in logs and alerts, and values of its fields in exporter output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/decoder.h"

namespace gpuwright::parse {

/// "ErrorCode:DCGM_FR_IMEX_UNHEALTHY GPU:0 ...": raises `dcgm.*` on the GPU the line names.
extern const Decoder kDcgmCodeDecoder;

/// "DCGM_FI_DEV_XID_ERRORS{gpu=\"1\"} 79", "field 230 last Xid on GPU 1: 120": raises what the value means;
/// nothing for a good value.
extern const Decoder kDcgmFieldDecoder;

}  // namespace gpuwright::parse
