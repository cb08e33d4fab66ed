// SPDX-License-Identifier: Apache-2.0
#include "watch/historian.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gpuwright::watch {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kQuestionDeadline{15};

std::string name_frame(std::uint32_t number, const std::string& metric, const std::string& uuid) {
  return encode_frame(FrameKind::Name, encode(NameFrame{number, metric, uuid}));
}

}  // namespace

Historian::Historian(HistorianOptions options) : options_(std::move(options)) {}

Historian::~Historian() = default;

bool Historian::end_process() {
  if (before_close_ && process_.running()) before_close_();
  return process_.end();
}

std::uint32_t Historian::series(const std::string& metric, const std::string& uuid) {
  const auto number = static_cast<std::uint32_t>(names_.size());
  const auto [at, fresh] = names_.try_emplace({metric, uuid}, number);
  if (fresh && process_.running()) put(0, name_frame(number, metric, uuid));
  return at->second;
}

void Historian::tick(const HistoryTick& tick) {
  ++state_.ticks;
  const std::size_t brink = options_.queue_bytes / 4 * 3;  // the last quarter is for words
  TickFrame frame{state_.ticks, tick};
  std::string bytes = encode_frame(FrameKind::Tick, encode(frame));
  if (state_.queued_bytes + bytes.size() > brink) {
    ++state_.dropped;
    if (!tick.tells()) return;
    frame.tick.values.clear();
    bytes = encode_frame(FrameKind::Tick, encode(frame));
    if (state_.queued_bytes + bytes.size() > options_.queue_bytes) return;
  }
  put(state_.ticks, std::move(bytes));
}

std::uint64_t Historian::ask(const model::HistoryQuery& query) {
  const std::uint64_t number = ++last_question_;
  if (questions_.empty()) waits_since_ = steady_clock::now();
  questions_[number] = steady_clock::now() + kQuestionDeadline;
  if (process_.running()) {
    put(0, encode_frame(FrameKind::Query, encode(QueryFrame{number, query})));
  } else {
    fail_questions(state_.message.empty() ? "history is not running" : state_.message);
  }
  return number;
}

std::vector<std::pair<std::uint64_t, model::HistoryAnswer>> Historian::take_answers() {
  return std::exchange(answers_, {});
}

void Historian::put(std::uint64_t number, std::string bytes) {
  if (queue_.empty()) waits_since_ = steady_clock::now();
  state_.queued_bytes += bytes.size();
  queue_.push_back({number, std::move(bytes)});
}

void Historian::fail_questions(const std::string& why) {
  for (const auto& [number, deadline] : questions_) {
    model::HistoryAnswer answer;
    answer.error = why;
    answers_.emplace_back(number, std::move(answer));
  }
  questions_.clear();
}

/// Ticks that were not confirmed are given to the fresh process, behind the names of all series.
void Historian::start(Time now) {
  next_start_ = now + options_.restart;
  const HistorianChildOptions child = options_.child;
  auto process = host::Forked::start("gpuw-history", [&child](int fd) { run_historian(fd, child); });
  if (!process) {
    state_.condition = HistoryCondition::Off;
    state_.message = "history could not be started: " + process.error().text();
    return;
  }
  process_ = std::move(*process);
  ++state_.starts;
  cutter_ = {};
  std::deque<Queued> again = std::exchange(queue_, {});
  state_.queued_bytes = 0;
  next_ = sent_ = 0;
  for (const auto& [name, number] : names_) put(0, name_frame(number, name.first, name.second));
  for (Queued& one : again) {
    if (one.number > 0) put(one.number, std::move(one.bytes));
  }
  told_ = false;
  lost_before_ = 0;
  last_sign_ = now;
}

void Historian::stop(const std::string& why, Time now) {
  const pid_t pid = process_.pid();
  if (!end_process()) ++state_.left_behind;
  next_ = sent_ = 0;
  state_.condition = HistoryCondition::Hung;
  const auto wait = std::max(next_start_ - now, steady_clock::duration::zero());
  state_.message = fmt::format("the process of history (pid {}) {}; the next one starts in {} s", pid, why,
                               std::chrono::ceil<std::chrono::seconds>(wait).count());
  fail_questions(state_.message);
}

bool Historian::wants_to_write() const {
  return process_.running() && next_ < queue_.size();
}

bool Historian::hangs(Time now) const {
  const bool waits = !queue_.empty() || !questions_.empty();
  if (!told_) return now - last_sign_ > options_.opening;
  return waits && now - std::max(last_sign_, waits_since_) > options_.hang;
}

void Historian::pump(Time now) {
  if (!process_.running() && (state_.starts == 0 || now >= next_start_)) start(now);
  if (process_.running()) read_answers(now);
  if (process_.running()) write_queued(now);
  if (process_.running() && hangs(now)) stop("hangs and was given up", now);
  for (auto at = questions_.begin(); at != questions_.end();) {
    if (now < at->second) {
      ++at;
      continue;
    }
    model::HistoryAnswer answer;
    answer.error = "history gave no answer in time";
    answers_.emplace_back(at->first, std::move(answer));
    at = questions_.erase(at);
  }
}

void Historian::write_queued(Time now) {
  while (next_ < queue_.size()) {
    const Queued& one = queue_[next_];
    const ssize_t sent = ::send(process_.fd(), one.bytes.data() + sent_, one.bytes.size() - sent_,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) return stop("ended", now);
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ < one.bytes.size()) return;
    sent_ = 0;
    if (one.number > 0) {
      ++next_;
      continue;
    }
    state_.queued_bytes -= one.bytes.size();
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(next_));
  }
}

void Historian::read_answers(Time now) {
  std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  while (process_.running()) {
    const ssize_t got = ::recv(process_.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) return stop("ended", now);
    last_sign_ = now;
    cutter_.feed({buffer.data(), static_cast<std::size_t>(got)});
    while (true) {
      const auto frame = cutter_.next();
      if (!frame) return stop("spoke nonsense and was given up", now);
      if (!*frame) break;
      take(**frame, now);
      if (!process_.running()) return;
    }
  }
}

void Historian::take(const Frame& frame, Time now) {
  if (frame.kind == FrameKind::Answer) {
    auto answer = decode_answer(frame.content);
    if (!answer) return stop("spoke nonsense and was given up", now);
    if (questions_.erase(answer->number) > 0)
      answers_.emplace_back(answer->number, std::move(answer->answer));
    return;
  }
  const auto state = decode_state(frame.content);
  if (!state) return stop("spoke nonsense and was given up", now);
  told_ = true;
  if (state->taken > 0) confirm(state->taken);
  state_.lost += state->lost - std::min(lost_before_, state->lost);
  lost_before_ = state->lost;
  state_.used_bytes = state->used_bytes;
  state_.write_us = state->write_us;
  state_.condition = state->condition;
  state_.message = state->message;
}

void Historian::confirm(std::uint64_t number) {
  state_.written = std::max(state_.written, number);
  while (!queue_.empty() && next_ > 0 && queue_.front().number <= number) {
    state_.queued_bytes -= queue_.front().bytes.size();
    queue_.pop_front();
    --next_;
  }
}

void Historian::finish(std::chrono::milliseconds deadline) {
  const Time end = steady_clock::now() + deadline;
  while (process_.running() && (!queue_.empty() || !questions_.empty())) {
    pump();
    if (!process_.running() || steady_clock::now() >= end || (queue_.empty() && questions_.empty())) break;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
    pollfd ready{process_.fd(), static_cast<short>(wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, 100)));
  }
  (void)end_process();
}

}  // namespace gpuwright::watch
