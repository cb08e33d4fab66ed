// Files that never answer: a FUSE mount whose server takes the request to open a file and stays silent.
// Whoever opens one sleeps in the kernel where SIGKILL does not reach it, as behind a sick driver. The raw
// protocol is spoken (linux/fuse.h), so nothing needs to be installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gpuwright::tests {

/// While it lives each name in `folder` is a regular file that can be looked at and never opened. At its end,
/// and also when this process dies, the mount is undone and the sleepers wake.
class StuckFiles {
 public:
  explicit StuckFiles(std::string folder);
  ~StuckFiles() { end(); }
  StuckFiles(const StuckFiles&) = delete;
  StuckFiles& operator=(const StuckFiles&) = delete;

  /// False where we may not mount (no root, no FUSE); why() says what failed.
  bool mounted() const { return server_ > 0; }
  const std::string& why() const { return why_; }
  /// Undoes it now.
  void end();

 private:
  std::string folder_;
  std::string why_;
  pid_t server_ = -1;
  int life_ = -1;  ///< the server ends when this pipe closes
};

/// A process that sleeps where SIGKILL does not reach it: the signal is pending, and it is still here.
struct Sleeper {
  pid_t pid = -1;
  pid_t parent = -1;
  std::string folder;  ///< it was started in
};

/// All whose name (as ps shows it) begins so.
std::vector<Sleeper> sleepers(const std::string& name);
/// How many of them are this process's own.
int own_sleepers(const std::string& name);

}  // namespace gpuwright::tests
