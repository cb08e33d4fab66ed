// Samples the simulated library in this process's children, for a while.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/sampler.h"

#include <chrono>
#include <functional>
#include <string>

namespace gpuwright::tests {

/// Points children at the simulated library and this scenario.
void use_scenario(const std::string& path);

/// Polls the sampler and sends a tick each `period` (each fifth one whole, beginning with the first) until
/// `done` or `limit` is over. Returns whether it was done.
bool follow(host::Sampler& sampler, std::chrono::milliseconds period, std::chrono::milliseconds limit,
            const std::function<bool()>& done);

}  // namespace gpuwright::tests
