// Parsers of bandwidth tests and of `ulimit -l`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// The table of all_reduce_perf and its siblings: one BenchReport from the largest message.
bool parse_nccl_tests(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                      model::Observations& out);

/// The matrices of nvbandwidth: one BenchReport for each test that copies between host and GPU.
bool parse_nvbandwidth(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                       model::Observations& out);

/// The tables of ib_write_bw and its siblings: one BenchReport for each run.
bool parse_perftest(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                    model::Observations& out);

/// The answer to `ulimit -l` on the next line, as a context event nccl.memlock_limit.
bool parse_ulimit(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                  model::Observations& out);

}  // namespace gpuwright::parse
