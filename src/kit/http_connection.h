// One client of the HTTP server, from its first byte to its last: reading a request, answering, keeping the
// connection or ending it, or sending events. Used by kit/http.cpp alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "kit/channel.h"
#include "kit/event_loop.h"
#include "kit/event_stream.h"
#include "kit/http.h"
#include "kit/http_message.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::kit {

class HttpConnection;

/// What all connections of a server share.
struct HttpShared {
  HttpShared(EventLoop& its_loop, const HttpLimits& its_limits, HttpServer::Handler its_handler)
      : loop(its_loop), limits(its_limits), handler(std::move(its_handler)) {}

  EventLoop& loop;
  HttpLimits limits;
  HttpServer::Handler handler;
  HttpCounts counts;
  std::array<char, std::size_t{16} << 10> buffer = {};  ///< what was just read; one at a time reads
  std::function<void(HttpConnection&)> gone;            ///< called last; the connection may be dropped

  /// The Date header's line, made once a second.
  const std::string& date_line();

 private:
  std::int64_t date_second_ = -1;
  std::string date_line_;
};

class HttpConnection final : public EventStream::Client, public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Phase {
    Handshake,
    Idle,       ///< between two requests
    Reading,    ///< a request
    Waiting,    ///< for an answer that comes later
    Writing,    ///< an answer
    Streaming,  ///< events
    Leaving,    ///< all is said; until the client has read it
    Closed,
  };

  HttpConnection(HttpShared& shared, base::Fd fd, std::unique_ptr<Channel> channel, std::string peer);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Begins to serve. False when the loop does not take the descriptor.
  bool start();
  /// Says that there is no room, and leaves.
  bool refuse();
  void close();
  /// Acts where a deadline has passed.
  void check_time(Clock::time_point now);
  void offer(const EventStream::Text& text) override;

  Phase phase() const { return phase_; }
  /// Since when it has been in this phase; while it is Writing, since when nothing was taken.
  Clock::time_point since() const { return since_; }

 private:
  enum class Step { Again, Blocked };

  void go();
  Step step();
  Step shake_hands();
  Step read_request();
  HttpProgress take_input();
  Step understood(HttpProgress progress);
  Step stream();
  Step handle();
  Step write();
  Step wrote_all();
  Step leave();
  void answer(HttpResponse response);
  void answer_broken(int status);
  void await_later(HttpResponse promise);
  void begin_stream(const HttpResponse& response);
  std::string head_of(const HttpResponse& response) const;
  void queue(EventStream::Text text);
  void enter(Phase phase, std::chrono::milliseconds deadline);
  Step need(const Moved& moved);
  Step pause(bool readable, bool writable);
  void time_out();

  HttpShared& shared_;
  base::Fd fd_;
  std::unique_ptr<Channel> channel_;
  Watch watch_;
  Phase phase_ = Phase::Handshake;
  Clock::time_point since_;
  Clock::time_point deadline_;

  std::string peer_;
  std::string input_;  ///< came behind what was understood so far
  HttpRequestReader reader_;
  bool head_ = false;  ///< HEAD was asked
  bool version_1_0_ = false;
  bool keep_ = true;        ///< the connection, after this answer
  bool begun_ = false;      ///< some of this request has come
  bool unread_ = false;     ///< input_ holds what came behind the request before
  bool continued_ = false;  ///< "100 Continue" was said for this request
  bool handling_ = false;   ///< go() is at work
  std::size_t requests_ = 0;

  std::vector<EventStream::Text> output_;
  std::size_t output_first_ = 0;   ///< the first that is not sent
  std::size_t output_offset_ = 0;  ///< sent of it
  std::size_t output_bytes_ = 0;   ///< not sent yet
  std::shared_ptr<EventStream> events_;
  std::size_t dropped_bytes_ = 0;  ///< read while Leaving
};

}  // namespace gpuwright::kit
