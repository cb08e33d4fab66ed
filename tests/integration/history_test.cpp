// The history killed two hundred times: each time what was confirmed is there, and the file is sound.
// SPDX-License-Identifier: Apache-2.0
#include "support/history.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(HistoryKilled, TwoHundredTimesItKeepsWhatItConfirmed) {
  kill_historian_at_random(200);
}

}  // namespace
}  // namespace gpuwright::tests
