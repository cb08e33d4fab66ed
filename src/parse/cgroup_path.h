// Whose process this is, from its control groups: runtimes, Kubernetes, Slurm, systemd, LXC and libvirt each
// put the processes of what they start into a group, and its name says for whom. Both layouts are read: a
// line per controller (v1), one line (v2), and both beside each other (hybrid).
// Source: cgroups(7), proc_pid_cgroup(5), systemd.slice(5), systemd-escape(1); names as written by runc,
// containerd's CRI plugin, CRI-O, Podman, kubelet (pkg/kubelet/cm), Slurm's cgroup plugins, LXC and libvirt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuwright::parse {

/// Empty texts: not so, or the path does not say.
struct CgroupOwner {
  std::string container;  ///< id
  std::string runtime;    ///< docker, containerd, crio, podman, lxc, nspawn
  std::string pod_uid;    ///< with dashes where it is a UUID
  std::string pod_qos;    ///< guaranteed, burstable, besteffort
  std::string slurm_job, slurm_step, slurm_task;
  std::string slurm_node;  ///< where several slurmd share a machine
  std::string machine;     ///< a virtual machine of libvirt
  std::string unit;        ///< of systemd: the innermost service or scope that is none of the above
  std::string slice;
  std::string session;  ///< of a login: "3" of session-3.scope
  /// The group of the container, job, machine or unit below the mount of its hierarchy. On v2, and on a v1
  /// machine for the cpu controller.
  std::string unified_path, cpu_path;

  /// Something else than systemd's own units owns it.
  bool is_job() const {
    return !container.empty() || !pod_uid.empty() || !slurm_job.empty() || !machine.empty();
  }
};

/// `text` is that of /proc/PID/cgroup. What cannot be read is left out: no text is an error.
CgroupOwner read_cgroup(std::string_view text);

}  // namespace gpuwright::parse
