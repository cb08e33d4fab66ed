// Reads an Xid line of the NVIDIA kernel driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/decoder.h"

namespace gpuwright::parse {

/// Raises `xid.N` on the GPU (on the link where the line names one), with the table's action and what the
/// tail says as parameters.
extern const Decoder kXidDecoder;

}  // namespace gpuwright::parse
