// Who uses a GPU: a process on it, or one to whom an orchestrator gave it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace gpuwright::model {

/// Whose process this is, as the kernel and the orchestrator tell it. Empty texts: not so, or unknown (why).
struct GpuUser {
  std::int64_t pid = 0;        ///< 0: no process, it was only given the GPU
  std::int64_t inner_pid = 0;  ///< in its innermost PID namespace; 0: the same, or unknown
  std::string user;            ///< name, or "uid 1000" where it has none
  std::string command;         ///< short name of the program
  std::string container;       ///< id
  std::string runtime;         ///< docker, containerd, crio, podman, ...
  std::string pod, pod_namespace, pod_container, pod_uid;
  std::string pod_qos;  ///< guaranteed, burstable, besteffort
  std::string slurm_job, slurm_partition, slurm_step, slurm_task;
  std::string machine;  ///< a virtual machine
  std::string unit;     ///< systemd unit
  std::string session;  ///< of a login
  std::string why;      ///< what could not be told, and why
  std::uint64_t memory_bytes = 0;
  bool memory_known = false;
  std::int64_t gpu_instance = -1;
  bool mps_server = false;      ///< NVIDIA's MPS server: the memory is that of its clients
  bool shared = false;          ///< given as one of several shares (time-slicing, MPS)
  std::string cgroup;           ///< the group that holds its CPU limit
  double cpu_throttled_s = -1;  ///< of that group; negative: unknown
};

/// What kind of user: slurm, pod, container, machine, unit, user, unknown.
const char* holder_kind(const GpuUser& user);
/// One short name for all its processes, the same in all series: "slurm/4711", "pod/NAMESPACE/POD/CONTAINER",
/// "container/0123456789ab", "machine/NAME", "unit/train.service", "user/alice", "unknown".
std::string holder_of(const GpuUser& user);

}  // namespace gpuwright::model
