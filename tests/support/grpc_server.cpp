// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/grpc_server.h"

#include "base/files.h"

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace gpuwright::tests {

namespace {

constexpr std::size_t kHugeSize = std::size_t{64} << 20;

std::string framed(const std::string& message, std::size_t told) {
  std::string text(1, '\0');
  for (unsigned shift = 32; shift > 0; shift -= 8)
    text += static_cast<char>((static_cast<std::uint32_t>(told) >> (shift - 8)) & 0xffU);
  return text + message;
}

/// One connection, and what it says to its one kind of call.
struct Serving {
  GrpcManner manner;
  std::string body;
  std::size_t sent = 0;
  bool done = false;
};

nghttp2_nv field(const char* name, const char* value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name)),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value)), std::strlen(name), std::strlen(value),
          NGHTTP2_NV_FLAG_NONE};
}

ssize_t read_body(nghttp2_session* session, std::int32_t stream, std::uint8_t* to, std::size_t room,
                  std::uint32_t* flags, nghttp2_data_source* /*source*/, void* data) {
  auto& serving = *static_cast<Serving*>(data);
  const std::size_t size = std::min(room, serving.body.size() - serving.sent);
  std::memcpy(to, serving.body.data() + serving.sent, size);
  serving.sent += size;
  if (serving.sent == serving.body.size()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const std::array<nghttp2_nv, 1> trailers = {field("grpc-status", "0")};
    nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
    serving.done = true;
  }
  return static_cast<ssize_t>(size);
}

int answer(nghttp2_session* session, const nghttp2_frame* frame, void* data) {
  auto& serving = *static_cast<Serving*>(data);
  const bool asked = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                     (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS);
  if (!asked || serving.manner == GrpcManner::Hangs) return 0;
  const std::int32_t stream = frame->hd.stream_id;
  if (serving.manner == GrpcManner::Breaks)
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
  if (serving.manner == GrpcManner::NoGrpc) {
    const std::array<nghttp2_nv, 1> headers = {field(":status", "404")};
    return nghttp2_submit_response(session, stream, headers.data(), headers.size(), nullptr);
  }
  if (serving.manner == GrpcManner::Refuses) {
    const std::array<nghttp2_nv, 4> headers = {field(":status", "200"),
                                               field("content-type", "application/grpc"),
                                               field("grpc-status", "7"), field("grpc-message", "not you")};
    return nghttp2_submit_response(session, stream, headers.data(), headers.size(), nullptr);
  }
  const std::array<nghttp2_nv, 2> headers = {field(":status", "200"),
                                             field("content-type", "application/grpc")};
  nghttp2_data_provider body = {};
  body.read_callback = read_body;
  serving.sent = 0;
  serving.done = false;
  return nghttp2_submit_response(session, stream, headers.data(), headers.size(), &body);
}

bool send_all(int fd, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

void serve(int fd, Serving serving) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, answer);
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new(&session, callbacks, &serving);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  for (bool open = true; open;) {
    const std::uint8_t* data = nullptr;
    while (open) {
      const ssize_t size = nghttp2_session_mem_send(session, &data);
      if (size <= 0) break;
      open = send_all(fd, data, static_cast<std::size_t>(size));
    }
    if (serving.done && serving.manner == GrpcManner::ClosesAfter) ::shutdown(fd, SHUT_WR);
    std::array<std::uint8_t, 16384> buffer;
    const ssize_t got = open ? ::recv(fd, buffer.data(), buffer.size(), 0) : 0;
    open = got > 0 && nghttp2_session_mem_recv(session, buffer.data(), static_cast<std::size_t>(got)) >= 0;
  }
  nghttp2_session_del(session);
}

}  // namespace

GrpcServer::GrpcServer(const std::string& path, GrpcManner manner, std::string message) : path_(path) {
  const base::Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof address.sun_path);
  std::copy(path.begin(), path.end(), address.sun_path);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener.get(), 8), 0);
  if (manner == GrpcManner::Huge) message = std::string(kHugeSize, 'x');
  const std::size_t told = message.size() + (manner == GrpcManner::Truncated ? 10 : 0);
  const std::string body = framed(message, told);
  const int fd = listener.get();
  auto server = host::Forked::start(
      "test-grpc",
      [fd, manner, &body](int life) {
        for (;;) {
          std::array<pollfd, 2> waits = {{{fd, POLLIN, 0}, {life, POLLIN, 0}}};
          if (::poll(waits.data(), waits.size(), -1) < 0 || waits[1].revents != 0) return;
          const base::Fd client(::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC));
          if (!client.valid()) continue;
          if (manner == GrpcManner::Garbage) {
            (void)send_all(client.get(), "HTTP/1.1 400 Bad Request\r\n\r\nnothing here", 40);
            for (char c = 0; ::recv(client.get(), &c, 1, 0) > 0;) {
            }
          } else {
            serve(client.get(), {manner, body});
          }
        }
      },
      fd);
  EXPECT_TRUE(server.ok());
  if (server) server_ = std::move(*server);
}

GrpcServer::~GrpcServer() {
  (void)server_.end();
  ::unlink(path_.c_str());
}

}  // namespace gpuwright::tests
