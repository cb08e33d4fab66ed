// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

namespace gpuwright::rules {

/// State of single GPUs as nvidia-smi shows it: memory errors and repairs, clocks, temperature, PCIe link,
/// fabric, recovery action, unreadable values, GPUs that are missing from one list. Raises `gpu.*` and
/// `smi.*`.
extern const Judge kGpuJudge;

/// NVLinks and the topology matrix. Raises `nvlink.*` and `gpu.*`.
extern const Judge kLinksJudge;

/// DCGM's health and diagnostics. Raises `dcgm.*`, and the Xid it names.
extern const Judge kDcgmJudge;

}  // namespace gpuwright::rules
