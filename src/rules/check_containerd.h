// Checks of containerd's configuration and of what the kubelet expects of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// containerd reads what was written for it. Source: containerd documentation of config versions and imports.
model::Verdict check_containerd_config(Look look, const Situation& situation);
/// kubelet and container runtime use one cgroup driver. Source: Kubernetes documentation, container runtimes.
model::Verdict check_cgroup_drivers(Look look, const Situation& situation);

}  // namespace gpuwright::rules
