// A hundred random machines, each looked at twice.
// SPDX-License-Identifier: Apache-2.0
#include "support/storm.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace gpuwright::tests {
namespace {

TEST(Storm, AHundredBrokenMachinesAreAnswered) {
  const auto longest = look_at_machines(1000, 100);
  std::printf("the longest look took %lld ms\n", static_cast<long long>(longest.count()));
}

}  // namespace
}  // namespace gpuwright::tests
