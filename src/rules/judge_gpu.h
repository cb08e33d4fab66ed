// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

namespace gpuwright::rules {

/// State of single GPUs as nvidia-smi shows it: memory errors and repairs, clocks, temperature, PCIe link,
/// fabric, recovery action, unreadable values, GPUs that are missing from one list. Raises `gpu.*` and
/// `smi.*`.
std::vector<model::Event> judge_gpus(const model::Observations& observations,
                                     const catalog::Catalog& catalog);

/// NVLinks and the topology matrix. Raises `nvlink.*` and `gpu.*`.
std::vector<model::Event> judge_links(const model::Observations& observations,
                                      const catalog::Catalog& catalog);

/// DCGM's health and diagnostics. Raises `dcgm.*`, and the Xid it names.
std::vector<model::Event> judge_dcgm(const model::Observations& observations,
                                     const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
