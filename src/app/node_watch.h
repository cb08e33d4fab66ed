// What keeps the state of this machine true: samples, the kernel's log, who uses the GPUs, looks of doctor,
// and incidents made of them. It runs on an event loop and never waits: what may hang is in children. `serve`
// and `top` show what it knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/attend.h"
#include "app/looker.h"
#include "app/node_history.h"
#include "app/receivers.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "host/kmsg.h"
#include "host/sampler.h"
#include "kit/event_loop.h"
#include "watch/health.h"
#include "watch/plan.h"
#include "watch/surveyor.h"
#include "watch/watcher.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

/// Periods after which a value is old.
inline constexpr int kMissedPeriods = 3;

struct NodeWatchOptions {
  std::chrono::milliseconds often{1000};  ///< between samples of what decides about health
  std::chrono::milliseconds whole{5000};  ///< of all values
  host::SamplerLimits sampler;
  watch::SurveyJob survey;
  std::string kernel_log = "/dev/kmsg";
  LookerOptions looker;
  watch::HealthOptions health;
  NodeHistoryOptions history;  ///< of which freshness and log are set here
  ReceiversOptions receivers;
  std::function<void(const std::string&)> log;  ///< one line for the operator
};

class NodeWatch {
 public:
  /// `loop`, `catalog` and `plan` must outlive it.
  NodeWatch(kit::EventLoop& loop, const catalog::Catalog& catalog, const watch::WatchPlan& plan,
            NodeWatchOptions options);

  /// Begins. `ticked` is called each period, with all answers of the period before in the state.
  void start(std::function<void()> ticked);
  /// Lets what waits be written to the history, and ends the children.
  void stop();

  /// Asks the history; the answer comes later, an error too.
  void ask_history(const model::HistoryQuery& query, NodeHistory::Answer answer) {
    history_.ask(query, std::move(answer));
  }
  const model::NodeState& state() const { return watcher_.state(); }
  model::NodeState& mutable_state() { return watcher_.mutable_state(); }
  /// Sets the state's clocks to now.
  void look_at_clock() { watcher_.look_at_clock(); }

 private:
  void tick();
  void open_kernel_log();
  void read_kernel_log();
  void looked(base::Result<std::vector<model::Condition>> seen);
  void show_health();
  void note_changes();
  void look_at_self();
  void look_at_bus();
  void take_over(const TakenOver& taken);
  void take_over(const model::Incident& row, const std::string& boot_id);
  void tell_incidents();
  bool is_proof(const std::string& ending) const;

  kit::EventLoop& loop_;
  const catalog::Catalog& catalog_;
  NodeWatchOptions options_;
  watch::Watcher watcher_;
  host::Sampler sampler_;
  watch::Surveyor surveyor_;
  Attend<host::Sampler> sampling_;
  Attend<watch::Surveyor> surveying_;
  watch::Health health_;
  NodeHistory history_;
  Receivers receivers_;
  bool told_ = false;  ///< incidents have been told
  Looker looker_;
  std::function<void()> ticked_;
  bool survey_due_ = false;
  double next_whole_s_ = 0;
  std::uint64_t xids_seen_ = 0;
  std::size_t up_seen_ = 0;
  std::optional<host::KernelLogFollower> kernel_log_;
  kit::Waiting kernel_log_waits_, kernel_log_retry_, ticks_, self_;
};

}  // namespace gpuwright::app
