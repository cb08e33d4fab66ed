// Every entry point that the library exports: those of host/nvml_calls.h, the older names under which
// programs still look for them, a few that only other monitors ask for, and our own mark. Nothing else is
// visible.
//
// Source: NVML API reference, https://docs.nvidia.com/deploy/nvml-api/; the older names in
// tests/data/nvml/abi.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma GCC visibility push(default)
#include "host/nvml_calls.h"
#include "host/nvml_legacy.h"

extern "C" {
/// The scenario that this simulated library plays; a real library has no such symbol.
const char* gpuwright_fakegpu_scenario(void);
}
#pragma GCC visibility pop
