// GPUs that were reset or replaced while the machine ran: what the log said of them before is over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/observations.h"

#include <cstdint>
#include <map>
#include <string>

namespace gpuwright::app {

/// Time after boot in nanoseconds, by the GPU's address ("0000:3b:00").
using Recovered = std::map<std::string, std::int64_t>;

/// "0000:3b:00=86400.5,0000:61:00=90000": seconds after boot. Malformed otherwise.
base::Result<Recovered> parse_recovered(const std::string& text);

/// Drops what is known of these GPUs and their links from before. What has no time after boot stays.
void drop_recovered(const Recovered& recovered, model::Observations& observations);

}  // namespace gpuwright::app
