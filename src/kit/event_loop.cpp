// The loop by Boost.Asio; see the header. Asio calls a handler once for each wait, also when the wait was
// cancelled; each kind of waiting is a small object that its handler keeps alive, and that says whether
// anybody still wants the call. What is called back may drop its own waiting, so the call runs from a copy of
// the pointer to it.
// SPDX-License-Identifier: Apache-2.0
#include "kit/event_loop.h"

#include "base/files.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace gpuwright::kit {

namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;
using boost::system::error_code;

class Descriptor final : public Watch::State, public std::enable_shared_from_this<Descriptor> {
 public:
  Descriptor(asio::io_context& context, EventLoop::Callback readable, EventLoop::Callback writable)
      : descriptor_(context), readable_(std::move(readable)), writable_(std::move(writable)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() override { give_back(); }

  base::Status assign(int fd) {
    struct stat status = {};
    if (::fstat(fd, &status) != 0) return base::system_error(errno, "watch");
    if (S_ISREG(status.st_mode))
      return base::make_error(base::ErrorKind::Unsupported, "a regular file never waits", "watch");
    error_code error;
    descriptor_.assign(fd, error);
    if (error) return base::system_error(error.value(), "watch");
    return base::Done{};
  }

  void want(bool readable, bool writable) override {
    want_read_ = readable;
    want_write_ = writable;
    if (want_read_ && !waits_read_) wait_read();
    if (want_write_ && !waits_write_) wait_write();
  }

  void cancel() override {
    want_read_ = want_write_ = false;
    give_back();
  }

 private:
  /// The descriptor is not ours to close.
  void give_back() {
    if (descriptor_.is_open()) descriptor_.release();
  }

  void wait_read() {
    waits_read_ = true;
    descriptor_.async_wait(stream_descriptor::wait_read, [self = shared_from_this()](error_code) {
      self->waits_read_ = false;
      if (self->want_read_) self->readable_();
      if (self->want_read_ && !self->waits_read_) self->wait_read();
    });
  }

  void wait_write() {
    waits_write_ = true;
    descriptor_.async_wait(stream_descriptor::wait_write, [self = shared_from_this()](error_code) {
      self->waits_write_ = false;
      if (self->want_write_) self->writable_();
      if (self->want_write_ && !self->waits_write_) self->wait_write();
    });
  }

  stream_descriptor descriptor_;
  EventLoop::Callback readable_;
  EventLoop::Callback writable_;
  bool want_read_ = false;
  bool want_write_ = false;
  bool waits_read_ = false;
  bool waits_write_ = false;
};

class Timer final : public Waiting::State, public std::enable_shared_from_this<Timer> {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// Without a period (0) it rings once.
  Timer(asio::io_context& context, Milliseconds period, EventLoop::Callback callback)
      : timer_(context), period_(period), callback_(std::move(callback)) {}

  void start(Milliseconds delay) {
    timer_.expires_after(delay);
    wait();
  }

  void cancel() override {
    wanted_ = false;
    timer_.cancel();
  }

 private:
  void wait() {
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error || !self->wanted_) return;
      self->callback_();
      if (self->wanted_ && self->period_.count() > 0) self->next();
    });
  }

  void next() {
    const auto late = std::chrono::steady_clock::now() - timer_.expiry();
    const auto missed = std::max<std::int64_t>(late / period_, 0);
    timer_.expires_at(timer_.expiry() + period_ * (missed + 1));
    wait();
  }

  asio::steady_timer timer_;
  Milliseconds period_;
  EventLoop::Callback callback_;
  bool wanted_ = true;
};

class Signals final : public Waiting::State, public std::enable_shared_from_this<Signals> {
 public:
  Signals(asio::io_context& context, std::function<void(int)> callback)
      : set_(context), callback_(std::move(callback)) {}

  error_code add(int signal) {
    error_code error;
    set_.add(signal, error);
    return error;
  }

  void wait() {
    set_.async_wait([self = shared_from_this()](const error_code& error, int signal) {
      if (error || !self->wanted_) return;
      self->callback_(signal);
      if (self->wanted_) self->wait();
    });
  }

  void cancel() override {
    wanted_ = false;
    error_code ignored;
    set_.cancel(ignored);  // clear() alone would leave the wait where nobody finds it
    set_.clear(ignored);
  }

 private:
  asio::signal_set set_;
  std::function<void(int)> callback_;
  bool wanted_ = true;
};

}  // namespace

Waiting& Waiting::operator=(Waiting&& other) noexcept {
  if (this != &other) {
    cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

void Waiting::cancel() {
  if (const auto state = std::exchange(state_, nullptr)) state->cancel();
}

struct EventLoop::Loop {
  asio::io_context context{1};  // one thread runs it
};

EventLoop::EventLoop() : loop_(std::make_unique<Loop>()) {}
EventLoop::~EventLoop() = default;

base::Result<Waiting> EventLoop::on_readable(int fd, Callback callback) {
  auto state = std::make_shared<Descriptor>(loop_->context, std::move(callback), [] {});
  GPUWRIGHT_TRY([[maybe_unused]] auto done, state->assign(fd));
  state->want(true, false);
  return Waiting(std::move(state));
}

base::Result<Watch> EventLoop::watch(int fd, Callback readable, Callback writable) {
  auto state = std::make_shared<Descriptor>(loop_->context, std::move(readable), std::move(writable));
  GPUWRIGHT_TRY([[maybe_unused]] auto done, state->assign(fd));
  return Watch(std::move(state));
}

Waiting EventLoop::after(std::chrono::milliseconds delay, Callback callback) {
  auto timer = std::make_shared<Timer>(loop_->context, std::chrono::milliseconds(0), std::move(callback));
  timer->start(delay);
  return Waiting(std::move(timer));
}

Waiting EventLoop::every(std::chrono::milliseconds period, Callback callback) {
  period = std::max(period, std::chrono::milliseconds(1));
  auto timer = std::make_shared<Timer>(loop_->context, period, std::move(callback));
  timer->start(period);
  return Waiting(std::move(timer));
}

base::Result<Waiting> EventLoop::on_signal(std::initializer_list<int> signals,
                                           std::function<void(int)> callback) {
  auto state = std::make_shared<Signals>(loop_->context, std::move(callback));
  for (const int signal : signals) {
    if (const error_code error = state->add(signal)) return base::system_error(error.value(), "signal");
  }
  state->wait();
  return Waiting(std::move(state));
}

void EventLoop::soon(Callback callback) {
  asio::post(loop_->context, std::move(callback));
}

void EventLoop::run() {
  loop_->context.run();
  loop_->context.restart();
}

void EventLoop::stop() {
  loop_->context.stop();
}

}  // namespace gpuwright::kit
