// The daemon's memory: what happens in each tick goes to the process of the history, and what an earlier
// daemon knew comes from it. Nothing here waits: watch::Historian's socket and clock are attended to by the
// loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "kit/event_loop.h"
#include "model/history.h"
#include "model/live_incident.h"
#include "model/node_state.h"
#include "watch/event_log.h"
#include "watch/historian.h"
#include "watch/job_log.h"
#include "watch/plan.h"
#include "watch/series_log.h"
#include "watch/state_log.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

/// What an earlier daemon left in the file.
struct TakenOver {
  std::string boot_id;                     ///< now
  std::vector<model::Incident> incidents;  ///< open, or ended lately
  std::vector<model::HistoryEvent> xids;   ///< of this boot, counted
  std::vector<model::SampledGpu> gpus;     ///< that were here in this boot: index, UUID and address
};

struct NodeHistoryOptions {
  bool wanted = false;
  watch::HistorianOptions historian;
  watch::SeriesLog::Freshness freshness;
  std::chrono::milliseconds again{10'000};  ///< until what could not be taken over is asked for again
  std::function<void(const std::string&)> log;
};

class NodeHistory {
 public:
  using TakeOver = std::function<void(const TakenOver&)>;
  using Answer = std::function<void(model::HistoryAnswer)>;

  /// Loop, table and plan must outlive it.
  NodeHistory(kit::EventLoop& loop, const catalog::Metrics& metrics, const watch::WatchPlan& plan,
              NodeHistoryOptions options);
  NodeHistory(const NodeHistory&) = delete;
  NodeHistory& operator=(const NodeHistory&) = delete;
  ~NodeHistory();

  /// Starts the process. `take_over` is called once, when the file has told what was; which may be late.
  void start(TakeOver take_over);
  /// Whether what was may still come, so that what is new should wait for it: for some seconds at most.
  bool awaits() const { return options_.wanted && !taken_over_ && !gave_up_; }
  bool was_taken_over() const { return taken_over_; }

  void event(model::HistoryEvent event);
  void incident(const model::LiveIncident& incident, const model::NodeState& state);
  /// A row as it is, to end one that nobody goes on with.
  void incident(model::Incident row) { incidents_.push_back(std::move(row)); }
  /// Hands over what has come since the last tick, and the values of now.
  void tick(const model::NodeState& state);
  /// Asks; the answer comes later, an error too.
  void ask(const model::HistoryQuery& query, Answer answer);
  /// Lets what waits be written, for a short while: the daemon's end.
  void finish(const model::NodeState& state);

  void fill(model::HistoryWriting& writing) const;
  std::vector<pid_t> children() const;
  std::uint64_t left_behind() const { return historian_.state().left_behind; }
  const std::string& boot_id() const { return boot_id_; }

 private:
  watch::HistoryTick frame(const model::NodeState& state, bool last);
  void pump();
  void watch_socket();
  void say_condition();
  void ask_what_was();
  void take_answers();
  void take_what_was(model::HistoryTopic topic, model::HistoryAnswer answer);

  kit::EventLoop& loop_;
  NodeHistoryOptions options_;
  watch::Historian historian_;
  watch::EventLog events_;
  watch::StateLog states_;
  watch::JobLog jobs_;
  watch::SeriesLog series_;
  std::vector<model::Incident> incidents_;
  std::string boot_id_;
  std::int64_t last_mono_ms_ = 0;

  TakeOver take_over_;
  std::map<model::HistoryTopic, model::HistoryAnswer> what_was_;  ///< until all of it is there
  bool taken_over_ = false, gave_up_ = false, asking_ = false;
  std::map<std::uint64_t, Answer> asked_;
  std::string said_;  ///< the last message that was logged
  std::uint64_t watched_start_ = 0;
  kit::Watch socket_;
  kit::Waiting clock_, again_;
};

}  // namespace gpuwright::app
