// SPDX-License-Identifier: Apache-2.0
#include "watch/history_tiers.h"

#include <algorithm>

namespace gpuwright::watch {

std::int64_t begin_of_step(std::int64_t time_ms, std::int64_t step_ms) {
  const std::int64_t into = time_ms % step_ms;
  return time_ms - (into < 0 ? into + step_ms : into);
}

std::optional<ClosedStep> OpenStep::take(const TickTime& time, std::span<const NumberedValue> values) {
  std::optional<ClosedStep> closed;
  const std::int64_t begin = begin_of_step(time.time_ms, step_ms_);
  if (first_tick_ > 0 && begin != begin_ms_) closed = close();
  if (first_tick_ == 0) first_tick_ = time.tick;
  begin_ms_ = begin;
  last_ = time;
  for (const NumberedValue& one : values) {
    const auto at = static_cast<std::size_t>(one.series);
    if (at >= sums_.size()) sums_.resize(at + 1);
    Sum& sum = sums_[at];
    sum.min = sum.count == 0 ? one.value : std::min(sum.min, one.value);
    sum.max = sum.count == 0 ? one.value : std::max(sum.max, one.value);
    sum.sum += one.value;
    ++sum.count;
  }
  return closed;
}

ClosedStep OpenStep::close() {
  std::vector<NumberedRange> ranges;
  for (std::size_t at = 0; at < sums_.size(); ++at) {
    const Sum& sum = sums_[at];
    if (sum.count == 0) continue;
    ranges.push_back({static_cast<std::int64_t>(at), {sum.min, sum.sum / sum.count, sum.max}});
  }
  std::fill(sums_.begin(), sums_.end(), Sum{});
  ClosedStep closed{tier_, first_tick_, last_.tick, begin_ms_, last_.elapsed_ms, pack_ranges(ranges)};
  first_tick_ = 0;
  return closed;
}

}  // namespace gpuwright::watch
