// What a sampler can ask the driver's library about a GPU again and again, in numbers. Most values come in
// one call (nvmlDeviceGetFieldValues), and performance metrics of Hopper and later in another (GPM); for the
// rest there is one visible list of calls.
//
// Left out on purpose: nvmlDeviceGetPcieThroughput sleeps 20 ms a direction (fields 197 and 198 count bytes).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_library.h"
#include "model/sample.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpuwright::host::nvml {

/// One call with one number as its answer, in the library's own unit: mW, MHz, bytes, per cent, C.
struct SampleCall {
  const char* key;   ///< as data/metrics names it: "call:KEY"
  const char* call;  ///< "nvmlDeviceGetTemperature"
  Return (*ask)(const Api& api, Device device, std::uint64_t& value);
  bool of_parts = false;  ///< a MIG instance answers it, too
};

/// The list, sorted by key.
std::span<const SampleCall> sample_calls();
/// The place of a key in it.
std::optional<std::size_t> find_sample_call(std::string_view key);

/// One value that is to be sampled.
struct PlannedValue {
  enum class Kind : std::uint8_t { Call, Field, Gpm };
  Kind kind = Kind::Call;
  std::uint32_t number = 0;  ///< place in sample_calls(), field id, GPM metric id
  bool all_links = false;    ///< a field of all NVLinks together
  bool often = false;        ///< in each tick, not only in whole ones
};

/// Answers come in this order (model::GpuSample::values).
using SamplePlan = std::vector<PlannedValue>;

/// How a return code becomes an absent value.
model::AbsentReason absent_reason(Return result);
/// The GPU is off the bus or waits for a reset: there is no use in asking it on.
bool is_gone(Return result);

}  // namespace gpuwright::host::nvml
