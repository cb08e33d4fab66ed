// Real ssh servers on loopback, each a process of the test's own with host keys and a configuration in a
// temporary folder, stopped by their process ids.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/background.h"
#include "support/run.h"
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace gpuwright::tests {

class SshServers {
 public:
  /// Why no server can be started here ("openssh-server is not installed"); empty: it can.
  static std::string missing();

  SshServers();
  ~SshServers();
  SshServers(const SshServers&) = delete;
  SshServers& operator=(const SshServers&) = delete;

  /// Starts a server and waits until it listens; returns its port. With `forced` (a line for the login shell)
  /// it runs that whatever is asked; a process that this leaves behind says its id to the file $PIDS, and is
  /// ended with the server.
  int start(const std::string& forced = {});
  /// A port that accepts connections and says nothing.
  int start_silent();
  /// The ssh client with the keys for them: "ssh -F FILE".
  std::string client() const;
  /// The account that they let in: ours.
  static std::string user();

 private:
  void write_config(int port, const std::string& forced);

  TempFolder folder_;
  std::vector<std::unique_ptr<Background>> servers_;
  std::vector<int> silent_;
  bool made_run_folder_ = false;
};

}  // namespace gpuwright::tests
