// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/given.h"

#include <algorithm>

namespace gpuwright::watch {

namespace {

using model::GpuState;
using model::GpuUser;
using model::MigPart;
using parse::GivenContainer;
using parse::GivenDevice;

/// Whether the device is this GPU or a part of it; which part: -1 for the whole.
bool is_of(const GivenDevice& device, const GpuState& gpu, std::int64_t& part) {
  part = device.gpu_instance;
  if (device.uuid.empty()) return device.index >= 0 && device.index == gpu.identity.minor;
  if (device.uuid == gpu.identity.uuid) return true;
  for (const MigPart& one : gpu.identity.parts) {
    if (one.uuid != device.uuid) continue;
    part = static_cast<std::int64_t>(one.gpu_instance);
    return true;
  }
  return false;
}

GpuUser user_of(const GivenContainer& container, const GivenDevice& device, std::int64_t part) {
  GpuUser user;
  user.pod = container.pod;
  user.pod_namespace = container.pod_namespace;
  user.pod_container = container.container;
  user.gpu_instance = part;
  user.shared = device.replica >= 0 || device.vgpu >= 0;
  return user;
}

bool is_same(const GpuUser& a, const GpuUser& b) {
  return a.pod == b.pod && a.pod_namespace == b.pod_namespace && a.pod_container == b.pod_container &&
         a.gpu_instance == b.gpu_instance;
}

}  // namespace

void join_given(const std::vector<GivenContainer>& all, GpuState& gpu) {
  constexpr std::size_t kMost = 64;
  gpu.given.clear();
  for (const GivenContainer& container : all) {
    for (const GivenDevice& device : container.devices) {
      std::int64_t part = -1;
      if (!is_of(device, gpu, part) || gpu.given.size() >= kMost) continue;
      const GpuUser user = user_of(container, device, part);
      const bool known = std::any_of(gpu.given.begin(), gpu.given.end(),
                                     [&user](const GpuUser& one) { return is_same(one, user); });
      if (!known) gpu.given.push_back(user);
    }
  }
  for (GpuUser& user : gpu.users) {
    const GpuUser* only = nullptr;
    std::size_t fit = 0;
    for (const GpuUser& given : gpu.given) {
      const bool same_part =
          given.gpu_instance < 0 || user.gpu_instance < 0 || given.gpu_instance == user.gpu_instance;
      const bool same_pod =
          user.pod.empty() || (user.pod == given.pod && user.pod_namespace == given.pod_namespace &&
                               (user.pod_container.empty() || user.pod_container == given.pod_container));
      if (!same_part || !same_pod) continue;
      ++fit;
      only = &given;
    }
    if (user.pod_uid.empty() || fit != 1) continue;
    user.pod = only->pod;
    user.pod_namespace = only->pod_namespace;
    user.pod_container = only->pod_container;
    user.shared = only->shared;
  }
}

}  // namespace gpuwright::watch
