// Kubernetes names a process's pod in its control group. Source: Kubernetes documentation (cgroup drivers).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuwright::base {

/// The pod's uid in the path of a control group: "...-pod3f1c2a5e_77aa_....slice" (systemd) or
/// "/kubepods/besteffort/pod3f1c2a5e-77aa-.../"; empty for what is no pod's.
std::string pod_uid_of(std::string_view control_group);

}  // namespace gpuwright::base
