// The parsers of what tells the state of the driver stack: DKMS, the loaded modules, modinfo, package lists
// and the container engine. Their facts become context events that rules/judge_driver.cpp compares. Each is a
// Format of all_formats.cpp; the ids stand in data/formats.yaml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// Names under which DKMS holds the driver: "nvidia", "nvidia-open", "nvidia-srv" (Ubuntu), "nvidia-current"
/// (Debian). "nvidia-fs" is another module.
bool is_nvidia_module_source(std::string_view name);

/// `dkms status`, old spelling and new. One `driver.dkms_entry` {version, kernel, state} for each NVIDIA row.
bool parse_dkms_status(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                       model::Observations& out);

/// `lsmod` and `/proc/modules`. One `driver.kernel_module` {module, used_by} for each module that matters.
bool parse_lsmod(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                 model::Observations& out);

/// `modinfo nvidia`. One `driver.module_file` {version, flavour, kernel, signer}.
bool parse_modinfo(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                   model::Observations& out);

/// NVIDIA rows of `dpkg -l` and `rpm -qa`. One `driver.package` {package, version, state} each.
bool parse_packages(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                    model::Observations& out);

/// `docker info`. One `container.runtimes` {runtimes, nvidia}; `container.snap_docker` where it comes from
/// snap.
bool parse_docker_info(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                       model::Observations& out);

/// `kubectl describe pod|node` and `kubectl get pod|node -o yaml|json`. `k8s.pod_resources` {gpus,
/// cpu_request, cpu_limit} for each pod with a GPU, `k8s.node_resources` {capacity, allocatable, expected}
/// for each node, and the node's bad conditions (`k8s.node_not_ready`, `k8s.evicted`).
bool parse_kubectl(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                   model::Observations& out);

}  // namespace gpuwright::parse
