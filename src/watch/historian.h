// The daemon's side of history: it hands ticks over and never waits. The file belongs to a forked process
// (historian_child); what that does not take in time waits in a bounded queue, and what does not fit is
// dropped and counted. A process that hangs or dies is left behind and replaced, at most once a minute; the
// ticks that it had not confirmed are given to the next one, which leaves out those that the file holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/forked.h"
#include "model/history.h"
#include "watch/historian_child.h"
#include "watch/history_frames.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

struct HistorianOptions {
  HistorianChildOptions child;
  std::size_t queue_bytes = std::size_t{1} << 20;  ///< ticks that wait or are not confirmed
  std::chrono::milliseconds hang{10000};           ///< no sign for so long while ticks wait: it hangs
  std::chrono::milliseconds opening{60000};        ///< the same for the first sign, as a file is checked then
  std::chrono::milliseconds restart{60000};        ///< between two starts, at least
};

/// How history is, for /metrics and the page.
struct HistorianState {
  HistoryCondition condition = HistoryCondition::Opening;
  std::string message;            ///< one line for a person; empty: nothing
  std::uint64_t ticks = 0;        ///< handed over
  std::uint64_t written = 0;      ///< the last of them that is in the file or given up
  std::uint64_t dropped = 0;      ///< that did not fit into the queue, whole or (with words) their values
  std::uint64_t lost = 0;         ///< that the process had to give up (full disk, refused file)
  std::uint64_t starts = 0;       ///< of processes
  std::uint64_t left_behind = 0;  ///< processes that SIGKILL did not reach
  std::size_t queued_bytes = 0;
  std::int64_t used_bytes = 0;  ///< of the file
  std::int64_t write_us = 0;    ///< what the last tick took
};

class Historian {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Forks the process at the first pump(). Use it from one thread, which is the process's only one.
  explicit Historian(HistorianOptions options);
  /// Kills the process; finish() first lets it write what waits.
  ~Historian();
  Historian(const Historian&) = delete;
  Historian& operator=(const Historian&) = delete;

  /// The number of a series in ticks; the same for the same names.
  std::uint32_t series(const std::string& metric, const std::string& uuid);
  /// Hands a tick over. Where it does not fit, its words (events, incidents, changes, jobs) go before its
  /// values, and those of others.
  void tick(const HistoryTick& tick);
  /// Asks; the answer comes by take_answers() with this number, an error too.
  std::uint64_t ask(const model::HistoryQuery& query);
  std::vector<std::pair<std::uint64_t, model::HistoryAnswer>> take_answers();

  /// Reads and writes what can be without waiting, starts and replaces the process. Call it when fd() is
  /// ready, after tick() and ask(), and once a second.
  void pump(Time now = std::chrono::steady_clock::now());
  /// Whom to tell before the socket is closed, so that nobody watches what is no more.
  void before_close(std::function<void()> tell) { before_close_ = std::move(tell); }
  /// The socket to watch; -1: none now. It changes when state().starts does.
  int fd() const { return process_.running() ? process_.fd() : -1; }
  /// Whether fd() should be watched for room to write.
  bool wants_to_write() const;
  pid_t pid() const { return process_.pid(); }

  /// Waits until all is written, but no longer than that; for the daemon's end and for tests.
  void finish(std::chrono::milliseconds deadline);
  const HistorianState& state() const { return state_; }

 private:
  struct Queued {
    std::uint64_t number = 0;  ///< of a tick; 0: another frame
    std::string bytes;
  };

  void start(Time now);
  void stop(const std::string& why, Time now);
  void write_queued(Time now);
  void read_answers(Time now);
  void take(const Frame& frame, Time now);
  void confirm(std::uint64_t number);
  void put(std::uint64_t number, std::string bytes);
  void fail_questions(const std::string& why);
  bool hangs(Time now) const;

  bool end_process();

  HistorianOptions options_;
  std::function<void()> before_close_;
  host::Forked process_;
  FrameCutter cutter_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> names_;
  std::deque<Queued> queue_;  ///< ticks until they are confirmed, other frames until they are sent
  std::size_t next_ = 0;      ///< the first of the queue that is not sent whole
  std::size_t sent_ = 0;      ///< bytes of it that are
  std::map<std::uint64_t, Time> questions_;
  std::vector<std::pair<std::uint64_t, model::HistoryAnswer>> answers_;
  std::uint64_t last_question_ = 0;
  std::uint64_t lost_before_ = 0;  ///< of the process that runs, as it told
  bool told_ = false;              ///< the process gave its first sign
  Time last_sign_;
  Time waits_since_;  ///< when something came to be waited for
  Time next_start_;
  HistorianState state_;
};

}  // namespace gpuwright::watch
