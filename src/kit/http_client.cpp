// Asking; see the header. Names are looked up by getaddrinfo_a(3), for getaddrinfo(3) has no deadline; a
// lookup that gives no answer is left to its thread.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_client.h"

#include "base/files.h"
#include "base/text.h"
#include "base/url.h"
#include "kit/channel.h"
#include "kit/tls.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using Clock = std::chrono::steady_clock;
using Kind = Moved::Kind;

constexpr std::size_t kHeaderLimit = std::size_t{64} << 10;

base::Error too_late(std::string_view doing, const std::string& where) {
  return make_error(ErrorKind::TimedOut, fmt::format("no answer in time, while {}", doing), where);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

/// False when the deadline passes first.
bool wait_for(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    pollfd one = {fd, events, 0};
    const int left = milliseconds_until(deadline);
    const int ready = ::poll(&one, 1, left);
    if (ready > 0) return true;
    if (ready == 0 || left == 0 || errno != EINTR) return false;
  }
}

/// What getaddrinfo_a works with. It is not freed while its thread may write to it.
struct Lookup {
  std::string host;
  std::string port;
  addrinfo hints = {};
  gaicb request = {};
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> look_up(const base::Url& url, Clock::time_point deadline) {
  auto lookup = std::make_unique<Lookup>(Lookup{url.host, std::to_string(url.port), {}, {}});
  lookup->hints.ai_socktype = SOCK_STREAM;
  lookup->hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* numeric = nullptr;
  if (::getaddrinfo(lookup->host.c_str(), lookup->port.c_str(), &lookup->hints, &numeric) == 0)
    return Addresses(numeric);
  lookup->hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  lookup->request.ar_name = lookup->host.c_str();
  lookup->request.ar_service = lookup->port.c_str();
  lookup->request.ar_request = &lookup->hints;
  gaicb* list[] = {&lookup->request};
  if (::getaddrinfo_a(GAI_NOWAIT, list, 1, nullptr) != 0)
    return make_error(ErrorKind::Io, "names cannot be looked up here", url.host);
  int state = ::gai_error(&lookup->request);
  while (state == EAI_INPROGRESS && milliseconds_until(deadline) > 0) {
    const int left = milliseconds_until(deadline);
    const timespec pause = {left / 1000, (left % 1000) * 1'000'000L};
    ::gai_suspend(list, 1, &pause);
    state = ::gai_error(&lookup->request);
  }
  if (state == EAI_INPROGRESS && ::gai_cancel(&lookup->request) != EAI_CANCELED) {
    [[maybe_unused]] const Lookup* left_behind = lookup.release();
    return too_late("looking up the host's name", url.host);
  }
  if (state == EAI_INPROGRESS) return too_late("looking up the host's name", url.host);
  if (state != 0)
    return make_error(ErrorKind::NotFound, fmt::format("the host is not known ({})", ::gai_strerror(state)),
                      url.host);
  return Addresses(lookup->request.ar_result);
}

Result<base::Fd> connect_one(const addrinfo& address, Clock::time_point deadline, const std::string& where) {
  base::Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return base::system_error(errno, where);
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) return fd;
  if (errno != EINPROGRESS) return base::system_error(errno, where);
  if (!wait_for(fd.get(), POLLOUT, deadline)) return too_late("connecting", where);
  int failed = 0;
  socklen_t size = sizeof failed;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
  if (failed != 0) return base::system_error(failed, where);
  return fd;
}

/// Tries each address of the host, and keeps time for the others.
Result<base::Fd> connect_to(const base::Url& url, Clock::time_point deadline) {
  const std::string where = base::host_port_text(url.host, url.port);
  GPUWRIGHT_TRY(const Addresses addresses, look_up(url, deadline));
  int left = 0;
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) ++left;
  Result<base::Fd> last = make_error(ErrorKind::NotFound, "the host has no address", where);
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next, --left) {
    const auto now = Clock::now();
    if (now >= deadline) return too_late("connecting", where);
    last = connect_one(*one, now + (deadline - now) / left, where);
    if (last.ok()) return last;
  }
  return last;
}

/// One connection, with its deadline.
class Line {
 public:
  Line(int fd, std::unique_ptr<Channel> channel, std::string where, Clock::time_point deadline)
      : fd_(fd), channel_(std::move(channel)), where_(std::move(where)), deadline_(deadline) {}

  base::Status shake_hands() {
    for (;;) {
      const Moved moved = channel_->handshake();
      if (moved.kind == Kind::Bytes) return base::Done{};
      if (!waits(moved))
        return make_error(ErrorKind::Denied, fmt::format("no TLS connection: {}", why("it was closed")),
                          where_);
      if (!ready(moved)) return too_late("agreeing on encryption", where_);
    }
  }

  base::Status send(std::string_view bytes) {
    while (!bytes.empty()) {
      const iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
      const Moved moved = channel_->write({&piece, 1});
      bytes.remove_prefix(moved.bytes);
      if (moved.kind == Kind::Bytes) continue;
      if (!waits(moved)) return base::Done{};  // it may have answered before it had heard all
      if (!ready(moved)) return too_late("asking", where_);
    }
    return base::Done{};
  }

  base::Status receive(HttpResponseReader& reader) {
    std::string input;
    HttpProgress progress = HttpProgress::NeedsMore;
    while (progress == HttpProgress::NeedsMore) {
      const Moved moved = channel_->read(buffer_);
      if (moved.kind == Kind::Bytes) {
        input.append(buffer_.data(), moved.bytes);
        std::string_view left = input;
        progress = reader.take(left);
        input.erase(0, input.size() - left.size());
      } else if (moved.kind == Kind::Ended) {
        progress = reader.end();
      } else if (!waits(moved)) {
        return make_error(ErrorKind::Io, fmt::format("the connection broke: {}", why("reset")), where_);
      } else if (!ready(moved)) {
        return too_late("waiting for the answer", where_);
      }
      if (Clock::now() > deadline_ && progress == HttpProgress::NeedsMore)
        return too_late("reading the answer", where_);
    }
    if (progress == HttpProgress::Complete) return base::Done{};
    return make_error(ErrorKind::Malformed, fmt::format("the answer cannot be read: {}", reader.why()),
                      where_);
  }

 private:
  static bool waits(const Moved& moved) {
    return moved.kind == Kind::NeedsRead || moved.kind == Kind::NeedsWrite;
  }

  bool ready(const Moved& moved) const {
    return wait_for(fd_, moved.kind == Kind::NeedsRead ? POLLIN : POLLOUT, deadline_);
  }

  std::string why(std::string_view otherwise) const {
    const std::string reason = channel_->why();
    return reason.empty() ? std::string(otherwise) : reason;
  }

  int fd_;
  std::unique_ptr<Channel> channel_;
  std::string where_;
  Clock::time_point deadline_;
  std::array<char, std::size_t{16} << 10> buffer_ = {};
};

Result<std::string> request_text(const HttpCall& call, const base::Url& url) {
  const bool usual_port = url.port == (url.scheme == "https" ? 443 : 80);
  std::string host = base::host_port_text(url.host, url.port);
  if (usual_port) host.resize(host.rfind(':'));
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: gpuwright\r\nConnection: close\r\n", call.method,
                  url.target, host);
  if (!call.body.empty() || call.method == "POST")
    text += fmt::format("Content-Length: {}\r\n", call.body.size());
  for (const auto& [name, value] : call.headers) {
    const std::string line = fmt::format("{}: {}", name, value);
    if (std::any_of(line.begin(), line.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
      return make_error(ErrorKind::Malformed, "a header holds a control byte", base::printable(name));
    text += line + "\r\n";
  }
  return text + "\r\n" + call.body;
}

}  // namespace

Result<HttpAnswer> http_call(const HttpCall& call) {
  const auto deadline = Clock::now() + call.deadline;
  GPUWRIGHT_TRY(const base::Url url, base::parse_url(call.url));
  GPUWRIGHT_TRY(const std::string text, request_text(call, url));
  std::shared_ptr<const TlsContext> tls;
  if (url.scheme == "https") {
    GPUWRIGHT_TRY(tls, TlsContext::for_client(call.authorities));
  }
  GPUWRIGHT_TRY(const base::Fd fd, connect_to(url, deadline));
  std::unique_ptr<Channel> channel;
  if (tls) {
    GPUWRIGHT_TRY(channel, tls->connect(fd.get(), url.host));
  } else {
    channel = plain_channel(fd.get());
  }
  Line line(fd.get(), std::move(channel), base::host_port_text(url.host, url.port), deadline);
  GPUWRIGHT_TRY([[maybe_unused]] auto ready, line.shake_hands());
  GPUWRIGHT_TRY([[maybe_unused]] auto sent, line.send(text));
  HttpResponseReader reader(kHeaderLimit, call.answer_limit, call.method == "HEAD");
  GPUWRIGHT_TRY([[maybe_unused]] auto received, line.receive(reader));
  return HttpAnswer{reader.status(), reader.headers(), std::move(reader.body())};
}

Result<HttpAnswer> http_get(const std::string& url, std::chrono::milliseconds deadline) {
  HttpCall call;
  call.url = url;
  call.deadline = deadline;
  return http_call(call);
}

Result<HttpAnswer> http_post(const std::string& url, std::string body, std::string content_type,
                             std::chrono::milliseconds deadline) {
  HttpCall call;
  call.url = url;
  call.method = "POST";
  call.headers.push_back({"Content-Type", std::move(content_type)});
  call.body = std::move(body);
  call.deadline = deadline;
  return http_call(call);
}

}  // namespace gpuwright::kit
