// A real Slurm on loopback, started by the test and stopped by process id: munged, slurmctld and one slurmd a
// node, all from one folder with their own configuration and ports. The nodes' GPUs are character devices
// that nobody opens. Source: slurm.conf(5), gres.conf(5), munged(8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/run.h"

#include <string>
#include <vector>

namespace gpuwright::tests {

class SlurmCluster {
 public:
  /// Why none can be started here (not root, not installed); empty: one can.
  static std::string missing();

  /// `health_check` is the text of a shell script that each node runs every other second, with
  /// SLURMD_NODENAME set.
  SlurmCluster(std::vector<std::string> nodes, const std::string& health_check);
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// Starts all and waits until every node is idle. False when that does not come: log() says why.
  bool start();
  /// A client of Slurm: {"sinfo", "-R"}.
  Ran client(const std::vector<std::string>& argv) const;
  /// The node's state and reason, "idle+drain gpuwright: ..."; scontrol's words in lower case.
  std::string state(const std::string& node) const;
  /// Waits until the state of the node holds `text`; false after `seconds`.
  bool wait_for(const std::string& node, const std::string& text, int seconds = 30) const;
  /// Names of drained nodes.
  std::vector<std::string> drained() const;
  std::string log() const;
  const TempFolder& folder() const { return folder_; }

 private:
  void write_configuration(const std::string& health_check) const;
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  bool start_munge() const;
  void stop() const;

  std::vector<std::string> nodes_;
  TempFolder folder_;
};

}  // namespace gpuwright::tests
