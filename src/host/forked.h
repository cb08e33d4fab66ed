// A child of our own program that does what may sleep in the kernel for ever: a call of a sick driver, the
// file of a sick device. It is killed when it is no longer wanted; where SIGKILL does not reach it (state D,
// see signal(7) and Documentation/filesystems/proc.rst) it is left behind, and holds nothing of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"

#include <sys/types.h>

#include <functional>
#include <utility>

namespace gpuwright::host {

class Forked {
 public:
  /// What the child does with its end of a socket pair; when it returns, the child ends.
  using Work = std::function<void(int fd)>;

  /// Forks. Call it while the process has one thread only. `name` is shown by ps (15 characters). The child
  /// keeps the descriptor `kept`, too. Errors: Io.
  static base::Result<Forked> start(const char* name, const Work& work, int kept = -1);
  Forked() = default;
  Forked(Forked&& other) noexcept : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}
  Forked& operator=(Forked&& other) noexcept;
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;
  ~Forked() { end(); }

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// Our end: a stream socket.
  int fd() const { return socket_.get(); }
  /// Kills it and collects it. False when it does not die: it is left behind.
  bool end();

 private:
  pid_t pid_ = -1;
  base::Fd socket_;
};

}  // namespace gpuwright::host
