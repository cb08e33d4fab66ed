// Who used which GPUs, from when to when: made of the users that each sample names. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/history.h"
#include "model/node_state.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gpuwright::watch {

class JobLog {
 public:
  /// Who is not seen for so long has ended, at the time when he was last seen.
  static constexpr double kGone_s = 15;
  static constexpr std::size_t kMost = 1024;  ///< jobs at a time

  /// Jobs that an earlier daemon left open, and when it wrote for the last time: who is still there goes on.
  void take_over(const std::vector<model::JobSeen>& open, std::int64_t last_ms, double now_s);
  /// Jobs that began, ended, or use further GPUs since the last look. A GPU that does not answer changes
  /// nothing.
  std::vector<model::JobSeen> look(const model::NodeState& state);

 private:
  struct Job {
    model::JobSeen seen;
    std::set<std::string> gpus;  ///< all that it has used
    std::int64_t last_ms = 0;    ///< wall clock when last seen
    double last_s = 0;           ///< the same, of a clock that only grows
  };
  static void see(const model::GpuUser& user, const std::string& uuid, std::map<std::string, Job>& now);
  static bool merge(Job& job, const Job& seen);
  void end_gone(double now_s, const std::set<std::string>& unknown);

  std::map<std::string, Job> open_;  ///< by holder
  std::vector<model::JobSeen> told_;
};

}  // namespace gpuwright::watch
