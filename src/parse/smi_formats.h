// The parsers of what nvidia-smi, dcgmi and the driver's /proc files print. Each is a Format of
// all_formats.cpp; the ids stand in data/formats.yaml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// `nvidia-smi -q`: whole logs, single GPUs, and bare sections without any head.
bool parse_smi_query_text(std::string_view block, const BlockContext& context,
                          const catalog::Catalog& catalog, model::Observations& out);

/// `nvidia-smi -q -x`: DTD v6 to v13, fragments, and documents that end in the middle.
bool parse_smi_query_xml(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                         model::Observations& out);

/// What gpuwright itself was told by NVML (host/nvml_worker.h): one "key: value  [call]" a line, keys as in
/// --query-gpu.
bool parse_nvml_answers(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);

/// The default table of `nvidia-smi`, with MIG devices and processes.
bool parse_smi_table(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                     model::Observations& out);

/// `nvidia-smi -L` and `nvidia-smi nvlink -s | -e | -R`: the head lines are the same.
bool parse_smi_list(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                    model::Observations& out);

/// `nvidia-smi --query-gpu=... --format=csv`, with its header line or with the command line shown above the
/// values.
bool parse_smi_csv(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                   model::Observations& out);

/// `nvidia-smi topo -m`.
bool parse_smi_topology(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);

/// `dcgmi health -c`.
bool parse_dcgmi_health(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);

/// `dcgmi diag -r N`, as a table.
bool parse_dcgmi_diag(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                      model::Observations& out);

/// `dcgmi diag -r N -j` and `dcgmi health -c -j`.
bool parse_dcgmi_json(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                      model::Observations& out);

/// `dcgmi nvlink -s` (letters) and `dcgmi nvlink -e` (counters).
bool parse_dcgmi_nvlink(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);

/// `dcgmi discovery -l`.
bool parse_dcgmi_discovery(std::string_view block, const BlockContext& context,
                           const catalog::Catalog& catalog, model::Observations& out);

/// `/proc/driver/nvidia/gpus/*/information`.
bool parse_proc_gpu_information(std::string_view block, const BlockContext& context,
                                const catalog::Catalog& catalog, model::Observations& out);

}  // namespace gpuwright::parse
