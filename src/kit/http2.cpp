// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http2.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/core.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMessageHead = 5;  // a flag (compressed), and the size in four bytes
constexpr std::int32_t kWindow = 1 << 20;

nghttp2_nv header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 does not write there
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string framed(std::string_view message) {
  constexpr unsigned kByte = 8;
  std::string text(1, '\0');
  for (unsigned byte = 4; byte-- > 0;)
    text += static_cast<char>(static_cast<std::uint32_t>(message.size()) >> (kByte * byte));
  return text.append(message);
}

ErrorKind kind_of_status(std::int64_t status) {
  switch (status) {
    case 4:  // DEADLINE_EXCEEDED
      return ErrorKind::TimedOut;
    case 5:  // NOT_FOUND
      return ErrorKind::NotFound;
    case 7:   // PERMISSION_DENIED
    case 16:  // UNAUTHENTICATED
      return ErrorKind::Denied;
    case 12:  // UNIMPLEMENTED
      return ErrorKind::Unsupported;
    default:
      return ErrorKind::Io;
  }
}

/// One call: what is sent, and what has come.
struct Call {
  std::string request;
  std::size_t sent = 0;
  std::size_t limit = 0;
  std::string answer;
  std::string http_status, grpc_status, grpc_message, content_type;
  bool too_large = false;
  bool closed = false;
  std::uint32_t error_code = 0;
  bool any = false;  ///< something of the answer came
};

struct FreeSession {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};

base::Result<base::Fd> connect_to(const std::string& path, Clock::time_point until) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return make_error(ErrorKind::Malformed, "the path of a socket is not so long", path);
  std::copy(path.begin(), path.end(), address.sun_path);
  base::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return base::system_error(errno, path);
  for (;;) {
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return base::system_error(errno, path);
    if (Clock::now() >= until) return make_error(ErrorKind::TimedOut, "it takes no more connections", path);
    constexpr useconds_t kPause = 10'000;
    ::usleep(kPause);  // its queue is full; poll(2) does not tell when there is room
  }
}

}  // namespace

class GrpcChannel::Connection {
 public:
  Connection(base::Fd fd, std::string where) : fd_(std::move(fd)), where_(std::move(where)) {}

  base::Status open() {
    nghttp2_session_callbacks* callbacks = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) return trouble("no memory");
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session* session = nullptr;
    const int made = nghttp2_session_client_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    if (made != 0) return trouble(nghttp2_strerror(made));
    session_.reset(session);
    const std::array<nghttp2_settings_entry, 2> settings = {
        {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}}};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindow);
    return base::Done{};
  }

  base::Result<std::string> call(const std::string& method, std::string_view request,
                                 const GrpcLimits& limits, Clock::time_point until) {
    Call call;
    call.request = framed(request);
    call.limit = limits.answer_limit + kMessageHead;
    call_ = &call;
    auto answer = submit(method, limits);
    if (answer) {
      if (const auto done = exchange(call, until); !done) answer = done.error();
    }
    call_ = nullptr;
    broken_ = broken_ || !answer;
    if (!answer) return answer.error();
    return judge(call);
  }

  /// It cannot be used again.
  bool broken() const { return broken_; }
  /// The other side had closed it before anything of an answer came.
  bool was_closed() const { return was_closed_; }

 private:
  base::Error trouble(std::string why, ErrorKind kind = ErrorKind::Io) const {
    return make_error(kind, std::move(why), where_);
  }

  base::Status submit(const std::string& method, const GrpcLimits& limits) {
    const std::string timeout = fmt::format("{}m", limits.deadline.count());
    const std::array<nghttp2_nv, 8> headers = {header(":method", "POST"),
                                               header(":scheme", "http"),
                                               header(":path", method),
                                               header(":authority", "localhost"),
                                               header("content-type", "application/grpc"),
                                               header("te", "trailers"),
                                               header("grpc-timeout", timeout),
                                               header("user-agent", "gpuwright")};
    nghttp2_data_provider body = {};
    body.read_callback = read_request;
    stream_ = nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(), &body, nullptr);
    if (stream_ < 0) return trouble(nghttp2_strerror(stream_));
    return base::Done{};
  }

  base::Status exchange(Call& call, Clock::time_point until) {
    while (!call.closed) {
      if (call.too_large) return trouble("the answer is larger than it may be", ErrorKind::Malformed);
      GPUWRIGHT_TRY([[maybe_unused]] auto sent, send_what_waits());
      if (nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0)
        return spoke_ ? trouble("the service ended the connection")
                      : trouble("no HTTP/2", ErrorKind::Malformed);
      const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
      if (left.count() <= 0) return trouble("no answer in time", ErrorKind::TimedOut);
      pollfd waits = {fd_.get(), POLLIN, 0};
      if (!pending_.empty()) waits.events |= POLLOUT;
      if (::poll(&waits, 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
        return base::system_error(errno, where_);
      if ((waits.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      GPUWRIGHT_TRY([[maybe_unused]] auto received, receive(call));
    }
    return base::Done{};
  }

  base::Status send_what_waits() {
    for (;;) {
      if (pending_.empty()) {
        const std::uint8_t* data = nullptr;
        const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
        if (size < 0) return trouble(nghttp2_strerror(static_cast<int>(size)), ErrorKind::Malformed);
        if (size == 0) return base::Done{};
        pending_.assign(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
      }
      const ssize_t sent = ::send(fd_.get(), pending_.data(), pending_.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return base::Done{};
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) {
        was_closed_ = call_ != nullptr && !call_->any;
        return trouble("the service ended the connection");
      }
      pending_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  base::Status receive(Call& call) {
    std::array<std::uint8_t, 16'384> buffer;
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return base::Done{};
    if (got <= 0) {
      was_closed_ = !call.any;
      return trouble("the service ended the connection");
    }
    const ssize_t read =
        nghttp2_session_mem_recv(session_.get(), buffer.data(), static_cast<std::size_t>(got));
    if (read < 0)
      return trouble(fmt::format("no HTTP/2: {}", nghttp2_strerror(static_cast<int>(read))),
                     ErrorKind::Malformed);
    return base::Done{};
  }

  base::Result<std::string> judge(Call& call) const {
    if (call.error_code != 0)
      return trouble(fmt::format("the service broke off: {}", nghttp2_http2_strerror(call.error_code)));
    if (call.http_status != "200" || !call.content_type.starts_with("application/grpc"))
      return trouble(
          fmt::format("the answer is no gRPC (HTTP status {})", base::printable(call.http_status, 20)),
          ErrorKind::Malformed);
    const auto status = base::parse_int(call.grpc_status);
    if (!status) return trouble("the answer has no status of gRPC", ErrorKind::Malformed);
    if (*status != 0)
      return trouble(fmt::format("status {}: {}", *status, base::printable(call.grpc_message, 200)),
                     kind_of_status(*status));
    if (call.answer.size() < kMessageHead || call.answer[0] != 0 ||
        framed(std::string_view(call.answer).substr(kMessageHead))
                .compare(0, kMessageHead, call.answer, 0, kMessageHead) != 0)
      return trouble("the answer is not one plain message", ErrorKind::Malformed);
    return call.answer.substr(kMessageHead);
  }

  static Call* call_of(void* self, std::int32_t stream) {
    auto* const connection = static_cast<Connection*>(self);
    return stream == connection->stream_ ? connection->call_ : nullptr;
  }

  // NOLINTBEGIN(readability-function-size): nghttp2's own parameters
  static ssize_t read_request(nghttp2_session* /*session*/, std::int32_t stream, std::uint8_t* to,
                              std::size_t room, std::uint32_t* flags, nghttp2_data_source* /*source*/,
                              void* self) {
    Call* const call = call_of(self, stream);
    if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t size = std::min(room, call->request.size() - call->sent);
    std::copy_n(call->request.data() + call->sent, size, to);
    call->sent += size;
    if (call->sent == call->request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* /*frame*/, void* self) {
    static_cast<Connection*>(self)->spoke_ = true;
    return 0;
  }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t /*flags*/, void* self) {
    Call* const call = call_of(self, frame->hd.stream_id);
    if (call == nullptr) return 0;
    call->any = true;
    constexpr std::size_t kMost = 1000;
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), std::min(value_size, kMost));
    if (key == ":status") call->http_status = text;
    if (key == "content-type") call->content_type = text;
    if (key == "grpc-status") call->grpc_status = text;
    if (key == "grpc-message") call->grpc_message = text;
    return 0;
  }

  static int on_data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t stream,
                     const std::uint8_t* data, std::size_t size, void* self) {
    Call* const call = call_of(self, stream);
    if (call == nullptr) return 0;
    call->any = true;
    if (call->answer.size() + size > call->limit) {
      call->too_large = true;
    } else {
      call->answer.append(reinterpret_cast<const char*>(data), size);
    }
    return 0;
  }

  static int on_close(nghttp2_session* /*session*/, std::int32_t stream, std::uint32_t error_code,
                      void* self) {
    Call* const call = call_of(self, stream);
    if (call == nullptr) return 0;
    call->closed = true;
    call->error_code = error_code;
    return 0;
  }

  // NOLINTEND(readability-function-size)

  base::Fd fd_;
  std::string where_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::string pending_;  ///< to be sent
  Call* call_ = nullptr;
  std::int32_t stream_ = -1;
  bool spoke_ = false;  ///< a frame of HTTP/2 has come
  bool broken_ = false;
  bool was_closed_ = false;
};

GrpcChannel::GrpcChannel(std::string socket_path) : path_(std::move(socket_path)) {}

GrpcChannel::~GrpcChannel() = default;

base::Result<std::string> GrpcChannel::call(const std::string& method, std::string_view request,
                                            const GrpcLimits& limits) {
  const auto until = Clock::now() + limits.deadline;
  for (;;) {
    const bool kept = connection_ != nullptr;
    if (!kept) {
      GPUWRIGHT_TRY(auto fd, connect_to(path_, until));
      auto made = std::make_unique<Connection>(std::move(fd), path_);
      GPUWRIGHT_TRY([[maybe_unused]] auto opened, made->open());
      connection_ = std::move(made);
      ++connections_;
    }
    auto answer = connection_->call(method, request, limits, until);
    const bool again = kept && connection_->was_closed();
    if (connection_->broken()) connection_.reset();
    if (!again) return answer;
  }
}

}  // namespace gpuwright::kit
