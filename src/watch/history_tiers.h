// Down-sampling: what was seen each second becomes min, mean and max of longer steps. Only open steps are
// held in memory; they are made again from the ticks in the file after a restart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/history_chunks.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuwright::watch {

struct HistoryTier {
  std::chrono::milliseconds step;
  std::chrono::milliseconds keep;
};

/// A step of one tier that is over.
struct ClosedStep {
  std::size_t tier = 0;
  std::int64_t first_tick = 0;
  std::int64_t last_tick = 0;
  std::int64_t time_ms = 0;
  std::int64_t elapsed_ms = 0;
  std::string data;  ///< pack_ranges
};

/// When a tick was: its number only grows; the wall clock may jump.
struct TickTime {
  std::int64_t tick = 0;
  std::int64_t time_ms = 0;
  std::int64_t elapsed_ms = 0;
};

/// The open step of one tier.
class OpenStep {
 public:
  OpenStep(std::size_t tier, std::int64_t step_ms) : tier_(tier), step_ms_(step_ms) {}
  /// Takes a tick; gives the step that ended before it, if one did. A clock that was set ends a step too.
  std::optional<ClosedStep> take(const TickTime& time, std::span<const NumberedValue> values);
  std::int64_t step_ms() const { return step_ms_; }

 private:
  struct Sum {
    double min = 0;
    double max = 0;
    double sum = 0;
    std::uint32_t count = 0;
  };
  ClosedStep close();

  std::size_t tier_;
  std::int64_t step_ms_;
  std::int64_t begin_ms_ = 0;
  std::int64_t first_tick_ = 0;  ///< 0: nothing yet
  TickTime last_;
  std::vector<Sum> sums_;  ///< by the series' number
};

/// The begin of the step that holds the time; also before 1970.
std::int64_t begin_of_step(std::int64_t time_ms, std::int64_t step_ms);

}  // namespace gpuwright::watch
