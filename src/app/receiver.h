// One receiver of notices: texts are posted to its URL, one at a time and in order, until it takes them. Each
// is posted by a child process of its own, for looking up a name, connecting and TLS may wait. Who does not
// answer is tried again, ever more seldom; what waits is bounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/forked.h"
#include "kit/event_loop.h"
#include "model/node_state.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace gpuwright::app {

struct ReceiverOptions {
  std::string name;         ///< "webhook", "alertmanager": in metrics and the log
  std::string url;          ///< may hold a secret: only its host and port are ever shown
  std::string header_file;  ///< lines "Name: value", read anew for each notice; empty: none
  std::string authorities;  ///< PEM file of whom to trust; empty: whom the machine does
  std::size_t most_waiting = 256;
  std::chrono::milliseconds deadline{10'000};  ///< for one notice
  std::chrono::milliseconds first_retry{1000};
  std::chrono::milliseconds longest_retry{300'000};
};

class Receiver {
 public:
  /// The loop must outlive it. `log` takes one line when the receiver fails, and when it answers again.
  Receiver(kit::EventLoop& loop, ReceiverOptions options, std::function<void(const std::string&)> log);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// Queues the text. Where there is no room, the oldest that is not on its way is dropped and counted.
  void send(std::string text);
  /// Queues the text in place of all that waits: only the newest counts.
  void send_newest(std::string text);
  /// Whether something is on its way or waits.
  bool busy() const { return child_.running() || !waiting_.empty(); }

  const model::ReceiverState& state() const { return state_; }
  std::vector<pid_t> children() const;

 private:
  void start();
  void read();
  void finish();
  void taken();
  void failed(const std::string& why, bool for_good);

  kit::EventLoop& loop_;
  ReceiverOptions options_;
  std::function<void(const std::string&)> log_;
  std::deque<std::string> waiting_;  ///< without the one that is on its way
  std::string under_way_;
  std::string answer_;
  host::Forked child_;
  std::chrono::milliseconds pause_{0};  ///< before the next try; 0: none failed
  model::ReceiverState state_;
  kit::Waiting readable_, deadline_, again_;
};

/// "Name: value" lines of a file that holds a secret. Errors: those of reading; Malformed, which never shows
/// a value.
base::Result<std::vector<std::pair<std::string, std::string>>> read_header_file(const std::string& path);

}  // namespace gpuwright::app
