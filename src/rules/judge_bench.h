// Measured bandwidth against what machines of the kind give.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

#include <vector>

namespace gpuwright::rules {

/// bench.busbw_low or bench.host_copy_low where a row of data/bench_expectations.csv fits the test, the GPU
/// model, ranks, nodes and message size, and the reading is more than a tenth below it. No row: no verdict.
std::vector<model::Event> judge_bench(const model::Observations& observations,
                                      const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
