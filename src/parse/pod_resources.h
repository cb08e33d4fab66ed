// Which container of which pod was given which GPU, as kubelet tells it (v1.PodResourcesLister, List): the
// devices of device plugins, and those of claims (dynamic resource allocation). The ids of devices are the
// plugin's own; those of NVIDIA's and GKE's plugins are understood.
// Source: k8s.io/kubelet/pkg/apis/podresources/v1/api.proto; NVIDIA/k8s-device-plugin; GoogleCloudPlatform/
// container-engine-accelerators; NVIDIA/k8s-dra-driver-gpu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

/// A GPU or a part of one, as the orchestrator names it: by UUID, or by number.
struct GivenDevice {
  std::string uuid;         ///< "GPU-...", "MIG-..."; empty where it is named otherwise
  std::int64_t index = -1;  ///< of /dev/nvidiaN
  std::int64_t gpu_instance = -1;
  std::int64_t compute_instance = -1;
  std::int64_t vgpu = -1;     ///< a share of it (GKE)
  std::int64_t replica = -1;  ///< a share of it (time-slicing, MPS)
  std::string pool, device;   ///< of a claim: its names there
  bool operator==(const GivenDevice&) const = default;
};

struct GivenContainer {
  std::string pod_namespace, pod, container;
  std::vector<GivenDevice> devices;
};

/// A device's id: "GPU-<uuid>", "MIG-<uuid>", "MIG-GPU-<uuid>/1/0", any of them with "::2" behind, "nvidia0",
/// "nvidia0/gi3", "nvidia0/vgpu1", "nvidia0/gi3/vgpu1". False for another.
bool read_device_id(std::string_view id, GivenDevice& device);

/// Containers that were given a GPU. A resource is one of GPUs when its ids are, whatever a site calls it.
/// Malformed where the message is none. At most 4096 containers and 256 devices of each are kept.
base::Result<std::vector<GivenContainer>> read_pod_resources(std::string_view message);

}  // namespace gpuwright::parse
