// The daemon's looks at the whole machine: `gpuwright doctor`, run by itself in a process of its own from
// time to time, and soon after something has happened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/recovered.h"
#include "base/result.h"
#include "host/forked.h"
#include "kit/event_loop.h"
#include "model/live_incident.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::app {

struct LookerOptions {
  std::string program;  ///< our own
  std::string data;     ///< --data
  std::chrono::milliseconds period{300'000};
  std::chrono::milliseconds soon{2'000};  ///< after something has happened: what belongs to it comes, too
  std::chrono::milliseconds deadline{60'000};  ///< then it is given up
};

/// What one look saw, or why it saw nothing.
using LookFunction = std::function<void(base::Result<std::vector<model::Condition>>)>;

class Looker {
 public:
  Looker(kit::EventLoop& loop, LookerOptions options, LookFunction tell);
  ~Looker();
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;

  /// Looks soon, and then again a period later.
  void look_soon();
  /// What the log says of this GPU up to now, or so many seconds ago, is over.
  void recovered(const std::string& pci, double ago_s = 0);
  /// While there is a reason, no look begins, and that is told in its place.
  void hold(std::string why) { held_ = std::move(why); }
  std::vector<pid_t> children() const;

 private:
  void plan_soon();
  void look();
  void read();
  void finish();

  kit::EventLoop& loop_;
  LookerOptions options_;
  LookFunction tell_;
  host::Forked child_;
  std::string answer_;
  Recovered recovered_;
  std::string held_;           ///< why no look begins; empty: looks are made
  bool again_ = false;         ///< something happened while a look was under way
  bool planned_soon_ = false;  ///< the next one comes because something happened
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::duration took_{0};
  kit::Waiting readable_, next_, deadline_;
};

/// The findings of `gpuwright doctor --json` as conditions. Malformed: something else.
base::Result<std::vector<model::Condition>> conditions_of(const std::string& json);

}  // namespace gpuwright::app
