// The same work for many things at once, by so many threads as the caller allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace gpuwright::base {

/// Calls work(0) ... work(count - 1), each once, at most `at_once` of them at a time, begun in order; returns
/// when all have returned. `work` must not throw, and guards what it shares.
void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)>& work);

}  // namespace gpuwright::base
