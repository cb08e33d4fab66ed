// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/sampler.h"

#include "base/text.h"
#include "host/sample_frames.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace gpuwright::host {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t kMostPending = std::size_t{4} << 20;
constexpr int kGoodSamples = 3;  // until a GPU that hung is one of the others again

}  // namespace

/// One child, as its parent sees it.
struct Sampler::Crew {
  Forked child;
  pid_t pid = -1;
  bool main = false;
  std::vector<std::uint32_t> only;
  std::string pending;
  bool opened = false;  ///< the library answered
  bool busy = true;     ///< opening, or in a tick
  bool ended = false;
  int ticks = 0;
  std::optional<std::uint32_t> asking;  ///< the GPU whose answer is awaited
  Clock::time_point since = Clock::now();
};

Sampler::Sampler(nvml::SamplePlan plan, const SamplerLimits& limits, SampleListener& listener,
                 SampleWork work)
    : plan_(std::move(plan)), limits_(limits), listener_(listener), work_(std::move(work)) {}

Sampler::~Sampler() {
  stop();
}

void Sampler::start() {
  if (running_) return;
  running_ = true;
  start_crew({});
}

void Sampler::stop() {
  running_ = false;
  for (auto& crew : crews_) (void)end_crew(*crew);
  crews_.clear();
  main_retry_.reset();
  lost_.clear();
}

/// Kills it. False when it does not die: it is left behind.
bool Sampler::end_crew(Crew& crew) {
  if (before_close_ && !crew.ended) before_close_(crew.child.fd());
  crew.ended = true;
  const bool gone = crew.child.end();
  if (!gone) left_.push_back(crew.pid);
  return gone;
}

void Sampler::start_crew(std::vector<std::uint32_t> only) {
  nvml::SampleJob job{plan_, only, {}, limits_.bus};
  if (only.empty()) {
    for (const auto& entry : hung_) job.skip.push_back(entry.first);
  }
  auto crew = std::make_unique<Crew>();
  crew->main = only.empty();
  crew->only = std::move(only);
  auto child = Forked::start("gpuwright-nvml", [&](int fd) { work_(fd, job); });
  if (!child) {
    if (crew->main) {
      listener_.on_no_driver(child.error());
      main_retry_ = Clock::now() + limits_.retry;
    }
    return;
  }
  crew->child = std::move(*child);
  crew->pid = crew->child.pid();
  ::fcntl(crew->child.fd(), F_SETFL, ::fcntl(crew->child.fd(), F_GETFL) | O_NONBLOCK);
  if (crew->main) main_retry_.reset();
  crews_.push_back(std::move(crew));
}

void Sampler::restart_main() {
  for (auto& crew : crews_) {
    if (!crew->main || crew->ended) continue;
    (void)end_crew(*crew);
    ++restarts_;
  }
  lost_.clear();
  start_crew({});
}

void Sampler::tick(bool whole) {
  for (auto& crew : crews_) {
    if (crew->ended || crew->busy) continue;
    const char command = static_cast<char>(whole ? SampleCommand::Whole : SampleCommand::Often);
    if (::send(crew->child.fd(), &command, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) continue;
    crew->busy = true;
    ++crew->ticks;
    crew->since = Clock::now();
  }
}

std::vector<int> Sampler::descriptors() const {
  std::vector<int> all;
  for (const auto& crew : crews_) {
    if (!crew->ended) all.push_back(crew->child.fd());
  }
  return all;
}

void Sampler::read(int descriptor) {
  const auto at = std::find_if(crews_.begin(), crews_.end(), [descriptor](const auto& crew) {
    return !crew->ended && crew->child.fd() == descriptor;
  });
  if (at == crews_.end()) return;
  Crew& crew = **at;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      give_up(crew, duration_cast<milliseconds>(Clock::now() - crew.since), true);
      break;
    }
    crew.pending.append(buffer.data(), static_cast<std::size_t>(got));
    std::string_view rest = crew.pending;
    bool broken = crew.pending.size() > kMostPending;
    while (!broken && !crew.ended) {
      const auto one = take_frame(rest, broken);
      if (!one) break;
      frame(crew, *one);
    }
    if (crew.ended) break;
    if (broken) {
      give_up(crew, milliseconds(0), true);
      break;
    }
    crew.pending.erase(0, crew.pending.size() - rest.size());
  }
  drop_ended();
}

void Sampler::frame(Crew& crew, const SampleFrame& frame) {
  crew.since = Clock::now();
  switch (frame.tag) {
    case SampleTag::Opens:
      return;
    case SampleTag::Failed: {
      base::ByteReader reader(frame.content);
      const auto kind = static_cast<base::ErrorKind>(reader.get<std::uint8_t>());
      (void)end_crew(crew);
      if (crew.main) {
        listener_.on_no_driver(base::make_error(kind, base::printable(reader.get_text())));
        main_retry_ = Clock::now() + limits_.retry;
      }
      return;
    }
    case SampleTag::Driver:
      crew.opened = true;
      if (const auto driver = decode_driver(frame.content); driver && crew.main) listener_.on_driver(*driver);
      crew.busy = false;  // a tick may be sent; it waits behind what is still opened
      return;
    case SampleTag::Begins:
      crew.opened = true;
      crew.asking = base::ByteReader(frame.content).get<std::uint32_t>();
      return;
    case SampleTag::Waits: {
      base::ByteReader reader(frame.content);
      const auto index = reader.get<std::uint32_t>();
      const milliseconds waited(reader.get<std::int64_t>());
      crew.asking.reset();
      hung(index, -1);
      listener_.on_hang(index, waited, false);
      if (!crew.main) (void)end_crew(crew);
      return;
    }
    case SampleTag::Asleep:
      crew.opened = true;
      listener_.on_asleep(base::ByteReader(frame.content).get<std::uint32_t>());
      return;
    case SampleTag::Gpu:
      if (const auto gpu = decode_gpu(frame.content)) listener_.on_gpu(*gpu);
      return;
    case SampleTag::Sample:
      if (auto sample = decode_sample(frame.content)) sampled(crew, std::move(*sample));
      return;
    case SampleTag::TickDone:
      crew.busy = false;
      crew.asking.reset();
      return;
  }
}

void Sampler::sampled(Crew& crew, model::GpuSample sample) {
  crew.asking.reset();
  const std::uint32_t index = sample.index;
  if (const auto at = hung_.find(index); at != hung_.end()) ++at->second.good;
  const auto known = std::find(lost_.begin(), lost_.end(), index);
  if (sample.lost && known == lost_.end()) {
    lost_.push_back(index);
    if (crew.main && !main_retry_) main_retry_ = Clock::now() + limits_.retry;
  }
  listener_.on_sample(std::move(sample));
}

void Sampler::hung(std::uint32_t index, pid_t waiting) {
  Hung& one = hung_[index];
  one.retry = Clock::now() + limits_.retry;
  one.waiting = waiting;
  one.good = 0;
}

void Sampler::give_up(Crew& crew, milliseconds waited, bool crashed) {
  const pid_t pid = crew.pid;
  const bool gone = end_crew(crew);
  ++restarts_;
  if (crew.asking) {
    const std::uint32_t index = *crew.asking;
    hung(index, gone ? -1 : pid);
    listener_.on_hang(index, waited, crashed);
    if (crew.main && running_) start_crew({});
    return;
  }
  if (!crew.main) {
    for (const std::uint32_t index : crew.only) hung(index, gone ? -1 : pid);
    return;
  }
  if (!gone) opening_waits_ = pid;
  listener_.on_no_driver(
      base::make_error(crashed ? base::ErrorKind::Io : base::ErrorKind::TimedOut,
                       crashed ? std::string("the library ended the process that asked")
                               : fmt::format("the driver gave no answer for {} ms", waited.count()),
                       crew.opened ? "NVML" : "nvmlInit_v2"));
  main_retry_ = Clock::now() + limits_.retry;
}

milliseconds Sampler::patience(const Crew& crew) const {
  if (!crew.opened) return limits_.opening;
  return crew.ticks <= 1 ? limits_.first : limits_.gpu;
}

bool Sampler::is_late(const Crew& crew, Clock::time_point now) const {
  const bool waits = crew.busy || crew.asking.has_value();
  return !crew.ended && waits && now - crew.since >= patience(crew);
}

Sampler::Clock::time_point Sampler::next_deadline() const {
  auto next = Clock::time_point::max();
  for (const auto& crew : crews_) {
    if (!crew->ended && (crew->busy || crew->asking)) next = std::min(next, crew->since + patience(*crew));
  }
  for (const auto& entry : hung_) next = std::min(next, entry.second.retry);
  if (main_retry_) next = std::min(next, *main_retry_);
  return next;
}

void Sampler::look_at_clock() {
  const auto fds = descriptors();
  for (const int fd : fds) read(fd);  // who answered while we slept is not late
  const auto now = Clock::now();
  for (std::size_t at = 0; at < crews_.size(); ++at) {
    if (is_late(*crews_[at], now))
      give_up(*crews_[at], duration_cast<milliseconds>(now - crews_[at]->since), false);
  }
  drop_ended();
  collect_dead();
  if (running_) try_again();
}

void Sampler::collect_dead() {
  left_.erase(std::remove_if(left_.begin(), left_.end(),
                             [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; }),
              left_.end());
  const auto is_left = [this](pid_t pid) {
    return std::find(left_.begin(), left_.end(), pid) != left_.end();
  };
  for (auto& entry : hung_) {
    if (!is_left(entry.second.waiting)) entry.second.waiting = -1;
  }
  if (!is_left(opening_waits_)) opening_waits_ = -1;
}

void Sampler::try_again() {
  const auto now = Clock::now();
  bool joins = false;
  for (auto at = hung_.begin(); at != hung_.end();) {
    const std::uint32_t index = at->first;
    Hung& one = at->second;
    const auto own = std::find_if(crews_.begin(), crews_.end(), [index](const auto& crew) {
      return !crew->ended && !crew->main && crew->only.front() == index;
    });
    if (one.good >= kGoodSamples && own != crews_.end()) {  // it answers again
      (void)end_crew(**own);
      at = hung_.erase(at);
      joins = true;
      continue;
    }
    if (now >= one.retry) {
      one.retry = now + limits_.retry;
      if (own == crews_.end() && one.waiting < 0) start_crew({index});
    }
    ++at;
  }
  drop_ended();
  if (main_retry_ && now >= *main_retry_) {
    if (opening_waits_ < 0) joins = true;
    main_retry_ = now + limits_.retry;
  }
  if (joins) restart_main();
  drop_ended();
}

void Sampler::drop_ended() {
  crews_.erase(std::remove_if(crews_.begin(), crews_.end(), [](const auto& crew) { return crew->ended; }),
               crews_.end());
}

std::int64_t Sampler::left_behind() const {
  return static_cast<std::int64_t>(left_.size());
}

std::vector<pid_t> Sampler::children() const {
  std::vector<pid_t> pids;
  for (const auto& crew : crews_) {
    if (!crew->ended) pids.push_back(crew->pid);
  }
  return pids;
}

}  // namespace gpuwright::host
