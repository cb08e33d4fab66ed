// Sorts GPU time into classes. Pure: moments in, ledger out. The definitions stand in data/fleet/classes.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/usage.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gpuwright::rules {

struct UsageLimits {
  double idle_load = 0;           ///< below it a GPU does no work
  std::int64_t idle_seconds = 0;  ///< shorter pauses belong to the work
};

class UsageCounter {
 public:
  /// `step`: seconds from one moment to the next.
  UsageCounter(std::vector<model::FleetGpu> gpus, UsageLimits limits, std::int64_t step);

  /// One moment of all GPUs, in the order of `gpus`; moments come in the order of time. `least_wanted`: the
  /// fewest GPUs on one node that something waits for; nothing: nothing waits, or nobody knows.
  void add(const std::vector<model::GpuMoment>& moments, std::optional<double> least_wanted);

  /// The whole ledger; nothing may be added afterwards.
  model::UsageLedger finish();

 private:
  enum class Doing : std::uint8_t { Nothing, Sick, Busy, BusyUnheld, IdleHeld, Free };
  /// A stretch of time whose class is known only when it has become long, or has ended.
  struct Pause {
    Doing doing = Doing::Nothing;  ///< IdleHeld or Free; else there is none
    bool decided = false;
    std::vector<std::uint32_t> holders;
    std::vector<model::UsageClass> waiting;  ///< what each moment is, if it turns out to be long
  };
  struct State {
    Doing before = Doing::Nothing;
    Pause pause;
    model::GpuUsage usage;
    bool ever_known = false;
  };

  Doing doing_of(const model::GpuMoment& moment) const;
  void take(std::size_t gpu, const model::GpuMoment& moment, model::UsageClass free_class);
  void pause(std::size_t gpu, Doing doing, const model::GpuMoment& moment, model::UsageClass if_long);
  void end_pause(std::size_t gpu, Doing next);
  void credit(std::size_t gpu, model::UsageClass what, const std::vector<std::uint32_t>& holders,
              std::optional<double> clock);
  void credit_holders(const model::GpuTime& time, model::UsageClass what,
                      const std::vector<std::uint32_t>& holders);
  void remember(State& state, const model::GpuMoment& moment) const;

  std::vector<model::FleetGpu> gpus_;
  UsageLimits limits_;
  std::vector<State> states_;
  std::map<std::uint32_t, model::HolderUsage> holders_;
  model::UsageLedger ledger_;
};

}  // namespace gpuwright::rules
