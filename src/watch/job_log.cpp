// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/job_log.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gpuwright::watch {

void JobLog::take_over(const std::vector<model::JobSeen>& open, std::int64_t last_ms, double now_s) {
  for (const model::JobSeen& job : open) {
    if (job.end_ms) continue;
    Job taken;
    taken.seen = job;
    taken.gpus = {job.gpu_uuids.begin(), job.gpu_uuids.end()};
    taken.last_ms = last_ms;
    taken.last_s = now_s;
    const bool fresh = open_.size() < kMost && open_.try_emplace(job.kind + "/" + job.id, taken).second;
    if (fresh) continue;
    taken.seen.end_ms = last_ms;
    told_.push_back(std::move(taken.seen));
  }
}

void JobLog::see(const model::GpuUser& user, const std::string& uuid, std::map<std::string, Job>& now) {
  const std::string holder = model::holder_of(user);
  const std::size_t slash = holder.find('/');
  if (slash == std::string::npos) return;  // not known, or not yet
  if (now.size() >= kMost && now.count(holder) == 0) return;
  Job& job = now[holder];
  job.gpus.insert(uuid);
  job.seen.kind = holder.substr(0, slash);
  job.seen.id = holder.substr(slash + 1);
  if (!user.user.empty()) job.seen.user = user.user;
  const std::string& queue = user.slurm_job.empty() ? user.pod_namespace : user.slurm_partition;
  if (!queue.empty()) job.seen.queue = queue;
}

/// Adds what was seen now; whether that is news.
bool JobLog::merge(Job& job, const Job& seen) {
  bool news = false;
  for (const std::string& uuid : seen.gpus) news = job.gpus.insert(uuid).second || news;
  const auto take = [&news](std::string& text, const std::string& now) {
    if (now.empty() || now == text) return;
    text = now;
    news = true;
  };
  take(job.seen.user, seen.seen.user);
  take(job.seen.queue, seen.seen.queue);
  if (news) job.seen.gpu_uuids = {job.gpus.begin(), job.gpus.end()};
  return news;
}

/// Those of whom nothing was seen for long enough, on GPUs that tell.
void JobLog::end_gone(double now_s, const std::set<std::string>& unknown) {
  for (auto at = open_.begin(); at != open_.end();) {
    Job& job = at->second;
    const bool dark =
        !job.gpus.empty() && std::all_of(job.gpus.begin(), job.gpus.end(),
                                         [&](const auto& uuid) { return unknown.count(uuid) != 0; });
    if (dark) job.last_s = now_s;
    if (now_s - job.last_s <= kGone_s) {
      ++at;
      continue;
    }
    job.seen.end_ms = job.last_ms;
    told_.push_back(std::move(job.seen));
    at = open_.erase(at);
  }
}

std::vector<model::JobSeen> JobLog::look(const model::NodeState& state) {
  const auto wall_ms = static_cast<std::int64_t>(std::llround(state.wall_s * 1000));
  std::map<std::string, Job> now;
  std::set<std::string> unknown;  // GPUs of whose users nothing is known now
  for (const auto& entry : state.gpus) {
    const model::GpuState& gpu = entry.second;
    const std::string& uuid = gpu.identity.uuid;
    if (uuid.empty()) continue;
    if (gpu.asleep) continue;  // nobody uses it
    if (!gpu.up || !gpu.users_known) {
      unknown.insert(uuid);
      continue;
    }
    for (const model::GpuUser& user : gpu.users) see(user, uuid, now);
    for (const model::GpuUser& user : gpu.given) see(user, uuid, now);
  }
  for (const auto& [holder, seen] : now) {
    const auto [at, fresh] = open_.try_emplace(holder);
    Job& job = at->second;
    if (fresh) {
      job.seen.kind = seen.seen.kind;
      job.seen.id = seen.seen.id;
      job.seen.start_ms = wall_ms;
    }
    job.last_ms = wall_ms;
    job.last_s = state.now_s;
    if (merge(job, seen)) told_.push_back(job.seen);
  }
  end_gone(state.now_s, unknown);
  return std::exchange(told_, {});
}

}  // namespace gpuwright::watch
