// Health over time. A look says what is wrong now; this remembers since when, and when it ended. A state is
// entered after it was seen often enough and left after it was missing often enough, so that a value at a
// border does not ring twice; what is proven to be over (a reset, a reboot, another board) ends at once.
// Pure: time comes from the caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/live_incident.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

struct HealthOptions {
  int raise_after = 2;  ///< reports in a row; what is critical is raised by the first
  int clear_after = 2;
  std::size_t keep_ended = 100;
};

class Health {
 public:
  explicit Health(const HealthOptions& options = {}) : options_(options) {}

  /// All that `source` sees at this time. What it saw before and does not see now begins to fade. Another
  /// source's conditions are not touched. A source that could not look does not report: then nothing is
  /// better, and nothing worse.
  void report(const std::string& source, const std::vector<model::Condition>& conditions, double now_s);
  /// What an earlier daemon knew to be open when it ended. The first reports tell whether it goes on; after a
  /// reboot, one that does not see it ends it. What was raised here meanwhile is the same incident.
  void take_over(const model::LiveIncident& incident, bool rebooted);
  /// Proven: this subject's incidents are over. Returns how many were.
  std::size_t recovered(const std::string& subject, const std::string& why, double now_s);

  /// Those that are open or fading, the most severe first, then the oldest.
  std::vector<model::LiveIncident> open() const;
  /// Those that ended, the newest first.
  const std::vector<model::LiveIncident>& ended() const { return ended_; }
  /// What was raised, changed or ended since this was last asked, in order.
  std::vector<model::IncidentChange> take_changes() { return std::exchange(changes_, {}); }
  /// Unix time of the last report that could look; 0: none yet.
  double looked_s() const { return looked_s_; }

 private:
  struct Seen {
    model::LiveIncident incident;
    std::string source;
    int seen = 0;  ///< reports in a row
    int missed = 0;
    std::string ends_as = "unseen";  ///< when it is missing
  };
  using Key = std::pair<std::string, std::string>;  ///< cause, subject

  void see(Seen& seen, const model::Condition& condition, double now_s);
  void raise(Seen& seen);
  void end(Seen& seen, const std::string& why, double now_s);

  HealthOptions options_;
  std::map<Key, Seen> seen_;
  std::vector<model::LiveIncident> ended_;
  std::vector<model::IncidentChange> changes_;
  std::int64_t last_number_ = 0;
  double looked_s_ = 0;
};

}  // namespace gpuwright::watch
