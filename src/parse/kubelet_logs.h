// Names of the folders and links that kubelet makes for the logs of what runs: who may read nothing but names
// learns from them which pod a container id or a pod's UID belongs to, without asking the API server.
// Source: Kubernetes, pkg/kubelet/kuberuntime/legacy.go (links in /var/log/containers) and helpers.go
// (folders in /var/log/pods).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::parse {

struct PodLogName {
  std::string pod_namespace, pod;
  std::string container;     ///< its name; of links
  std::string container_id;  ///< of links
  std::string pod_uid;       ///< of folders
};

/// "POD_NAMESPACE_CONTAINER-<64 hex>.log", of a link in /var/log/containers.
std::optional<PodLogName> read_container_log_name(std::string_view name);
/// "NAMESPACE_POD_UID", of a folder in /var/log/pods.
std::optional<PodLogName> read_pod_log_name(std::string_view name);

}  // namespace gpuwright::parse
