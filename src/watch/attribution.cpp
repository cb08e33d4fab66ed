// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/attribution.h"

#include "base/text.h"
#include "parse/cgroup_path.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gpuwright::watch {

namespace {

using model::GpuUser;

constexpr std::size_t kSmall = std::size_t{64} << 10;
constexpr std::size_t kMostEnvironment = std::size_t{256} << 10;
constexpr std::size_t kMostPasswd = std::size_t{8} << 20;
constexpr std::size_t kMostRemembered = 4096;
// A process is read anew at its second look, and after so many more: its starter may have moved it since.
constexpr std::int64_t kLookAgain = 12;
constexpr std::int64_t kSeldom = 12;  // looks between two readings of tables
constexpr std::size_t kMostName = 128;

void add_reason(GpuUser& user, const std::string& reason) {
  if (!user.why.empty()) user.why += "; ";
  user.why += reason;
}

/// The value behind "Uid:" and the like.
std::string_view line_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : base::lines(text)) {
    if (line.starts_with(key)) return base::trim(line.substr(key.size()));
  }
  return {};
}

/// "4711" and "batch" of "slurmstepd: [4711.batch]".
bool read_step_title(std::string_view title, GpuUser& user) {
  constexpr std::string_view kStart = "slurmstepd: [";
  if (!title.starts_with(kStart)) return false;
  title = title.substr(kStart.size(), title.find(']') - kStart.size());
  const std::size_t dot = title.find('.');
  const auto job = base::parse_int(title.substr(0, dot));
  if (!job || *job <= 0) return false;
  user.slurm_job = std::to_string(*job);
  if (dot != std::string_view::npos) user.slurm_step = base::printable(title.substr(dot + 1), kMostName);
  return true;
}

/// A variable of an environment as /proc shows it.
std::string_view variable(std::string_view environment, std::string_view name) {
  for (const std::string_view one : base::split(environment, '\0')) {
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

Attribution::Attribution(std::string root, MayAsk may_ask, AskJob ask_job)
    : files_(std::move(root)), may_ask_(std::move(may_ask)), ask_job_(std::move(ask_job)) {}

std::vector<GpuUser> Attribution::look(const std::vector<std::int64_t>& pids) {
  ++looks_;
  for (auto at = known_.begin(); at != known_.end();)
    at = std::find(pids.begin(), pids.end(), at->first) == pids.end() ? known_.erase(at) : std::next(at);
  std::vector<GpuUser> users;
  for (const std::int64_t pid : pids) {
    Known& known = known_[pid];
    known.user.pid = pid;
    if (may_ask_(fmt::format("process/{}", pid))) {
      look_at(pid, known);
      find_pod(known.user);
    } else {
      known = {};
      known.user.pid = pid;
      known.user.why = "its files in /proc gave no answer";
    }
    users.push_back(known.user);
  }
  return users;
}

std::optional<Attribution::Stat> Attribution::stat_of(std::int64_t pid) const {
  constexpr std::size_t kParent = 1, kStarted = 19;  // behind the name
  const auto text = files_.read_file(fmt::format("/proc/{}/stat", pid), kSmall);
  if (!text) return std::nullopt;
  const std::size_t open = text->find('('), close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const auto words = base::words(std::string_view(*text).substr(close + 1));
  if (words.size() <= kStarted) return std::nullopt;
  Stat stat;
  stat.command = base::printable(std::string_view(*text).substr(open + 1, close - open - 1), kMostName);
  stat.parent = base::parse_int(words[kParent]).value_or(0);
  stat.started = base::parse_int(words[kStarted]).value_or(-1);
  return stat;
}

void Attribution::look_at(std::int64_t pid, Known& known) {
  const auto stat = stat_of(pid);
  if (!stat) {
    known = {};
    known.user.pid = pid;
    known.user.why = "not in our /proc: it has ended, or lives in a PID namespace that we do not see";
    return;
  }
  if (stat->started == known.started && ++known.looks % kLookAgain != 1) return read_throttling(known);
  const std::int64_t looks = stat->started == known.started ? known.looks : 0;
  known = {};
  known.started = stat->started;
  known.looks = looks;
  GpuUser& user = known.user;
  user.pid = pid;
  user.command = stat->command;
  user.mps_server = stat->command.starts_with("nvidia-cuda-mps");  // the kernel cuts it to 15 characters
  const std::string folder = fmt::format("/proc/{}", pid);
  read_status(folder, user);
  read_groups(folder, known);
  if (!user.slurm_job.empty() || user.pod_uid.empty()) {
    if (user.slurm_job.empty()) find_step_daemon(stat->parent, user);
    if (!user.slurm_job.empty()) find_partition(folder, user);
  }
  read_throttling(known);
}

void Attribution::read_status(const std::string& folder, GpuUser& user) {
  const auto text = files_.read_file(folder + "/status", kSmall);
  if (!text) return add_reason(user, "status: " + text.error().message);
  const auto uids = base::words(line_of(*text, "Uid:"));
  const auto uid = uids.empty() ? std::nullopt : base::parse_int(uids.front());
  if (uid) user.user = user_name(*uid);
  const auto numbers = base::words(line_of(*text, "NSpid:"));
  if (numbers.size() > 1) user.inner_pid = base::parse_int(numbers.back()).value_or(0);
}

/// From the file alone: what a name service knows beyond it may take seconds.
std::string Attribution::user_name(std::int64_t uid) {
  if (users_.count(uid) == 0 && (users_read_ < 0 || looks_ - users_read_ >= kSeldom)) {
    users_read_ = looks_;
    users_.clear();
    const auto text = files_.read_file("/etc/passwd", kMostPasswd);
    for (const std::string_view line : base::lines(text ? std::string_view(*text) : std::string_view())) {
      const auto parts = base::split(line, ':');
      const auto number = parts.size() < 3 ? std::nullopt : base::parse_int(parts[2]);
      if (number && !parts[0].empty()) users_.try_emplace(*number, base::printable(parts[0], kMostName));
    }
  }
  const auto at = users_.find(uid);
  return at == users_.end() ? fmt::format("uid {}", uid) : at->second;
}

void Attribution::read_groups(const std::string& folder, Known& known) const {
  GpuUser& user = known.user;
  const auto text = files_.read_file(folder + "/cgroup", kSmall);
  if (!text) return add_reason(user, "cgroup: " + text.error().message);
  parse::CgroupOwner owner = parse::read_cgroup(*text);
  user.container = std::move(owner.container);
  user.runtime = std::move(owner.runtime);
  user.pod_uid = std::move(owner.pod_uid);
  user.pod_qos = std::move(owner.pod_qos);
  user.slurm_job = std::move(owner.slurm_job);
  user.slurm_step = std::move(owner.slurm_step);
  user.slurm_task = std::move(owner.slurm_task);
  user.machine = std::move(owner.machine);
  user.unit = std::move(owner.unit);
  user.session = std::move(owner.session);
  const bool v1 = !owner.cpu_path.empty();
  const std::string& group = v1 ? owner.cpu_path : owner.unified_path;
  if (group.empty() || group == "/" || base::contains(group, "..")) return;
  user.cgroup = base::printable(group, kSmall);
  known.group_path = (v1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup") + group + "/cpu.stat";
}

void Attribution::read_throttling(Known& known) const {
  known.user.cpu_throttled_s = -1;
  if (known.group_path.empty()) return;
  const auto text = files_.read_file(known.group_path, kSmall);
  if (!text) return;
  constexpr double kMicro = 1e-6, kNano = 1e-9;
  if (const auto v2 = base::parse_int(line_of(*text, "throttled_usec ")))
    known.user.cpu_throttled_s = static_cast<double>(*v2) * kMicro;
  else if (const auto v1 = base::parse_int(line_of(*text, "throttled_time ")))
    known.user.cpu_throttled_s = static_cast<double>(*v1) * kNano;
}

/// Where Slurm makes no groups (proctrack/linuxproc), its step daemon is above the process, as root.
void Attribution::find_step_daemon(std::int64_t parent, GpuUser& user) {
  constexpr int kMostAbove = 64;
  for (int above = 0; above < kMostAbove && parent > 1; ++above) {
    const auto stat = stat_of(parent);
    if (!stat) return;
    if (stat->command.starts_with("slurmstepd")) {
      const std::string folder = fmt::format("/proc/{}", parent);
      const auto status = files_.read_file(folder + "/status", kSmall);
      const auto uids = status ? base::words(line_of(*status, "Uid:")) : std::vector<std::string_view>();
      const auto title = files_.read_file(folder + "/cmdline", kSmall);
      if (uids.size() > 1 && uids[1] == "0" && title && read_step_title(*title, user)) return;
    }
    parent = stat->parent;
  }
}

/// From the process's own environment, when that speaks of the job which the kernel told us; else from the
/// controller, one job a look and each job once.
void Attribution::find_partition(const std::string& folder, GpuUser& user) {
  constexpr std::size_t kMostPartition = 64;
  if (const auto known = partitions_.find(user.slurm_job); known != partitions_.end()) {
    user.slurm_partition = known->second;
    return;
  }
  std::string partition;
  const auto environment = files_.read_file(folder + "/environ", kMostEnvironment);
  if (environment && variable(*environment, "SLURM_JOB_ID") == user.slurm_job)
    partition = base::printable(variable(*environment, "SLURM_JOB_PARTITION"), kMostPartition);
  if (partition.empty() && ask_job_ && job_asked_ != looks_ && may_ask_("tool/scontrol")) {
    job_asked_ = looks_;
    const std::string record = ask_job_(user.slurm_job);
    for (const std::string_view word : base::words(record)) {
      if (word.starts_with("Partition=")) partition = base::printable(word.substr(10), kMostPartition);
    }
    if (partition.empty()) add_reason(user, "partition: scontrol does not tell it");
  } else if (partition.empty() && !environment) {
    add_reason(user, "partition: " + environment.error().message);
  }
  if (partition.empty()) return;
  if (partitions_.size() >= kMostRemembered) partitions_.clear();
  partitions_[user.slurm_job] = partition;
  user.slurm_partition = std::move(partition);
}

void Attribution::list_logs() {
  logs_read_ = looks_;
  by_container_.clear();
  by_pod_.clear();
  constexpr std::size_t kMostNames = 16'384;
  const auto links = files_.list_directory("/var/log/containers");
  for (std::size_t at = 0; links && at < std::min(links->size(), kMostNames); ++at) {
    if (auto name = parse::read_container_log_name((*links)[at]))
      by_container_.emplace(name->container_id, std::move(*name));
  }
  const auto folders = files_.list_directory("/var/log/pods");
  for (std::size_t at = 0; folders && at < std::min(folders->size(), kMostNames); ++at) {
    if (auto name = parse::read_pod_log_name((*folders)[at]))
      by_pod_.emplace(name->pod_uid, std::move(*name));
  }
}

void Attribution::find_pod(GpuUser& user) {
  if (user.pod_uid.empty() || !user.pod.empty()) return;
  const auto look_up = [&] {
    if (const auto at = by_container_.find(user.container); at != by_container_.end()) {
      user.pod = at->second.pod;
      user.pod_namespace = at->second.pod_namespace;
      user.pod_container = at->second.container;
    } else if (const auto pod = by_pod_.find(user.pod_uid); pod != by_pod_.end()) {
      user.pod = pod->second.pod;
      user.pod_namespace = pod->second.pod_namespace;
    }
  };
  look_up();
  constexpr std::int64_t kSoon = 2;
  if (!user.pod.empty() || (logs_read_ >= 0 && looks_ - logs_read_ < kSoon) || !may_ask_("logs/pods")) return;
  list_logs();
  look_up();
}

}  // namespace gpuwright::watch
