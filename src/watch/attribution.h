// Who the processes on the GPUs are: user, program, container, pod, Slurm job. All of it is read from /proc
// and from names in /var/log, which needs no privilege beyond looking at the processes; what cannot be read
// is unknown, with the reason. Nothing is taken from what a process says of itself where it could claim
// to be another's: a job's id comes from its group, or from the root-owned slurmstepd above it.
//
// Reading /proc may sleep in the kernel, so this runs in a child (survey_worker).
// Source: proc(5), credentials(7), pid_namespaces(7), passwd(5), scontrol(1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/local_files.h"
#include "model/gpu_user.h"
#include "parse/kubelet_logs.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

/// Asked before anything that may hang, with a class and a name: "process/4711", "tool/scontrol". False: it
/// is to be left alone.
using MayAsk = std::function<bool(const std::string& subject)>;
/// Asks Slurm's controller for a job's record, one line; empty: no answer.
using AskJob = std::function<std::string(const std::string& job)>;

class Attribution {
 public:
  /// Below `root` ("" is this machine). `ask_job` may be empty.
  Attribution(std::string root, MayAsk may_ask, AskJob ask_job);

  /// These processes, in this order. Those of the time before that are not among them are forgotten.
  std::vector<model::GpuUser> look(const std::vector<std::int64_t>& pids);

 private:
  struct Known {
    std::int64_t started = -1;  ///< clock ticks after boot: tells two processes of one number apart
    std::int64_t looks = 0;
    std::string group_path;  ///< of cpu.stat
    model::GpuUser user;
  };
  struct Stat {
    std::string command;
    std::int64_t parent = 0, started = 0;
  };

  void look_at(std::int64_t pid, Known& known);
  void read_status(const std::string& folder, model::GpuUser& user);
  void read_groups(const std::string& folder, Known& known) const;
  void read_throttling(Known& known) const;
  void find_step_daemon(std::int64_t parent, model::GpuUser& user);
  void find_partition(const std::string& folder, model::GpuUser& user);
  void find_pod(model::GpuUser& user);
  void list_logs();
  std::string user_name(std::int64_t uid);
  std::optional<Stat> stat_of(std::int64_t pid) const;

  host::LocalFiles files_;
  MayAsk may_ask_;
  AskJob ask_job_;
  std::map<std::int64_t, Known> known_;
  std::map<std::int64_t, std::string> users_;
  std::map<std::string, parse::PodLogName> by_container_, by_pod_;
  std::map<std::string, std::string> partitions_;  ///< by job
  std::int64_t looks_ = 0;
  std::int64_t users_read_ = -1, logs_read_ = -1, job_asked_ = -1;  ///< in which look
};

}  // namespace gpuwright::watch
