// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace gpuwright::base {

void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t at = next++; at < count; at = next++) work(at);
  };
  std::vector<std::thread> threads;
  const std::size_t helpers = std::min(count, std::max<std::size_t>(at_once, 1));
  threads.reserve(helpers);
  try {
    while (threads.size() + 1 < helpers) threads.emplace_back(take);
  } catch (const std::system_error&) {
    // The system gives no further thread: those that there are do it all.
  }
  take();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gpuwright::base
