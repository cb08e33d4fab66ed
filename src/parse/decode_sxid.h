// Reads an SXid line of the NVSwitch driver, or Fabric Manager's report of the same error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/decoder.h"

namespace gpuwright::parse {

/// Raises `sxid.N` on the switch. One error prints up to three lines (severity word, "Severity N Engine
/// instance", "Data {...}"), and Fabric Manager prints a fourth. They fold into one event per switch and
/// number; the two companion lines are context, so that one error counts once.
extern const Decoder kSxidDecoder;

}  // namespace gpuwright::parse
