// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/background.h"

#include "support/paths.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace gpuwright::tests {

Background::Background(const std::vector<std::string>& argv, std::string log) : log_(std::move(log)) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_ = ::fork();
  EXPECT_GE(pid_, 0);
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(file, 1);
  ::dup2(file, 2);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

std::string Background::said() const {
  return ::access(log_.c_str(), R_OK) == 0 ? read_file(log_) : std::string();
}

bool Background::collect(int flags) {
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, flags) != pid_) return pid_ <= 0;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return true;
}

bool Background::says(const std::string& text, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (said().find(text) == std::string::npos) {
    if (collect(WNOHANG) || std::chrono::steady_clock::now() >= end)
      return said().find(text) != std::string::npos;
    ::usleep(10'000);
  }
  return true;
}

int Background::stop(int signal) {
  constexpr int kTries = 1000;
  if (pid_ > 0) ::kill(pid_, signal);
  for (int i = 0; i < kTries; ++i) {
    if (collect(WNOHANG)) return code_;
    ::usleep(10'000);
  }
  ::kill(pid_, SIGKILL);
  (void)collect(0);
  return code_;
}

int free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(listener);
  return ntohs(address.sin_port);
}

}  // namespace gpuwright::tests
