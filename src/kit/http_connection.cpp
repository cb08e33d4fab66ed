// One client; see the header. A small machine: each phase does one step without waiting, until one says that
// it can go on only when the descriptor is ready.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_connection.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

namespace gpuwright::kit {

namespace {

using Milliseconds = std::chrono::milliseconds;
using Kind = Moved::Kind;

constexpr std::size_t kRequestsAtOnce = 16;                    // of one client, before others have their turn
constexpr Milliseconds kLeaving{1000};                         // for the client to read the last answer
constexpr std::size_t kLeavingBytes = std::size_t{256} << 10;  // read and dropped meanwhile
constexpr int kStreamBuffer = 64 << 10;                        // of the kernel: old events help nobody
constexpr std::size_t kKeptInput = 4096;
constexpr std::size_t kPiecesAtOnce = 16;

/// A header's value, on one line whatever it holds.
void add_header(std::string& head, std::string_view name, std::string_view value) {
  const auto add = [&](std::string_view text) {
    for (const char c : text) head += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  };
  add(name);
  head += ": ";
  add(value);
  head += "\r\n";
}

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

const std::string& HttpShared::date_line() {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (now != date_second_) {
    std::tm day = {};
    ::gmtime_r(&now, &day);
    date_second_ = now;
    date_line_ =
        fmt::format("Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n", kDays[day.tm_wday], day.tm_mday,
                    kMonths[day.tm_mon], day.tm_year + 1900, day.tm_hour, day.tm_min, day.tm_sec);
  }
  return date_line_;
}

HttpConnection::HttpConnection(HttpShared& shared, base::Fd fd, std::unique_ptr<Channel> channel,
                               std::string peer)
    : shared_(shared),
      fd_(std::move(fd)),
      channel_(std::move(channel)),
      peer_(std::move(peer)),
      reader_(shared.limits.header_bytes, shared.limits.body_bytes) {}

HttpConnection::~HttpConnection() {
  if (events_) events_->unsubscribe(this);
}

bool HttpConnection::start() {
  const auto call = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->go();
  };
  auto watch = shared_.loop.watch(fd_.get(), call, call);
  if (!watch.ok()) return false;
  watch_ = std::move(watch).value();
  enter(channel_->encrypted() ? Phase::Handshake : Phase::Reading, shared_.limits.send);
  watch_.want(true, false);
  return true;
}

bool HttpConnection::refuse() {
  if (!start()) return false;
  keep_ = false;
  HttpResponse response = text_response(503, "too many clients; try again later\n");
  response.headers.push_back({"Retry-After", "1"});
  answer(std::move(response));
  go();
  return true;
}

void HttpConnection::close() {
  if (phase_ == Phase::Closed) return;
  if (events_) --shared_.counts.streams;
  phase_ = Phase::Closed;
  if (events_) std::exchange(events_, nullptr)->unsubscribe(this);
  watch_.cancel();
  fd_.reset();
  output_.clear();
  if (!handling_) shared_.gone(*this);
}

void HttpConnection::go() {
  if (handling_ || phase_ == Phase::Closed) return;
  const auto self = shared_from_this();
  handling_ = true;
  const std::size_t enough = requests_ + kRequestsAtOnce;
  while (step() == Step::Again) {
    if (requests_ < enough || phase_ == Phase::Streaming) continue;
    pause(false, true);  // it can be written to: called again when the others have had their turn
    break;
  }
  handling_ = false;
  if (phase_ == Phase::Closed) shared_.gone(*this);
}

HttpConnection::Step HttpConnection::step() {
  switch (phase_) {
    case Phase::Handshake:
      return shake_hands();
    case Phase::Idle:
    case Phase::Reading:
      return read_request();
    case Phase::Writing:
      return write();
    case Phase::Streaming:
      return stream();
    case Phase::Leaving:
      return leave();
    case Phase::Waiting:
      return pause(false, false);
    case Phase::Closed:
      break;
  }
  return Step::Blocked;
}

HttpConnection::Step HttpConnection::shake_hands() {
  const Moved moved = channel_->handshake();
  if (moved.kind != Kind::Bytes) return need(moved);
  enter(Phase::Reading, shared_.limits.send);
  return Step::Again;
}

HttpConnection::Step HttpConnection::read_request() {
  if (std::exchange(unread_, false)) {
    const HttpProgress progress = take_input();
    if (progress != HttpProgress::NeedsMore) return understood(progress);
  }
  const Moved moved = channel_->read(shared_.buffer);
  if (moved.kind != Kind::Bytes) return need(moved);
  if (phase_ == Phase::Idle) enter(Phase::Reading, shared_.limits.send);
  begun_ = true;
  input_.append(shared_.buffer.data(), moved.bytes);
  return understood(take_input());
}

HttpProgress HttpConnection::take_input() {
  std::string_view left = input_;
  const HttpProgress progress = reader_.take(left);
  input_.erase(0, input_.size() - left.size());
  return progress;
}

HttpConnection::Step HttpConnection::understood(HttpProgress progress) {
  if (progress == HttpProgress::Complete) return handle();
  if (progress == HttpProgress::Broken) {
    ++shared_.counts.malformed;
    answer_broken(reader_.broken_status());
    return Step::Again;
  }
  if (!continued_ && reader_.wants_continue()) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    continued_ = true;
    const iovec piece = {const_cast<char*>(kContinue.data()), kContinue.size()};
    const Moved moved = channel_->write({&piece, 1});
    if (moved.kind != Kind::Bytes || moved.bytes != kContinue.size()) close();
  }
  return Step::Again;
}

HttpConnection::Step HttpConnection::handle() {
  HttpRequest& request = reader_.request();
  request.peer = peer_;
  request.over_tls = channel_->encrypted();
  if (request.over_tls) request.client_name = channel_->peer_name();
  head_ = request.method == "HEAD";
  version_1_0_ = request.version_1_0;
  keep_ = reader_.keep_alive() && requests_ + 1 < shared_.limits.requests;
  HttpResponse response = shared_.handler(request);
  if (response.later)
    await_later(std::move(response));
  else
    answer(std::move(response));
  return Step::Again;
}

void HttpConnection::await_later(HttpResponse promise) {
  enter(Phase::Waiting, shared_.limits.later);
  const auto later = std::move(promise.later);
  later->deliver_to([weak = weak_from_this(), headers = std::move(promise.headers)](HttpResponse response) {
    const auto self = weak.lock();
    if (!self || self->phase_ != Phase::Waiting) return;
    response.headers.insert(response.headers.end(), headers.begin(), headers.end());
    self->answer(std::move(response));
    self->go();
  });
}

void HttpConnection::answer_broken(int status) {
  keep_ = false;
  head_ = false;
  answer(text_response(status, fmt::format("{}\n", status_phrase(status))));
}

void HttpConnection::answer(HttpResponse response) {
  if (response.events && static_cast<std::size_t>(shared_.counts.streams) >= shared_.limits.streams)
    response = text_response(503, "too many clients follow the events; try again later\n");
  if (response.events) keep_ = false;
  queue(std::make_shared<const std::string>(head_of(response)));
  if (response.body && !head_ && !has_no_body(response.status)) queue(std::move(response.body));
  if (response.events && !head_) begin_stream(response);
  enter(Phase::Writing, shared_.limits.take);
}

void HttpConnection::begin_stream(const HttpResponse& response) {
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &kStreamBuffer, sizeof kStreamBuffer);
  events_ = response.events;
  events_->subscribe(this);
  ++shared_.counts.streams;
}

std::string HttpConnection::head_of(const HttpResponse& response) const {
  std::string head;
  head.reserve(512);
  fmt::format_to(std::back_inserter(head), "HTTP/1.1 {} {}\r\n", response.status,
                 status_phrase(response.status));
  head += shared_.date_line();
  for (const HttpHeader& header : response.headers) add_header(head, header.name, header.value);
  if (response.events)
    head += "Content-Type: text/event-stream; charset=utf-8\r\nX-Accel-Buffering: no\r\n";
  else if (!has_no_body(response.status))
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n",
                   response.body ? response.body->size() : 0);
  if (!keep_)
    head += "Connection: close\r\n";
  else if (version_1_0_)
    head += "Connection: keep-alive\r\n";
  head += "\r\n";
  return head;
}

void HttpConnection::queue(EventStream::Text text) {
  output_bytes_ += text->size();
  output_.push_back(std::move(text));
}

HttpConnection::Step HttpConnection::write() {
  std::array<iovec, kPiecesAtOnce> pieces = {};
  std::size_t count = 0;
  std::size_t offset = output_offset_;
  for (std::size_t i = output_first_; i < output_.size() && count < pieces.size(); ++i) {
    pieces[count++] = {const_cast<char*>(output_[i]->data()) + offset, output_[i]->size() - offset};
    offset = 0;
  }
  const Moved moved = channel_->write({pieces.data(), count});
  if (moved.kind != Kind::Bytes) return need(moved);
  output_bytes_ -= moved.bytes;
  if (output_bytes_ == 0) return wrote_all();
  since_ = Clock::now();
  for (std::size_t left = output_offset_ + moved.bytes;; ++output_first_) {
    output_offset_ = left;
    if (left < output_[output_first_]->size()) break;
    left -= output_[output_first_]->size();
    output_[output_first_].reset();
  }
  return Step::Again;
}

HttpConnection::Step HttpConnection::wrote_all() {
  output_.clear();
  output_first_ = output_offset_ = 0;
  if (phase_ == Phase::Streaming) return Step::Again;
  ++requests_;
  ++shared_.counts.answered;
  if (events_) {
    enter(Phase::Streaming, shared_.limits.stream_comment);
    return Step::Again;
  }
  if (!keep_) {
    channel_->finish();
    enter(Phase::Leaving, kLeaving);
    return Step::Again;
  }
  reader_.reset();
  begun_ = unread_ = !input_.empty();
  continued_ = false;
  if (input_.capacity() > kKeptInput && input_.empty()) input_.shrink_to_fit();
  enter(unread_ ? Phase::Reading : Phase::Idle, unread_ ? shared_.limits.send : shared_.limits.idle);
  return unread_ || channel_->holds_bytes() ? Step::Again : pause(true, false);
}

HttpConnection::Step HttpConnection::stream() {
  if (output_bytes_ > 0) {
    const Step wrote = write();
    if (wrote == Step::Again || phase_ == Phase::Closed) return wrote;
  }
  const Moved moved = channel_->read(shared_.buffer);
  if (moved.kind != Kind::NeedsRead) {  // it has gone, or talks where it should listen
    close();
    return Step::Blocked;
  }
  return pause(true, output_bytes_ > 0);
}

HttpConnection::Step HttpConnection::leave() {
  const Moved moved = channel_->read(shared_.buffer);
  if (moved.kind != Kind::Bytes) return need(moved);
  dropped_bytes_ += moved.bytes;
  if (dropped_bytes_ > kLeavingBytes) close();
  return Step::Again;
}

void HttpConnection::offer(const EventStream::Text& text) {
  if (phase_ != Phase::Writing && phase_ != Phase::Streaming) return;
  if (output_bytes_ == 0) {
    since_ = Clock::now();
    deadline_ = since_ + shared_.limits.stream_comment;
  }
  if (output_bytes_ + text->size() <= shared_.limits.stream_bytes || output_bytes_ == 0) {
    queue(text);
    if (phase_ == Phase::Streaming) watch_.want(true, true);
    return;
  }
  ++shared_.counts.streams_dropped;
  enter(Phase::Leaving, Milliseconds(0));  // takes no further event
  shared_.loop.soon([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close();
  });
}

void HttpConnection::check_time(Clock::time_point now) {
  if (phase_ == Phase::Closed || now < deadline_) return;
  if (phase_ == Phase::Idle || phase_ == Phase::Leaving) {
    close();
  } else if (phase_ != Phase::Streaming) {
    time_out();
  } else if (output_bytes_ == 0) {
    static const EventStream::Text kComment = std::make_shared<const std::string>(":\n\n");
    queue(kComment);
    deadline_ = now + shared_.limits.stream_comment;
    go();
  } else if (now - since_ > shared_.limits.take) {
    ++shared_.counts.streams_dropped;
    close();
  }
}

void HttpConnection::time_out() {
  ++shared_.counts.timed_out;
  if (phase_ == Phase::Reading && begun_) {
    answer_broken(408);
    go();
  } else if (phase_ == Phase::Waiting) {
    answer(text_response(504, "the answer did not come in time\n"));
    go();
  } else {
    close();
  }
}

void HttpConnection::enter(Phase phase, Milliseconds deadline) {
  phase_ = phase;
  since_ = Clock::now();
  deadline_ = since_ + deadline;
}

HttpConnection::Step HttpConnection::need(const Moved& moved) {
  if (moved.kind == Kind::NeedsRead) return pause(true, false);
  if (moved.kind == Kind::NeedsWrite) return pause(false, true);
  close();
  return Step::Blocked;
}

HttpConnection::Step HttpConnection::pause(bool readable, bool writable) {
  watch_.want(readable, writable);
  return Step::Blocked;
}

}  // namespace gpuwright::kit
