// Running a tool for a Source or a Hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/source.h"

#include <chrono>
#include <string>
#include <vector>

namespace gpuwright::host {

/// base::run_process as an answer.
base::Result<CommandAnswer> run_command(const std::vector<std::string>& argv,
                                        std::chrono::milliseconds deadline);

}  // namespace gpuwright::host
