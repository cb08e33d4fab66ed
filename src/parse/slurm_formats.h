// Parsers of Slurm's tables and records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// `sinfo`, `sinfo -N`, `sinfo -N -l`, `sinfo -R`, `sinfo -R -l`: adds to `out.slurm_nodes`.
bool parse_sinfo(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                 model::Observations& out);
/// `scontrol show node`: adds to `out.slurm_nodes`.
bool parse_scontrol_node(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                         model::Observations& out);
/// `scontrol show job`: adds to `out.slurm_jobs`.
bool parse_scontrol_job(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);
/// `squeue`, `squeue -l`: adds to `out.slurm_jobs`.
bool parse_squeue(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                  model::Observations& out);
/// `sacct`, `sacct -P`: adds the jobs, not their steps, to `out.slurm_jobs`.
bool parse_sacct(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                 model::Observations& out);

}  // namespace gpuwright::parse
