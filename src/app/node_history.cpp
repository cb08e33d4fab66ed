// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/node_history.h"

#include "base/files.h"
#include "base/text.h"
#include "watch/incident_row.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <ctime>
#include <utility>

namespace gpuwright::app {

namespace {

using model::HistoryTopic;
using std::chrono::milliseconds;

constexpr milliseconds kClock{1000};
constexpr milliseconds kFarewell{2000};
constexpr std::int64_t kShortestTickMs = 900;  // the file's finest step is a second
constexpr std::int64_t kMilli = 1000;

/// What is asked for at the start.
constexpr std::array<HistoryTopic, 4> kWhatWas = {HistoryTopic::Incidents, HistoryTopic::EventCounts,
                                                  HistoryTopic::LastStates, HistoryTopic::Jobs};

/// CLOCK_BOOTTIME: it runs on while the machine sleeps.
std::int64_t since_boot_ms() {
  timespec time = {};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  constexpr std::int64_t kNanoInMilli = 1'000'000;
  return static_cast<std::int64_t>(time.tv_sec) * kMilli + time.tv_nsec / kNanoInMilli;
}

std::int64_t wall_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

model::HistoryEvent of_daemon(const char* code, const char* text) {
  model::HistoryEvent event;
  event.kind = "daemon";
  event.code = code;
  event.text = text;
  return event;
}

/// Which GPUs there were, from the last of their states.
std::vector<model::SampledGpu> gpus_of(const std::vector<model::StateChange>& states) {
  std::map<std::string, std::map<std::string, std::string>> known;
  for (const model::StateChange& state : states) known[state.subject][state.what] = state.to;
  std::vector<model::SampledGpu> gpus;
  for (const auto& [uuid, what] : known) {
    const auto index = what.find("index"), address = what.find("address"), presence = what.find("presence");
    if (index == what.end() || address == what.end() || presence == what.end() || presence->second == "gone")
      continue;
    model::SampledGpu gpu;
    gpu.index = static_cast<std::uint32_t>(base::parse_int(index->second).value_or(0));
    gpu.uuid = uuid;
    gpu.pci = address->second;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

NodeHistory::NodeHistory(kit::EventLoop& loop, const catalog::Metrics& metrics, const watch::WatchPlan& plan,
                         NodeHistoryOptions options)
    : loop_(loop),
      options_(std::move(options)),
      historian_(options_.historian),
      series_(metrics, plan.series, options_.freshness,
              [this](const std::string& metric, const std::string& uuid) {
                return historian_.series(metric, uuid);
              }) {
  const auto boot = base::read_file("/proc/sys/kernel/random/boot_id", 100);
  boot_id_ = boot ? base::printable(base::trim(*boot)) : std::string("unknown");
  historian_.before_close([this] { socket_.cancel(); });
}

NodeHistory::~NodeHistory() {
  socket_.cancel();
  historian_.before_close({});
}

void NodeHistory::start(TakeOver take_over) {
  if (!options_.wanted) return;
  take_over_ = std::move(take_over);
  event(of_daemon("start", "the daemon began to watch"));
  historian_.pump();
  ask_what_was();
  clock_ = loop_.every(kClock, [this] { pump(); });
  pump();
}

void NodeHistory::event(model::HistoryEvent event) {
  if (!options_.wanted) return;
  if (event.time_ms == 0) event.time_ms = wall_ms();
  event.boot_id = boot_id_;
  events_.add(std::move(event));
}

void NodeHistory::incident(const model::LiveIncident& incident, const model::NodeState& state) {
  if (options_.wanted) incidents_.push_back(watch::incident_row(incident, state, boot_id_));
}

watch::HistoryTick NodeHistory::frame(const model::NodeState& state, bool last) {
  watch::HistoryTick tick;
  tick.time_ms = std::llround(state.wall_s * static_cast<double>(kMilli));
  tick.mono_ms = since_boot_ms();
  tick.boot_id = boot_id_;
  tick.values = series_.values(state);
  tick.events = last ? events_.rest() : events_.due(state.now_s);
  tick.incidents = std::exchange(incidents_, {});
  if (awaits()) return tick;
  tick.changes = states_.look(state);
  tick.jobs = jobs_.look(state);
  return tick;
}

void NodeHistory::tick(const model::NodeState& state) {
  const std::int64_t now_ms = since_boot_ms();
  if (!options_.wanted || now_ms - last_mono_ms_ < kShortestTickMs) return;
  last_mono_ms_ = now_ms;
  historian_.tick(frame(state, false));
  pump();
}

void NodeHistory::finish(const model::NodeState& state) {
  if (!options_.wanted) return;
  event(of_daemon("stop", "the daemon was told to end"));
  historian_.tick(frame(state, true));
  socket_.cancel();
  historian_.finish(kFarewell);
}

/// Reads, writes, replaces; then the loop watches what there is now.
void NodeHistory::pump() {
  historian_.pump();
  take_answers();
  watch_socket();
  say_condition();
}

void NodeHistory::watch_socket() {
  const std::uint64_t start = historian_.state().starts;
  if (historian_.fd() < 0) return;
  if (!socket_.active() || watched_start_ != start) {
    auto watch = loop_.watch(
        historian_.fd(), [this] { pump(); }, [this] { pump(); });
    if (!watch) return;  // the clock attends to it
    socket_ = std::move(*watch);
    watched_start_ = start;
  }
  socket_.want(true, historian_.wants_to_write());
}

void NodeHistory::say_condition() {
  const watch::HistorianState& state = historian_.state();
  const bool up = state.condition == watch::HistoryCondition::Ok;
  const std::string now = state.message.empty() && up ? "ok" : state.message;
  if (now.empty() || now == said_) return;
  const bool first = said_.empty();
  said_ = now;
  if (options_.log && !(first && now == "ok"))
    options_.log(now == "ok" ? "history: it is written again" : "history: " + now);
}

void NodeHistory::ask(const model::HistoryQuery& query, Answer answer) {
  if (!options_.wanted) {
    model::HistoryAnswer none;
    none.error = "no history is kept: the daemon runs with --no-history";
    return answer(std::move(none));
  }
  asked_[historian_.ask(query)] = std::move(answer);
  pump();
}

void NodeHistory::ask_what_was() {
  what_was_.clear();
  asking_ = true;
  for (const HistoryTopic topic : kWhatWas) {
    model::HistoryQuery query;
    query.topic = topic;
    constexpr std::int64_t kMost = 10000, kMostIncidents = 500;
    query.limit = topic == HistoryTopic::Incidents ? kMostIncidents : kMost;
    query.boot_id = boot_id_;
    if (topic == HistoryTopic::EventCounts) query.metric = "xid";
    if (topic == HistoryTopic::Jobs) query.since_ms = INT64_MAX;  // those that have not ended
    if (topic == HistoryTopic::Incidents) query.since_ms = wall_ms() - since_boot_ms();
    asked_[historian_.ask(query)] = [this, topic](model::HistoryAnswer answer) {
      take_what_was(topic, std::move(answer));
    };
  }
}

void NodeHistory::take_answers() {
  for (auto& [number, answer] : historian_.take_answers()) {
    const auto at = asked_.find(number);
    if (at == asked_.end()) continue;
    const Answer taker = std::move(at->second);
    asked_.erase(at);
    taker(std::move(answer));
  }
}

void NodeHistory::take_what_was(HistoryTopic topic, model::HistoryAnswer answer) {
  if (!asking_) return;
  if (!answer.error.empty()) {
    asking_ = false;
    gave_up_ = true;
    again_ = loop_.after(options_.again, [this] {
      ask_what_was();
      pump();
    });
    return;
  }
  what_was_[topic] = std::move(answer);
  if (what_was_.size() < kWhatWas.size()) return;
  asking_ = false;
  TakenOver taken;
  taken.boot_id = boot_id_;
  taken.incidents = std::move(what_was_[HistoryTopic::Incidents].incidents);
  taken.xids = std::move(what_was_[HistoryTopic::EventCounts].events);
  const model::HistoryAnswer& states = what_was_[HistoryTopic::LastStates];
  if (states.newest_boot == boot_id_) taken.gpus = gpus_of(states.changes);
  if (!gave_up_) states_.take_over(what_was_[HistoryTopic::LastStates].changes);
  const model::HistoryAnswer& jobs = what_was_[HistoryTopic::Jobs];
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  jobs_.take_over(jobs.jobs, jobs.newest_ms, std::chrono::duration<double>(now).count());
  what_was_.clear();
  taken_over_ = true;
  take_over_(taken);
}

void NodeHistory::fill(model::HistoryWriting& writing) const {
  writing.wanted = options_.wanted;
  if (!options_.wanted) return;
  const watch::HistorianState& state = historian_.state();
  using watch::HistoryCondition;
  writing.up = state.condition == HistoryCondition::Ok || state.condition == HistoryCondition::SetAside;
  writing.condition = watch::condition_name(state.condition);
  writing.why = state.message;
  writing.path = options_.historian.child.path;
  writing.ticks = state.ticks;
  writing.dropped = state.dropped;
  writing.lost = state.lost;
  writing.restarts = state.starts > 0 ? state.starts - 1 : 0;
  writing.queued_bytes = state.queued_bytes;
  writing.file_bytes = static_cast<std::uint64_t>(state.used_bytes);
  constexpr double kMicro = 1e-6;
  writing.write_s = static_cast<double>(state.write_us) * kMicro;
}

std::vector<pid_t> NodeHistory::children() const {
  return historian_.pid() > 0 ? std::vector<pid_t>{historian_.pid()} : std::vector<pid_t>();
}

}  // namespace gpuwright::app
