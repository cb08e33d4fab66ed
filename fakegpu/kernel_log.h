// The kernel's log as a file that every process of one simulated machine writes to: a line that is there
// already (another process wrote it) is not written twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace gpuwright::fakegpu {

class KernelLog {
 public:
  KernelLog() = default;
  /// An empty path writes nothing.
  explicit KernelLog(std::string path) : path_(std::move(path)) {}

  /// Writes the lines that were added since the last time.
  void write(const std::vector<std::string>& lines);

 private:
  std::string path_;
  std::size_t written_ = 0;
};

}  // namespace gpuwright::fakegpu
