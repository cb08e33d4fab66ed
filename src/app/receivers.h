// Who is told of incidents: a webhook, as they begin, change and end; an Alertmanager, of all that are open,
// again before it would forget them, and of those that ended. Nothing here waits (Receiver).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/receiver.h"
#include "catalog/catalog.h"
#include "kit/event_loop.h"
#include "model/live_incident.h"
#include "model/node_state.h"
#include "report/notices.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

struct ReceiversOptions {
  std::string webhook;  ///< URL; empty: none
  std::string webhook_header_file;
  std::string alertmanager;                  ///< URL, to which /api/v2/alerts is added; empty: none
  std::string authorities;                   ///< PEM file of whom to trust; empty: whom the machine does
  std::chrono::milliseconds resend{60'000};  ///< of alerts that are open
};

class Receivers {
 public:
  /// Loop and catalog must outlive it.
  Receivers(kit::EventLoop& loop, const catalog::Catalog& catalog, const ReceiversOptions& options,
            const std::function<void(const std::string&)>& log);

  /// An incident began, changed or ended.
  void take(const model::IncidentChange& change, const model::NodeState& state);
  /// Looks at all that are open. Call it each tick, once it is known what was open before.
  void tick(const model::NodeState& state);

  void fill(std::vector<model::ReceiverState>& states) const;
  std::vector<pid_t> children() const;

 private:
  /// An alert as it was sent, with the labels by which it is known there.
  struct Alert {
    report::AlertLabels labels;
    model::LiveIncident incident;
    double end_s = 0;  ///< 0: it goes on
  };
  bool note(const model::NodeState& state);
  bool note_open(const model::LiveIncident& incident, const model::NodeState& state);
  void end(Alert& alert, double end_s);

  const catalog::Catalog& catalog_;
  std::chrono::milliseconds resend_;
  std::unique_ptr<Receiver> webhook_, alertmanager_;
  std::uint64_t notices_ = 0;
  std::map<std::string, Alert> open_;  ///< by the incident's key
  std::vector<Alert> ended_;           ///< that are still told
  double next_s_ = 0;
};

/// Malformed, saying what to write: a URL that is none, a header file without a webhook, or one that cannot
/// be read.
base::Status check_receivers(const ReceiversOptions& options);

}  // namespace gpuwright::app
