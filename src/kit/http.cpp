// Listening, taking connections, making room for more; see the header. What one connection does is in
// kit/http_connection.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http.h"

#include "base/files.h"
#include "base/text.h"
#include "base/url.h"
#include "kit/http_connection.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using Clock = HttpConnection::Clock;
using Phase = HttpConnection::Phase;

constexpr int kWaitingToBeAccepted = 1024;
constexpr int kAcceptedAtOnce = 64;
constexpr std::size_t kLeavingAtOnce = 64;           // beside those that are served
constexpr std::chrono::milliseconds kStalled{1000};  // who takes nothing for so long may have to make room
constexpr std::chrono::milliseconds kNoDescriptors{100};

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

base::Result<Address> address_of(const std::string& text, int port) {
  const std::string numeric = text == "localhost" ? "127.0.0.1" : text;
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(numeric.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    return make_error(ErrorKind::Malformed,
                      "no address to listen on; write it as 127.0.0.1:9400 or [::1]:9400",
                      base::printable(text));
  Address address;
  address.size = found->ai_addrlen;
  std::copy_n(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen,
              reinterpret_cast<char*>(&address.storage));
  ::freeaddrinfo(found);
  return address;
}

/// Without the prefix that IPv4 clients have at an IPv6 listener.
std::string peer_text(const Address& address) {
  char text[NI_MAXHOST] = {};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.size, text, sizeof text,
                    nullptr, 0, NI_NUMERICHOST) != 0)
    return "unknown";
  const std::string_view peer = text;
  return std::string(base::starts_with_ignoring_case(peer, "::ffff:") ? peer.substr(7) : peer);
}

base::Error cannot_listen(int error_number, const std::string& address, int port) {
  const std::string where = base::host_port_text(address, port);
  if (error_number == EADDRINUSE)
    return make_error(ErrorKind::Conflict,
                      fmt::format("port {} is taken by another program; name another with --listen", port),
                      where);
  if (error_number == EADDRNOTAVAIL)
    return make_error(ErrorKind::NotFound, "this machine does not have that address", where);
  return base::system_error(error_number, where);
}

base::Result<base::Fd> listener(const std::string& text, int port) {
  GPUWRIGHT_TRY(const Address address, address_of(text, port));
  base::Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return cannot_listen(errno, text, port);
  const int on = 1;
  const int off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.storage.ss_family == AF_INET6)
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      ::listen(fd.get(), kWaitingToBeAccepted) != 0)
    return cannot_listen(errno, text, port);
  return fd;
}

}  // namespace

class HttpServer::Listening {
 public:
  Listening(EventLoop& loop, HttpOptions options, Handler handler)
      : options_(std::move(options)), shared_(loop, options_.limits, std::move(handler)) {
    shared_.gone = [this](HttpConnection& connection) { gone(connection); };
  }

  base::Status start() {
    GPUWRIGHT_TRY([[maybe_unused]] auto tls, reload_tls());
    GPUWRIGHT_TRY(fd_, listener(options_.address, options_.port));
    GPUWRIGHT_TRY(watch_, shared_.loop.watch(
                              fd_.get(), [this] { accept_some(); }, [] {}));
    watch_.want(true, false);
    return base::Done{};
  }

  ~Listening() {
    watch_.cancel();
    for (const auto& connection : std::vector<std::shared_ptr<HttpConnection>>(connections_))
      connection->close();
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  int port() const {
    sockaddr_storage bound = {};
    socklen_t size = sizeof bound;
    if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
    return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  }

  HttpCounts counts() const {
    HttpCounts counts = shared_.counts;
    counts.open = static_cast<std::int64_t>(connections_.size());
    return counts;
  }

  base::Status reload_tls() {
    if (!options_.tls) return base::Done{};
    GPUWRIGHT_TRY(tls_, TlsContext::for_server(*options_.tls));
    return base::Done{};
  }

 private:
  void accept_some() {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      Address address;
      address.size = sizeof address.storage;
      base::Fd fd(::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&address.storage), &address.size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (fd.valid()) {
        ++shared_.counts.accepted;
        take(std::move(fd), peer_text(address));
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        rest();
        return;
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return;
      }
    }
  }

  /// No descriptors are left: the one that waits to be accepted would call us for ever.
  void rest() {
    make_room();
    watch_.want(false, false);
    rest_ = shared_.loop.after(kNoDescriptors, [this] { watch_.want(true, false); });
  }

  void take(base::Fd fd, std::string peer) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const bool room = serving() < shared_.limits.connections || make_room();
    if (!room) ++shared_.counts.refused;
    if (!room && tls_) return;
    if (connections_.size() >= shared_.limits.connections + kLeavingAtOnce &&
        !spare([](const HttpConnection& one) { return one.phase() == Phase::Leaving ? 1 : 0; }))
      return;
    std::unique_ptr<Channel> channel;
    if (tls_) {
      auto encrypted = tls_->accept(fd.get());
      if (!encrypted.ok()) return;
      channel = std::move(encrypted).value();
    } else {
      channel = plain_channel(fd.get());
    }
    auto connection =
        std::make_shared<HttpConnection>(shared_, std::move(fd), std::move(channel), std::move(peer));
    connections_.push_back(connection);
    if (!(room ? connection->start() : connection->refuse())) gone(*connection);
    if (!sweep_.active() && !connections_.empty())
      sweep_ = shared_.loop.every(sweep_period(), [this] { sweep(); });
  }

  /// Those that take a place. Who leaves, or was refused, is gone in a second.
  std::size_t serving() const {
    if (connections_.size() < shared_.limits.connections) return connections_.size();
    return static_cast<std::size_t>(
        std::count_if(connections_.begin(), connections_.end(),
                      [](const auto& connection) { return connection->phase() != Phase::Leaving; }));
  }

  /// Closes one of those that are served and can best be spared. False when there is none.
  bool make_room() {
    const auto now = Clock::now();
    const bool made = spare([&](const HttpConnection& one) {
      if (one.phase() == Phase::Idle) return 3;
      if (one.phase() == Phase::Reading || one.phase() == Phase::Handshake) return 2;
      return one.phase() == Phase::Writing && now - one.since() > kStalled ? 1 : 0;
    });
    if (made) ++shared_.counts.made_room;
    return made;
  }

  /// Closes the one of the highest rank above 0, the oldest of these. False when all have 0.
  template <class Rank>
  bool spare(const Rank& rank_of) {
    std::shared_ptr<HttpConnection> spared;
    int best = 0;
    for (const auto& one : connections_) {
      const int rank = rank_of(*one);
      if (rank > best || (rank == best && best > 0 && one->since() < spared->since())) {
        best = rank;
        spared = one;
      }
    }
    if (!spared) return false;
    spared->close();
    return true;
  }

  std::chrono::milliseconds sweep_period() const {
    const HttpLimits& limits = shared_.limits;
    const auto shortest =
        std::min({limits.send, limits.idle, limits.take, limits.later, limits.stream_comment});
    return std::clamp(shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(500));
  }

  void sweep() {
    const auto now = Clock::now();
    for (const auto& connection : std::vector<std::shared_ptr<HttpConnection>>(connections_))
      connection->check_time(now);
    if (connections_.empty()) sweep_.cancel();
  }

  void gone(HttpConnection& connection) {
    const auto found = std::find_if(connections_.begin(), connections_.end(),
                                    [&](const auto& one) { return one.get() == &connection; });
    if (found == connections_.end()) return;
    const auto last = std::prev(connections_.end());
    const std::shared_ptr<HttpConnection> kept = std::move(*found);
    if (found != last) *found = std::move(*last);
    connections_.pop_back();
  }

  HttpOptions options_;
  HttpShared shared_;
  std::shared_ptr<const TlsContext> tls_;
  base::Fd fd_;
  Watch watch_;
  std::vector<std::shared_ptr<HttpConnection>> connections_;
  Waiting sweep_;
  Waiting rest_;
};

HttpServer::HttpServer(std::unique_ptr<Listening> listening) : listening_(std::move(listening)) {}
HttpServer::~HttpServer() = default;

base::Result<std::unique_ptr<HttpServer>> HttpServer::listen(EventLoop& loop, HttpOptions options,
                                                             Handler handler) {
  auto listening = std::make_unique<Listening>(loop, std::move(options), std::move(handler));
  GPUWRIGHT_TRY([[maybe_unused]] auto started, listening->start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listening)));
}

int HttpServer::port() const {
  return listening_->port();
}
HttpCounts HttpServer::counts() const {
  return listening_->counts();
}
base::Status HttpServer::reload_tls() {
  return listening_->reload_tls();
}

}  // namespace gpuwright::kit
