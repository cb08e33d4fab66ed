// The same work for many things at once.
// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace gpuwright::tests {
namespace {

TEST(InParallel, DoesEachOnceAndNoMoreAtOnceThanAllowed) {
  for (const std::size_t at_once : {0U, 1U, 3U, 64U}) {
    std::vector<std::atomic<int>> done(40);
    std::atomic<int> now{0}, most{0};
    base::in_parallel(done.size(), at_once, [&](std::size_t at) {
      int seen = ++now;
      for (int known = most; seen > known && !most.compare_exchange_weak(known, seen);) continue;
      ::usleep(1000);
      ++done[at];
      --now;
    });
    EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
    EXPECT_LE(most, std::max<int>(1, static_cast<int>(at_once)));
  }
}

TEST(InParallel, OfNothingReturns) {
  base::in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace gpuwright::tests
