// Source: sshd(8), sshd_config(5). Root's sshd needs /run/sshd, which a system without its service lacks.
// SPDX-License-Identifier: Apache-2.0
#include "support/sshd.h"

#include "base/process.h"
#include "base/text.h"

#include "support/paths.h"
#include <arpa/inet.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace gpuwright::tests {
namespace {

constexpr const char* kRunFolder = "/run/sshd";

sockaddr_in loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// A listening socket on a port that the kernel chooses.
int listen_anywhere(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener, 64), 0);
  EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return listener;
}

bool answers(int port) {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool connected = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  return connected;
}

}  // namespace

std::string SshServers::missing() {
  for (const char* tool : {"sshd", "ssh", "ssh-keygen"}) {
    if (!base::find_tool(tool)) return fmt::format("{} is not installed (openssh-server)", tool);
  }
  struct stat folder = {};
  if (::geteuid() == 0 && ::stat(kRunFolder, &folder) != 0 && ::access("/run", W_OK) != 0)
    return std::string(kRunFolder) + " is missing and cannot be made";
  return {};
}

SshServers::SshServers() {
  if (::geteuid() == 0) made_run_folder_ = ::mkdir(kRunFolder, 0755) == 0;
  for (const char* key : {"host", "user"}) {
    const Ran made =
        run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder_.path() + "/" + key, "-C", key});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  const std::string config = "Host *\n  IdentityFile " + folder_.path() + "/user\n  UserKnownHostsFile " +
                             folder_.path() +
                             "/known_hosts\n  GlobalKnownHostsFile /dev/null\n  IdentitiesOnly yes\n"
                             "  IdentityAgent none\n  StrictHostKeyChecking yes\n  ForwardAgent yes\n";
  folder_.write("client", config);
}

SshServers::~SshServers() {
  for (const int listener : silent_) ::close(listener);
  servers_.clear();
  std::ifstream left_behind(folder_.path() + "/pids");
  for (pid_t process = 0; left_behind >> process;) ::kill(process, SIGKILL);
  if (made_run_folder_) ::rmdir(kRunFolder);
}

void SshServers::write_config(int port, const std::string& forced) {
  std::string config = "Port " + std::to_string(port) + "\nListenAddress 127.0.0.1\nHostKey " +
                       folder_.path() + "/host\nAuthorizedKeysFile " + folder_.path() +
                       "/user.pub\nPidFile none\nStrictModes no\nUsePAM no\n"
                       "PasswordAuthentication no\nPermitRootLogin prohibit-password\n";
  if (!forced.empty()) config += "ForceCommand PIDS=" + folder_.path() + "/pids; " + forced + "\n";
  folder_.write("server-" + std::to_string(port), config);
  std::ofstream known(folder_.path() + "/known_hosts", std::ios::app);
  known << "[127.0.0.1]:" << port << " " << read_file(folder_.path() + "/host.pub");
}

int SshServers::start(const std::string& forced) {
  const std::string sshd = base::find_tool("sshd").value_or("");
  const std::string log = folder_.path() + "/log";
  for (int attempt = 0; attempt < 5; ++attempt) {
    int port = 0;
    ::close(listen_anywhere(port));  // somebody may take it before the server does: then once more
    write_config(port, forced);
    auto server = std::make_unique<Background>(
        std::vector<std::string>{sshd, "-D", "-e", "-f", folder_.path() + "/server-" + std::to_string(port)},
        log);
    for (int waited = 0; waited < 1000 && server->running(); ++waited) {
      if (answers(port)) {
        servers_.push_back(std::move(server));
        return port;
      }
      ::usleep(20'000);
    }
  }
  ADD_FAILURE() << "sshd does not start: " << read_file(log);
  return 0;
}

int SshServers::start_silent() {
  int port = 0;
  silent_.push_back(listen_anywhere(port));
  return port;
}

std::string SshServers::client() const {
  return "ssh -F " + folder_.path() + "/client";
}

std::string SshServers::user() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

}  // namespace gpuwright::tests
