// Options that are times: "500ms", "5s", "2min".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <chrono>
#include <string>

namespace gpuwright::app {

/// The time, up to an hour. Malformed, with the option's name: anything else, or less than `least`.
base::Result<std::chrono::milliseconds> time_option(const char* option, const std::string& text,
                                                    std::chrono::milliseconds least);

}  // namespace gpuwright::app
