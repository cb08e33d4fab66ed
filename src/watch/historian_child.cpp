// SPDX-License-Identifier: Apache-2.0
#include "watch/historian_child.h"

#include "base/files.h"
#include "watch/history_frames.h"
#include "watch/history_schema.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

namespace gpuwright::watch {

namespace {

using base::ErrorKind;
using std::chrono::steady_clock;

/// What is told while nothing can be written is kept for the first tick that can, at most so much of it.
constexpr std::size_t kMostCarried = 1000;

constexpr useconds_t kLockPause = 5000;

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

template <class T>
void carry(std::vector<T>& kept, const std::vector<T>& more) {
  const std::size_t room = kMostCarried - std::min(kept.size(), kMostCarried);
  kept.insert(kept.end(), more.begin(),
              more.begin() + static_cast<std::ptrdiff_t>(std::min(room, more.size())));
}

class Child {
 public:
  Child(int fd, const HistorianChildOptions& options) : fd_(fd), options_(options) {}

  void run() {
    try_open();
    say();
    while (read_some() && take_frames()) upkeep();
    while (take_frame().value_or(false)) {
    }
  }

 private:
  /// False at the end of the stream.
  bool read_some() {
    std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
    ssize_t got = -1;
    do got = ::read(fd_, buffer.data(), buffer.size());
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    cutter_.feed({buffer.data(), static_cast<std::size_t>(got)});
    return true;
  }

  /// False when the stream is damaged: the other end starts a fresh process.
  bool take_frames() {
    while (true) {
      const std::optional<bool> one = take_frame();
      if (!one) return false;
      if (!*one) return true;
    }
  }

  /// Takes the next frame: false when there is none yet, nothing when the stream is damaged.
  std::optional<bool> take_frame() {
    auto frame = cutter_.next();
    if (!frame) return std::nullopt;
    if (!*frame) return false;
    const std::string& content = (*frame)->content;
    if ((*frame)->kind == FrameKind::Tick) {
      const auto tick = decode_tick(content);
      if (!tick) return std::nullopt;
      take(*tick);
    } else if ((*frame)->kind == FrameKind::Name) {
      const auto name = decode_name(content);
      if (!name) return std::nullopt;
      names_[name->number] = *name;
      if (store_) store_->name_series(name->number, name->metric, name->uuid);
    } else if ((*frame)->kind == FrameKind::Query) {
      const auto query = decode_query(content);
      if (!query) return std::nullopt;
      answer(*query);
    }
    return true;
  }

  /// Two writers would mix their ticks: the file has one owner, by the lock of a file beside it. The kernel
  /// gives it back when the owner is really gone.
  base::Status lock() {
    if (lock_.valid()) return base::Done{};
    const std::string path = options_.path + ".lock";
    base::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
    if (!fd.valid()) return base::system_error(errno, path);
    // At our start the process before us may be on its way out.
    const auto end = steady_clock::now() + std::exchange(patience_, std::chrono::milliseconds(0));
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (steady_clock::now() < end && ::usleep(kLockPause) == 0) continue;
      return base::make_error(ErrorKind::Conflict, "another gpuwright writes this history", options_.path);
    }
    lock_ = std::move(fd);
    return base::Done{};
  }

  base::Status open_store() {
    for (std::size_t at = options_.path.find('/', 1); at != std::string::npos;
         at = options_.path.find('/', at + 1))
      ::mkdir(options_.path.substr(0, at).c_str(), 0755);
    GPUWRIGHT_TRY([[maybe_unused]] const auto locked, lock());
    auto opened = HistoryStore::open(options_.path, options_.store);
    if (!opened && opened.error().kind == ErrorKind::Malformed) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto moved, put_aside(opened.error()));
      opened = HistoryStore::open(options_.path, options_.store);
    }
    GPUWRIGHT_TRY(HistoryStore store, std::move(opened));
    store_.emplace(std::move(store));
    for (const auto& [number, name] : names_) store_->name_series(number, name.metric, name.uuid);
    return base::Done{};
  }

  base::Status put_aside(const base::Error& why) {
    GPUWRIGHT_TRY(const std::string name, set_aside(options_.path, unix_seconds()));
    aside_ = fmt::format("{} was damaged ({}); it is kept as {}, and a fresh one was begun", options_.path,
                         why.message, name);
    return base::Done{};
  }

  void try_open() {
    next_try_ = steady_clock::now() + options_.retry;
    const base::Status opened = open_store();
    if (opened) {
      state_.condition = aside_.empty() ? HistoryCondition::Ok : HistoryCondition::SetAside;
      state_.message = aside_;
      return;
    }
    stop_for(opened.error(), false);
  }

  /// Nothing can be written for now, or ever.
  void stop_for(const base::Error& error, bool full) {
    store_.reset();
    next_try_ = steady_clock::now() + options_.retry;
    const bool no_room = full || error.message.find("no room is left") != std::string::npos ||
                         error.message.find("No space left") != std::string::npos;
    state_.condition = no_room ? HistoryCondition::Full : HistoryCondition::Off;
    state_.message = fmt::format("history stands still: {}; tried again every {} s", error.text(),
                                 std::max<std::int64_t>(options_.retry.count() / 1000, 1));
  }

  base::Status write(const HistoryTick& tick) {
    if (options_.before_write) options_.before_write();
    const auto written = store_->write(tick);
    if (written) return base::Done{};
    const bool full = store_->full();
    if (written.error().kind != ErrorKind::Malformed) {
      stop_for(written.error(), full);
      return written.error();
    }
    store_.reset();
    const base::Status moved = put_aside(written.error());
    if (!moved) {
      stop_for(moved.error(), false);
      return moved.error();
    }
    try_open();
    if (!store_) return written.error();
    const auto again = store_->write(tick);
    if (again) return base::Done{};
    stop_for(again.error(), store_->full());
    return again.error();
  }

  /// A tick that cannot be written is lost, but not the words in it.
  void lose(const HistoryTick& tick) {
    ++state_.lost;
    ++lost_now_;
    carry(carried_.events, tick.events);
    carry(carried_.incidents, tick.incidents);
    carry(carried_.changes, tick.changes);
    carry(carried_.jobs, tick.jobs);
  }

  HistoryTick with_carried(HistoryTick tick) {
    if (lost_now_ == 0) return tick;
    model::HistoryEvent gap;
    gap.time_ms = tick.time_ms;
    gap.boot_id = tick.boot_id;
    gap.kind = "history";
    gap.code = "gap";
    gap.text = fmt::format("history stood still for {} ticks: {}", lost_now_, why_lost_);
    HistoryTick all = carried_;
    carry(all.events, tick.events);
    carry(all.incidents, tick.incidents);
    carry(all.changes, tick.changes);
    carry(all.jobs, tick.jobs);
    all.events.push_back(std::move(gap));
    tick.events = std::move(all.events);
    tick.incidents = std::move(all.incidents);
    tick.changes = std::move(all.changes);
    tick.jobs = std::move(all.jobs);
    return tick;
  }

  void take(const TickFrame& frame) {
    const auto begin = steady_clock::now();
    if (!store_ && begin >= next_try_) try_open();
    const bool written = store_ && write(with_carried(frame.tick)).ok();
    if (written) {
      carried_ = {};
      lost_now_ = 0;
      state_.used_bytes = store_->used_bytes().value_or(0);
    } else {
      why_lost_ = state_.message;
      lose(frame.tick);
    }
    state_.write_us =
        std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begin).count();
    state_.taken = frame.number;
    say();
  }

  void upkeep() {
    const auto now = steady_clock::now();
    if (!store_ || now < next_upkeep_) return;
    next_upkeep_ = now + options_.upkeep;
    const base::Status kept = store_->maintain();
    if (kept || kept.error().kind == ErrorKind::Conflict) return;
    const bool full = store_->full();
    if (kept.error().kind != ErrorKind::Malformed) {
      stop_for(kept.error(), full);
    } else {
      store_.reset();
      if (put_aside(kept.error())) try_open();
    }
    say();
  }

  void answer(const QueryFrame& query) {
    AnswerFrame answer;
    answer.number = query.number;
    if (!store_) {
      answer.answer.error = state_.message;
    } else {
      store_->database().set_deadline(options_.question);
      auto found = store_->ask(query.query);
      store_->database().set_deadline(std::chrono::milliseconds(0));
      if (found) answer.answer = std::move(*found);
      if (!found) answer.answer.error = found.error().text();
    }
    std::string content = encode(answer);
    if (content.size() > kMostFrameBytes) {
      answer.answer = {};
      answer.answer.error = "the answer is too long; ask for less time or fewer rows";
      content = encode(answer);
    }
    send(FrameKind::Answer, content);
  }

  void say() { send(FrameKind::State, encode(state_)); }

  /// Nobody there any more shows when we read.
  void send(FrameKind kind, const std::string& content) {
    (void)base::write_all(fd_, encode_frame(kind, content), "daemon");
  }

  int fd_;
  const HistorianChildOptions& options_;
  FrameCutter cutter_;
  base::Fd lock_;
  std::chrono::milliseconds patience_{1000};
  std::optional<HistoryStore> store_;
  std::map<std::uint32_t, NameFrame> names_;
  StateFrame state_;
  std::string aside_;
  std::string why_lost_;
  HistoryTick carried_;
  std::uint64_t lost_now_ = 0;
  steady_clock::time_point next_try_;
  steady_clock::time_point next_upkeep_;
};

}  // namespace

void run_historian(int fd, const HistorianChildOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, 0);  // what was handed over is written down, then it ends by itself
  ::umask(027);
  Child(fd, options).run();
}

}  // namespace gpuwright::watch
