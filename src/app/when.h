// Times as people write them behind options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpuwright::app {

/// Unix seconds now.
std::int64_t now_seconds();

/// "90s", "10m", "24h", "7d", "2w" in seconds; nothing if it is none.
std::optional<std::int64_t> span_of(const std::string& text);

/// The Unix second of "2h" (before `now`), or of a moment that is named. Malformed names the option and what
/// to write.
base::Result<std::int64_t> time_of(const char* option, const std::string& text, std::int64_t now);

}  // namespace gpuwright::app
