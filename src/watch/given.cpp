// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/given.h"

#include <algorithm>
#include <utility>

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

void add_once(std::vector<GpuUser>& users, GpuUser user) {
  constexpr std::size_t kMost = 64;
  const auto same = [&user](const GpuUser& one) { return is_same(one, user); };
  if (users.size() < kMost && std::none_of(users.begin(), users.end(), same))
    users.push_back(std::move(user));
}

/// To whom this GPU was given, each once.
std::vector<GpuUser> given_to(const std::vector<GivenContainer>& all, const GpuState& gpu) {
  std::vector<GpuUser> users;
  for (const GivenContainer& container : all) {
    for (const GivenDevice& device : container.devices) {
      std::int64_t part = -1;
      if (is_of(device, gpu, part)) add_once(users, user_of(container, device, part));
    }
  }
  return users;
}

/// Whether the process may be of that pod, as far as is known of it.
bool may_be(const GpuUser& process, const GpuUser& given) {
  if (given.gpu_instance >= 0 && process.gpu_instance >= 0 && given.gpu_instance != process.gpu_instance)
    return false;
  if (process.pod.empty()) return true;
  return process.pod == given.pod && process.pod_namespace == given.pod_namespace &&
         (process.pod_container.empty() || process.pod_container == given.pod_container);
}

}  // namespace

void join_given(const std::vector<GivenContainer>& all, GpuState& gpu) {
  gpu.given = given_to(all, gpu);
  for (GpuUser& user : gpu.users) {
    if (user.pod_uid.empty()) continue;
    const auto fits = [&user](const GpuUser& given) { return may_be(user, given); };
    const auto only = std::find_if(gpu.given.begin(), gpu.given.end(), fits);
    if (only == gpu.given.end() || std::count_if(gpu.given.begin(), gpu.given.end(), fits) != 1) continue;
    user.pod = only->pod;
    user.pod_namespace = only->pod_namespace;
    user.pod_container = only->pod_container;
    user.shared = only->shared;
  }
}

}  // namespace gpuwright::watch
