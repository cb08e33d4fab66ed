// A program that runs beside the test: started by it, stopped by its process id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace gpuwright::tests {

class Background {
 public:
  /// Starts argv (looked up in PATH); both its streams go into the file `log`. It dies with this process.
  Background(const std::vector<std::string>& argv, std::string log);
  ~Background() { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  pid_t pid() const { return pid_; }
  bool running() { return !collect(WNOHANG); }
  /// What it has said so far.
  std::string said() const;
  /// Waits until it has said that, or has ended, or the time is over.
  bool says(const std::string& text, std::chrono::seconds limit = std::chrono::seconds(20));
  /// Sends the signal and waits (after ten seconds it is killed). The exit code, or 128 + signal; the same
  /// when asked again.
  int stop(int signal = SIGTERM);

 private:
  bool collect(int flags);
  pid_t pid_ = -1;
  std::string log_;
  int code_ = -1;
};

/// A port of loopback that is free now.
int free_port();

}  // namespace gpuwright::tests
