// Pods and nodes as kubectl prints them for people: YAML, JSON, tables, `describe`, and what a program inside
// a pod said. Source: Kubernetes API v1 (Pod, Node), kubernetes/kubectl (printers, describe).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/probe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::facts {

/// What one command told of one pod. Empty texts and absent numbers were not told.
struct TypedPod {
  std::string place, uid, name_space, name, owner, waiting, image;
  std::optional<std::int64_t> gpus;         ///< limits of nvidia.com/..., where its specification was shown
  std::string visible_devices;              ///< NVIDIA_VISIBLE_DEVICES
  std::vector<std::string> access;          ///< "privileged", "hostPath /dev"
  std::optional<bool> host_users;           ///< spec.hostUsers
  std::optional<std::int64_t> gpus_inside;  ///< that nvidia-smi lists in it
};

/// What one command told of one node.
struct TypedNode {
  std::string place, name, upgrade_state, upgrade_time;
};

/// Nothing on a live machine, or in a capture.
std::vector<TypedPod> typed_pods(Probe& probe);
std::vector<TypedNode> typed_nodes(Probe& probe);

/// `kubectl exec -n ml web-0 -- nvidia-smi -L` in the form of spoken_name: who was looked into, and what ran
/// there. Likewise of docker, podman, nerdctl and crictl. Empty where the name is none such.
struct TypedExec {
  std::string target, name_space, command;
};
std::optional<TypedExec> typed_exec(std::string_view name);

}  // namespace gpuwright::facts
