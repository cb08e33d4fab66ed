// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/surveyor.h"

#include "base/bytes.h"
#include "base/frames.h"
#include "base/text.h"
#include "watch/given.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

namespace gpuwright::watch {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostPending = std::size_t{8} << 20;
constexpr std::size_t kMostLeft = 2;
constexpr std::size_t kMostPids = 4096;
constexpr std::size_t kMostSilent = 256;

std::string class_of(const std::string& subject) {
  return subject.substr(0, subject.find('/') + 1);
}

double steady_s() {
  return std::chrono::duration<double>(Surveyor::Clock::now().time_since_epoch()).count();
}

}  // namespace

std::vector<std::int64_t> pids_of(const model::NodeState& state) {
  std::set<std::int64_t> pids;
  for (const auto& entry : state.gpus) {
    for (const model::GpuUser& user : entry.second.users) {
      if (user.pid > 0 && pids.size() < kMostPids) pids.insert(user.pid);
    }
  }
  return {pids.begin(), pids.end()};
}

Surveyor::Surveyor(SurveyJob job, const SurveyorLimits& limits) : job_(std::move(job)), limits_(limits) {}

Surveyor::~Surveyor() {
  stop();
}

void Surveyor::start() {
  if (running_) return;
  running_ = true;
  start_child();
}

void Surveyor::stop() {
  running_ = false;
  restart_.reset();
  if (child_.running()) (void)end_child();
}

/// Kills it. False when it does not die: it is left behind.
bool Surveyor::end_child() {
  if (before_close_) before_close_(child_.fd());
  const pid_t pid = child_.pid();
  const bool gone = child_.end();
  if (!gone) left_.push_back(pid);
  return gone;
}

void Surveyor::start_child() {
  busy_ = false;
  asking_.clear();
  pending_.clear();
  restart_.reset();
  auto child = left_.size() < kMostLeft
                   ? host::Forked::start("gpuwright-users", [this](int fd) { run_survey_worker(fd, job_); })
                   : base::Result<host::Forked>(base::make_error(base::ErrorKind::Conflict, "too many wait"));
  if (!child) {
    restart_ = Clock::now() + limits_.retry;
    return;
  }
  child_ = std::move(*child);
  ::fcntl(child_.fd(), F_SETFL, ::fcntl(child_.fd(), F_GETFL) | O_NONBLOCK);
}

void Surveyor::tick(const std::vector<std::int64_t>& pids) {
  if (!child_.running() || busy_) return;
  const std::string bytes =
      base::frame_bytes(static_cast<char>(SurveyTag::Ask), encode(SurveyQuestion{pids, skipped()}));
  busy_ = true;
  since_ = Clock::now();
  asking_.clear();
  // The socket is empty, as nothing else is asked before the answer has come: it takes all or is broken.
  const ssize_t sent = ::send(child_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent != static_cast<ssize_t>(bytes.size())) give_up(true);
}

std::vector<std::string> Surveyor::skipped() const {
  std::vector<std::string> all;
  for (const auto& [subject, silent] : silent_)
    all.push_back(silent.waiting > 0 ? class_of(subject) : subject);
  return all;
}

std::vector<int> Surveyor::descriptors() const {
  return child_.running() ? std::vector<int>{child_.fd()} : std::vector<int>();
}

std::vector<pid_t> Surveyor::children() const {
  return child_.running() ? std::vector<pid_t>{child_.pid()} : std::vector<pid_t>();
}

void Surveyor::read(int descriptor) {
  if (!child_.running() || descriptor != child_.fd()) return;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) return give_up(true);
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
    std::string_view rest = pending_;
    bool broken = pending_.size() > kMostPending;
    while (!broken) {
      const auto one = base::take_frame(rest, broken);
      if (!one) break;
      frame(one->tag, one->content);
    }
    if (broken) return give_up(true);
    pending_.erase(0, pending_.size() - rest.size());
  }
}

void Surveyor::frame(char tag, std::string_view content) {
  since_ = Clock::now();
  switch (static_cast<SurveyTag>(tag)) {
    case SurveyTag::Begins:
      asking_ = base::printable(content, 200);
      return;
    case SurveyTag::Users:
      if (auto users = decode_users(content)) {
        users_.clear();
        for (model::GpuUser& user : *users) users_[user.pid] = std::move(user);
      }
      return;
    case SurveyTag::Series:
      if (auto series = decode_series(content)) series_ = std::move(*series);
      return;
    case SurveyTag::Pods:
      if (auto pods = decode_pods(content)) {
        state_.no_pods = std::move(pods->why);
        if (!state_.no_pods.empty()) return;  // the last good answer stays, and grows old
        given_ = std::move(pods->given);
        state_.pods_fresh_s = pods->there ? steady_s() : 0;
      }
      return;
    case SurveyTag::Done:
      busy_ = false;
      asking_.clear();
      ++answers_;
      state_.fresh_s = steady_s();
      state_.took_s = base::ByteReader(content).get<double>();
      return;
    case SurveyTag::Ask:
      return;
  }
}

milliseconds Surveyor::patience() const {
  const std::string whole_class = class_of(asking_);
  return whole_class == "kubelet/" || whole_class == "tool/" ? limits_.slow : limits_.step;
}

void Surveyor::give_up(bool crashed) {
  const pid_t pid = child_.pid();
  const bool gone = end_child();
  ++restarts_;
  if (!asking_.empty() && (silent_.size() < kMostSilent || silent_.count(asking_) != 0))
    silent_[asking_] = {Clock::now() + limits_.retry, gone ? -1 : pid};
  if (!running_) return;
  if (crashed && asking_.empty()) {  // nobody is to blame: not at once again
    busy_ = false;
    restart_ = Clock::now() + limits_.retry;
    return;
  }
  start_child();
}

Surveyor::Clock::time_point Surveyor::next_deadline() const {
  auto next = Clock::time_point::max();
  if (busy_ && child_.running()) next = since_ + patience();
  if (restart_) next = std::min(next, *restart_);
  for (const auto& entry : silent_) next = std::min(next, entry.second.retry);
  return next;
}

void Surveyor::look_at_clock() {
  if (child_.running()) read(child_.fd());  // who answered while we slept is not late
  const auto now = Clock::now();
  if (busy_ && child_.running() && now - since_ >= patience()) give_up(false);
  collect_dead();
  for (auto at = silent_.begin(); at != silent_.end();) {
    if (now >= at->second.retry && at->second.waiting <= 0) {
      at = silent_.erase(at);
      continue;
    }
    if (now >= at->second.retry) at->second.retry = now + limits_.retry;
    ++at;
  }
  if (running_ && restart_ && now >= *restart_) start_child();
}

void Surveyor::collect_dead() {
  const auto is_gone = [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; };
  left_.erase(std::remove_if(left_.begin(), left_.end(), is_gone), left_.end());
  for (auto& entry : silent_) {
    if (std::find(left_.begin(), left_.end(), entry.second.waiting) == left_.end()) entry.second.waiting = -1;
  }
}

bool Surveyor::name_users(model::GpuState& gpu, bool all) const {
  bool any = false;
  for (model::GpuUser& user : gpu.users) {
    const auto known = users_.find(user.pid);
    const bool bare = user.user.empty() && user.why.empty();
    if (known == users_.end() || (!all && !bare)) continue;
    model::GpuUser named = known->second;
    named.memory_bytes = user.memory_bytes;
    named.memory_known = user.memory_known;
    named.gpu_instance = user.gpu_instance;
    user = std::move(named);
    any = true;
  }
  return any;
}

void Surveyor::name_new_users(model::NodeState& state) const {
  for (auto& entry : state.gpus) {
    if (name_users(entry.second, false)) join_given(given_, entry.second);
  }
}

void Surveyor::fill(model::NodeState& state) const {
  for (auto& entry : state.gpus) {
    (void)name_users(entry.second, true);
    join_given(given_, entry.second);
  }
  state.host_series = series_;
  state.survey = state_;
  state.survey.restarts = static_cast<std::uint64_t>(restarts_);
  state.survey.left_behind = static_cast<std::uint64_t>(left_.size());
  for (const auto& one : silent_) state.survey.silent.push_back(one.first);
}

}  // namespace gpuwright::watch
