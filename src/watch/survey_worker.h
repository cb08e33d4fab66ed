// The side of surveying that may hang: a forked child that says, each time it is asked, who some processes
// are (attribution), what the host does (host_series), and, now and then, to whom kubelet gave GPUs. Before
// anything that may sleep in the kernel it writes what that is, so that its parent knows what to leave alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gpuwright::watch {

struct SurveyJob {
  std::string root;  ///< "" is this machine
  /// Sockets of kubelet's pod resources; the first that is there is asked.
  std::vector<std::string> pod_sockets = {
      "/var/lib/kubelet/pod-resources/kubelet.sock",
      "/var/lib/k0s/kubelet/pod-resources/kubelet.sock",
      "/var/snap/microk8s/common/var/lib/kubelet/pod-resources/kubelet.sock",
  };
  std::chrono::milliseconds pods_every{30'000};  ///< after a failure up to ten times as long
  std::chrono::milliseconds pods_deadline{2000};
  bool ask_slurm = true;  ///< scontrol, for what /proc does not tell
};

/// Obeys `fd` until it closes.
void run_survey_worker(int fd, const SurveyJob& job);

}  // namespace gpuwright::watch
