// The values of the history as bytes. A row holds what many series were at one moment (written each tick); a
// chunk what one series was over many steps (made of rows once there are some hundred), where most steps are
// as the one before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/history.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

/// A value of the series with that number in the file.
struct NumberedValue {
  std::int64_t series = 0;
  double value = 0;
};

/// What a series was within one step.
struct Range {
  double min = 0;
  double mean = 0;
  double max = 0;
};
struct NumberedRange {
  std::int64_t series = 0;
  Range range;
};

/// A row of values, in ascending order of series, each once.
std::string pack_values(std::span<const NumberedValue> values);
/// Malformed when the bytes are no such row.
base::Status unpack_values(std::string_view bytes, const std::function<void(const NumberedValue&)>& take);
/// The same for ranges. The mean is kept to a 65535th of the range.
std::string pack_ranges(std::span<const NumberedRange> ranges);
base::Status unpack_ranges(std::string_view bytes, const std::function<void(const NumberedRange&)>& take);

/// Steps of one series, ascending in time, all in the same distance from `time_ms` (whole steps).
std::string pack_chunk(std::span<const model::SeriesBucket> buckets, std::int64_t time_ms,
                       std::int64_t step_ms);
/// Steps of a chunk that begins at `time_ms`. Malformed: damaged, or of more than kMostSteps.
base::Result<std::vector<model::SeriesBucket>> unpack_chunk(std::string_view bytes, std::int64_t time_ms,
                                                            std::int64_t step_ms);
inline constexpr std::uint64_t kMostSteps = 100000;

}  // namespace gpuwright::watch
