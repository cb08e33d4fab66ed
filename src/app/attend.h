// Serving what forks children and polls (host::Sampler, watch::Surveyor) on the event loop: their
// descriptors, and their next deadline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kit/event_loop.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <utility>

namespace gpuwright::app {

/// `Parent` has descriptors(), before_close(), read(), next_deadline() and look_at_clock(). Loop and parent
/// must outlive this.
template <class Parent>
class Attend {
 public:
  /// `after` is called when something was read, or the clock was looked at.
  Attend(kit::EventLoop& loop, Parent& parent, std::function<void()> after)
      : loop_(loop), parent_(parent), after_(std::move(after)) {
    parent_.before_close([this](int fd) { readable_.erase(fd); });
  }
  ~Attend() { parent_.before_close({}); }
  Attend(const Attend&) = delete;
  Attend& operator=(const Attend&) = delete;

  /// To be called after anything that may have changed its children or deadlines.
  void moved() {
    for (const int fd : parent_.descriptors()) {
      if (readable_.count(fd) != 0) continue;
      auto waiting = loop_.on_readable(fd, [this, fd] {
        parent_.read(fd);
        after_();
        moved();
      });
      if (waiting) readable_.emplace(fd, std::move(*waiting));
    }
    using Clock = typename Parent::Clock;
    const auto next = parent_.next_deadline();
    if (next == Clock::time_point::max()) return deadline_.cancel();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    deadline_ = loop_.after(std::max(left, std::chrono::milliseconds(1)), [this] {
      parent_.look_at_clock();
      after_();
      moved();
    });
  }

 private:
  kit::EventLoop& loop_;
  Parent& parent_;
  std::function<void()> after_;
  std::map<int, kit::Waiting> readable_;  ///< of its children
  kit::Waiting deadline_;
};

}  // namespace gpuwright::app
