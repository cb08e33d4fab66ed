// One thread that waits for everything at once: descriptors, timers, signals. Whoever is called back must not
// block, or nobody else is served. Timers are those of the monotonic clock: setting the machine's time moves
// none of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

namespace gpuwright::kit {

/// Something that the loop waits for. It waits no more when this is dropped, which may be done at any time,
/// also by what it calls back. The loop must outlive it.
class Waiting {
 public:
  class State {
   public:
    virtual ~State() = default;
    /// No call comes afterwards.
    virtual void cancel() = 0;
  };

  Waiting() = default;
  explicit Waiting(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Waiting(Waiting&& other) noexcept = default;
  Waiting& operator=(Waiting&& other) noexcept;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { cancel(); }

  void cancel();
  bool active() const { return state_ != nullptr; }

 private:
  std::shared_ptr<State> state_;
};

/// A descriptor that the loop watches for reading, for writing, or for both; see EventLoop::watch.
class Watch {
 public:
  class State : public Waiting::State {
   public:
    virtual void want(bool readable, bool writable) = 0;
  };

  Watch() = default;
  explicit Watch(std::shared_ptr<State> state) : state_(state.get()), waiting_(std::move(state)) {}

  /// Asks to be called for this from now on.
  void want(bool readable, bool writable) {
    if (waiting_.active()) state_->want(readable, writable);
  }
  void cancel() { waiting_.cancel(); }
  bool active() const { return waiting_.active(); }

 private:
  State* state_ = nullptr;  ///< what waiting_ holds
  Waiting waiting_;
};

class EventLoop {
 public:
  using Callback = std::function<void()>;

  EventLoop();
  /// Nothing is called back any more.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Calls `callback` while the descriptor can be read without waiting, has ended or has failed: the next
  /// read tells which. The descriptor is borrowed, and watched once at a time; cancel before it is closed.
  /// Errors: Unsupported (a regular file: it never waits), Io.
  base::Result<Waiting> on_readable(int fd, Callback callback);

  /// The same for both directions; at first neither is wanted.
  base::Result<Watch> watch(int fd, Callback readable, Callback writable);

  /// Calls `callback` once, after `delay`.
  Waiting after(std::chrono::milliseconds delay, Callback callback);

  /// Calls `callback` every `period` (at least a millisecond), first after one period. Who comes late does
  /// not come twice: ticks that were missed are left out, and the rhythm stays.
  Waiting every(std::chrono::milliseconds period, Callback callback);

  /// Calls `callback` with the signal's number, from the loop, when one of these comes. While this is held
  /// the signal does nothing else. Errors: Io.
  base::Result<Waiting> on_signal(std::initializer_list<int> signals, std::function<void(int)> callback);

  /// Calls `callback` from the loop, soon. It cannot be taken back. The one function that another thread may
  /// call.
  void soon(Callback callback);

  /// Serves until stop(), or until there is nothing left to wait for.
  void run();
  /// Makes run() return after the callback that runs now; it may be called before run(), too.
  void stop();

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace gpuwright::kit
