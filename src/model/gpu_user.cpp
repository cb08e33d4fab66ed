// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "model/gpu_user.h"

namespace gpuwright::model {

const char* holder_kind(const GpuUser& user) {
  if (!user.slurm_job.empty()) return "slurm";
  if (!user.pod.empty() || !user.pod_uid.empty()) return "pod";
  if (!user.container.empty()) return "container";
  if (!user.machine.empty()) return "machine";
  const bool of_person = !user.session.empty() || user.unit.starts_with("user@");
  if (!user.unit.empty() && !of_person) return "unit";
  return user.user.empty() ? "unknown" : "user";
}

std::string holder_of(const GpuUser& user) {
  constexpr std::size_t kShortId = 12;
  const std::string kind = holder_kind(user);
  if (kind == "slurm") return "slurm/" + user.slurm_job;
  if (kind == "pod") {
    if (user.pod.empty()) return "pod/" + user.pod_uid;
    const std::string name = "pod/" + user.pod_namespace + "/" + user.pod;
    return user.pod_container.empty() ? name : name + "/" + user.pod_container;
  }
  if (kind == "container") return "container/" + user.container.substr(0, kShortId);
  if (kind == "machine") return "machine/" + user.machine;
  if (kind == "unit") return "unit/" + user.unit;
  return kind == "user" ? "user/" + user.user : kind;
}

}  // namespace gpuwright::model
