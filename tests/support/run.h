// Runs a program as a person would, and keeps what it said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gpuwright::tests {

struct Ran {
  int exit_code = -1;  ///< 128 + signal number when a signal ended it
  std::string out;
  std::string err;
  std::chrono::milliseconds took{0};
};

/// Runs argv (looked up in PATH), gives it `input`, and waits. Neither stream is a terminal.
Ran run(const std::vector<std::string>& argv, const std::string& input = {});

/// A folder of its own that disappears with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file there; returns its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace gpuwright::tests
