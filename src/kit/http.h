// An HTTP/1.1 server on an event loop: keep-alive, pipelining, TLS where wanted, and limits on all that a
// client may take: bytes, time, connections. A client that sends slowly, takes slowly, sends nonsense or
// comes a thousand times costs a bounded amount, and holds up nobody else. Source: RFC 9112.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/event_loop.h"
#include "kit/http_message.h"
#include "kit/tls.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gpuwright::kit {

struct HttpLimits {
  std::size_t header_bytes = std::size_t{16} << 10;  ///< request line and headers: else 431
  std::size_t body_bytes = std::size_t{64} << 10;    ///< else 413
  /// Clients at once. Where a further one comes, the connection that has been idle longest makes room, else
  /// the one that has been sending its request longest, else the one that has not taken its answer for more
  /// than a second; where all are being served it gets 503.
  std::size_t connections = 256;
  std::size_t requests = 100'000;           ///< on one connection; then it is closed
  std::chrono::milliseconds send{10'000};   ///< to send a request, or to finish a TLS handshake: else 408
  std::chrono::milliseconds idle{60'000};   ///< between two requests
  std::chrono::milliseconds take{30'000};   ///< to take an answer
  std::chrono::milliseconds later{30'000};  ///< for an answer that comes later: else 504
  std::size_t streams = 64;                 ///< of the connections, those with events: else 503
  std::size_t stream_bytes = std::size_t{256} << 10;  ///< waiting for one client: else it is dropped
  std::chrono::milliseconds stream_comment{15'000};   ///< a comment is sent where nothing else was, so that
                                                      ///< nobody between us thinks that the stream is dead
};

/// What has happened since the start.
struct HttpCounts {
  std::int64_t open = 0;     ///< connections now
  std::int64_t streams = 0;  ///< of them, those with events
  std::int64_t accepted = 0;
  std::int64_t refused = 0;    ///< got 503 or were closed, because all were being served
  std::int64_t made_room = 0;  ///< were closed for another
  std::int64_t answered = 0;
  std::int64_t malformed = 0;  ///< requests that were none, or too large
  std::int64_t timed_out = 0;
  std::int64_t streams_dropped = 0;  ///< took their events too slowly
};

struct HttpOptions {
  std::string address = "127.0.0.1";  ///< of this machine, numeric or "localhost"; "::" is IPv4 too
  int port = 0;                       ///< 0: any that is free
  HttpLimits limits;
  std::optional<TlsFiles> tls;
};

class HttpServer {
 public:
  /// Answers a request, at once: it must not block. HEAD is asked like GET; the body is left out afterwards.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Listens; requests are answered as soon as the loop runs. The loop must outlive the server. Errors:
  /// Conflict (the port is taken), Denied (the port needs privilege), NotFound (the machine has no such
  /// address), Malformed (no address), those of the TLS files, Io.
  static base::Result<std::unique_ptr<HttpServer>> listen(EventLoop& loop, HttpOptions options,
                                                          Handler handler);

  /// Closes all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  HttpCounts counts() const;
  /// Reads the TLS files again, for new connections; on an error the old ones stay in use.
  base::Status reload_tls();

 private:
  class Listening;
  explicit HttpServer(std::unique_ptr<Listening> listening);
  std::unique_ptr<Listening> listening_;
};

}  // namespace gpuwright::kit
