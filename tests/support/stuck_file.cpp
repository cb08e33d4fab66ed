// The server of the silent files. Source: Linux, include/uapi/linux/fuse.h, fuse(4).
// SPDX-License-Identifier: Apache-2.0
#include "support/stuck_file.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace gpuwright::tests {
namespace {

constexpr std::uint64_t kFile = 2;  // one inode for every name

fuse_attr attributes(std::uint64_t node) {
  fuse_attr attr = {};
  attr.ino = node;
  attr.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755U : S_IFREG | 0644U;
  attr.size = 4096;
  attr.nlink = 1;
  return attr;
}

class Server {
 public:
  explicit Server(int fuse) : fuse_(fuse) {}

  /// Answers until `life` closes or the mount is gone.
  void run(int life) {
    std::array<pollfd, 2> polls = {{{fuse_, POLLIN, 0}, {life, POLLIN, 0}}};
    while (::poll(polls.data(), polls.size(), -1) >= 0 || errno == EINTR) {
      if (polls[1].revents != 0) return;
      if (polls[0].revents == 0) continue;
      const ssize_t got = ::read(fuse_, buffer_.data(), buffer_.size());
      if (got < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN) return;
      if (got >= static_cast<ssize_t>(sizeof(fuse_in_header))) answer();
    }
  }

 private:
  void answer() {
    fuse_in_header in = {};
    std::memcpy(&in, buffer_.data(), sizeof in);
    switch (in.opcode) {
      case FUSE_INIT: {
        fuse_init_out out = {};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.max_write = 4096;
        return reply(in, out);
      }
      case FUSE_LOOKUP: {
        fuse_entry_out out = {};
        out.nodeid = kFile;
        out.attr = attributes(kFile);
        return reply(in, out);
      }
      case FUSE_GETATTR: {
        fuse_attr_out out = {};
        out.attr = attributes(in.nodeid);
        return reply(in, out);
      }
      case FUSE_OPEN:  // the silence
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        return;
      default:
        return refuse(in);
    }
  }

  template <class Answer>
  void reply(const fuse_in_header& in, const Answer& body) const {
    fuse_out_header out = {sizeof out + sizeof body, 0, in.unique};
    std::array<iovec, 2> parts = {{{&out, sizeof out}, {const_cast<Answer*>(&body), sizeof body}}};
    [[maybe_unused]] const auto written = ::writev(fuse_, parts.data(), parts.size());
  }

  void refuse(const fuse_in_header& in) const {
    const fuse_out_header out = {sizeof out, -ENOSYS, in.unique};
    [[maybe_unused]] const auto written = ::write(fuse_, &out, sizeof out);
  }

  int fuse_;
  std::array<char, 1 << 17> buffer_ = {};
};

[[noreturn]] void serve(int fuse, int life, const std::string& folder) {
  ::setpgid(0, 0);  // Ctrl-C at the test is told to us by the pipe
  Server(fuse).run(life);
  ::umount2(folder.c_str(), MNT_DETACH);
  ::_exit(0);  // which closes the connection: every sleeper gets an error
}

}  // namespace

StuckFiles::StuckFiles(std::string folder) : folder_(std::move(folder)) {
  const int fuse = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0) {
    why_ = std::string("/dev/fuse: ") + std::strerror(errno);
    return;
  }
  const std::string options = "fd=" + std::to_string(fuse) +
                              ",rootmode=40000,user_id=" + std::to_string(::getuid()) +
                              ",group_id=" + std::to_string(::getgid()) + ",allow_other";
  int life[2] = {-1, -1};
  if (::mount("stuck", folder_.c_str(), "fuse.stuck", MS_NOSUID | MS_NODEV, options.c_str()) != 0 ||
      ::pipe2(life, O_CLOEXEC) != 0) {
    why_ = "mount " + folder_ + ": " + std::strerror(errno);
    ::close(fuse);
    return;
  }
  server_ = ::fork();
  if (server_ == 0) {
    ::close(life[1]);
    serve(fuse, life[0], folder_);
  }
  ::close(fuse);
  ::close(life[0]);
  life_ = life[1];
}

void StuckFiles::end() {
  if (server_ <= 0) return;
  ::close(life_);
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
}

std::vector<Sleeper> sleepers(const std::string& name) {
  std::vector<Sleeper> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string number = entry.path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "status");
    const std::string status((std::istreambuf_iterator<char>(file)), {});
    const auto value = [&status](const std::string& key, int base) -> std::uint64_t {
      const auto at = status.find("\n" + key + ":\t");
      return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + key.size() + 3, nullptr, base);
    };
    if (status.rfind("Name:\t" + name, 0) != 0 || (value("SigPnd", 16) >> (SIGKILL - 1) & 1) == 0) continue;
    found.push_back({std::stoi(number), static_cast<pid_t>(value("PPid", 10)),
                     std::filesystem::read_symlink(entry.path() / "cwd", error).string()});
  }
  return found;
}

int own_sleepers(const std::string& name) {
  const auto all = sleepers(name);
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const Sleeper& one) { return one.parent == ::getpid(); }));
}

}  // namespace gpuwright::tests
