// Forking and giving up; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/forked.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace gpuwright::host {

namespace {

/// Nothing of ours stays open in the child, so that one that never dies holds nobody's pipe.
[[noreturn]] void become_child(const char* name, int fd, const Forked::Work& work) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, name);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3 && nothing >= 0; ++standard) ::dup2(nothing, standard);
  ::close_range(3, static_cast<unsigned>(fd) - 1, 0);
  ::close_range(static_cast<unsigned>(fd) + 1, ~0U, 0);
  work(fd);
  ::_exit(0);
}

}  // namespace

base::Result<Forked> Forked::start(const char* name, const Work& work) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return base::system_error(errno, "socketpair");
  Forked child;
  child.socket_ = base::Fd(ends[0]);
  const base::Fd theirs(ends[1]);
  child.pid_ = ::fork();
  if (child.pid_ < 0) return base::system_error(errno, "fork");
  if (child.pid_ == 0) become_child(name, theirs.get(), work);
  return child;
}

Forked& Forked::operator=(Forked&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    socket_ = std::move(other.socket_);
  }
  return *this;
}

bool Forked::end() {
  constexpr int kTries = 20;
  constexpr useconds_t kPause = 500;
  socket_.reset();
  const pid_t child = std::exchange(pid_, -1);
  if (child <= 0) return true;
  ::kill(child, SIGKILL);
  for (int i = 0; i < kTries; ++i) {
    if (::waitpid(child, nullptr, WNOHANG) != 0) return true;
    ::usleep(kPause);
  }
  return false;
}

}  // namespace gpuwright::host
