// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/gpu_holders.h"

#include "report/metrics_text.h"

#include <map>
#include <string_view>
#include <utility>

namespace gpuwright::report {

namespace {

using model::GpuUser;

constexpr std::size_t kMostHolders = 32;

void add_known(std::string& labels, std::string_view name, const std::string& value) {
  if (!value.empty()) add_label(labels, name, value);
}

const char* sharing(const GpuUser& user) {
  if (user.mps_server) return "mps";
  return user.shared ? "replica" : "";
}

using Key = std::pair<std::string, std::int64_t>;

GpuHolder& holder_for(std::map<Key, GpuHolder>& all, const GpuUser& user) {
  Key key{model::holder_of(user), user.gpu_instance};
  if (all.size() >= kMostHolders && all.count(key) == 0) key = {"other", -1};
  const auto [at, added] = all.try_emplace(key);
  if (added) {
    at->second.holder = key.first;
    at->second.memory_known = true;
    if (key.first != "other") at->second.user = user;
  }
  return at->second;
}

}  // namespace

std::vector<GpuHolder> holders_on(const model::GpuState& gpu) {
  std::map<Key, GpuHolder> all;
  for (const GpuUser& user : gpu.users) {
    GpuHolder& one = holder_for(all, user);
    ++one.processes;
    one.memory_bytes += user.memory_bytes;
    one.memory_known = one.memory_known && user.memory_known;
  }
  for (const GpuUser& user : gpu.given) (void)holder_for(all, user);
  std::vector<GpuHolder> list;
  list.reserve(all.size());
  for (auto& entry : all) list.push_back(std::move(entry.second));
  return list;
}

std::string holder_labels(const GpuHolder& holder) {
  std::string labels;
  add_label(labels, "holder", holder.holder);
  if (holder.user.gpu_instance >= 0)
    add_label(labels, "gpu_instance_id", std::to_string(holder.user.gpu_instance));
  return labels;
}

std::string holder_info(const GpuHolder& holder) {
  const GpuUser& user = holder.user;
  std::string labels;
  add_label(labels, "kind", holder.holder == "other" ? "other" : model::holder_kind(user));
  add_known(labels, "user", user.user);
  add_known(labels, "slurm_job", user.slurm_job);
  add_known(labels, "partition", user.slurm_partition);
  add_known(labels, "namespace", user.pod_namespace);
  add_known(labels, "pod", user.pod);
  add_known(labels, "pod_uid", user.pod_uid);
  add_known(labels, "container", user.pod_container);
  add_known(labels, "runtime", user.runtime);
  add_known(labels, "sharing", sharing(user));
  return labels;
}

}  // namespace gpuwright::report
