// Plain TCP; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "kit/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace gpuwright::kit {

namespace {

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(int fd) : fd_(fd) {}

  Moved handshake() override { return {Moved::Kind::Bytes, 0}; }

  Moved read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got > 0) return {Moved::Kind::Bytes, static_cast<std::size_t>(got)};
      if (got == 0) return {Moved::Kind::Ended, 0};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {Moved::Kind::NeedsRead, 0};
      if (errno != EINTR) return fail();
    }
  }

  Moved write(std::span<const iovec> pieces) override {
    msghdr message = {};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    for (;;) {
      const ssize_t sent = ::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent >= 0) return {Moved::Kind::Bytes, static_cast<std::size_t>(sent)};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {Moved::Kind::NeedsWrite, 0};
      if (errno != EINTR) return fail();
    }
  }

  bool holds_bytes() const override { return false; }
  void finish() override { ::shutdown(fd_, SHUT_WR); }
  bool encrypted() const override { return false; }
  std::string peer_name() const override { return {}; }
  std::string why() const override { return error_ == 0 ? std::string() : std::strerror(error_); }

 private:
  Moved fail() {
    error_ = errno;
    return {Moved::Kind::Failed, 0};
  }

  int fd_;
  int error_ = 0;
};

}  // namespace

std::unique_ptr<Channel> plain_channel(int fd) {
  return std::make_unique<PlainChannel>(fd);
}

}  // namespace gpuwright::kit
