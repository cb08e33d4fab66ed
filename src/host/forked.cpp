// Forking and giving up; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/forked.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace gpuwright::host {

namespace {

/// Closes all descriptors above the standard ones but two; -1 is none.
void close_all_but(int one, int other) {
  const int lower = std::min(one, other);
  const int upper = std::max(one, other);
  int from = 3;
  for (const int kept : {lower, upper}) {
    if (kept < from) continue;
    if (kept > from) ::close_range(static_cast<unsigned>(from), static_cast<unsigned>(kept) - 1, 0);
    from = kept + 1;
  }
  ::close_range(static_cast<unsigned>(from), ~0U, 0);
}

/// Nothing of ours stays open in the child, so that one that never dies holds nobody's pipe.
[[noreturn]] void become_child(const char* name, int fd, const Forked::Work& work, int kept) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // one that waits for a driver does not outlive who is killed
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  const rlimit no_core = {0, 0};  // a library that crashes in it leaves no dump
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3 && nothing >= 0; ++standard) ::dup2(nothing, standard);
  close_all_but(fd, kept);
  work(fd);
  ::_exit(0);
}

}  // namespace

base::Result<Forked> Forked::start(const char* name, const Work& work, int kept) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return base::system_error(errno, "socketpair");
  Forked child;
  child.socket_ = base::Fd(ends[0]);
  const base::Fd theirs(ends[1]);
  child.pid_ = ::fork();
  if (child.pid_ < 0) return base::system_error(errno, "fork");
  if (child.pid_ == 0) become_child(name, theirs.get(), work, kept);
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
