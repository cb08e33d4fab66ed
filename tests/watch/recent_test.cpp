// Rates of counters, between one look and the next.
// SPDX-License-Identifier: Apache-2.0
#include "watch/recent.h"

#include "watch/plan.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

class RecentRates : public ::testing::Test {
 protected:
  RecentRates() : plan_(watch::plan_series(knowledge().metrics()).value()), values_(plan_.series) {
    model::GpuState& gpu = state_.gpus[0];
    gpu.up = true;
    gpu.values.resize(plan_.values.size());
  }
  void look(double at_s, std::uint64_t sent) {
    model::GpuState& gpu = state_.gpus.at(0);
    gpu.whole_s = at_s;
    gpu.values.at(values_.keys().at("pcie_bytes/sent")->value) = model::SampleValue::of_count(sent);
    recent_.take(state_);
  }
  const model::RecentGpu& seen() const { return recent_.gpus().at(0); }

  watch::WatchPlan plan_;
  catalog::GpuValues values_;
  model::NodeState state_;
  watch::Recent recent_{values_};
};

TEST_F(RecentRates, OfTwoLooksAndNotOfOne) {
  look(10, 1000);
  EXPECT_FALSE(seen().pcie_sent.has_value());
  look(12, 5000);
  ASSERT_TRUE(seen().pcie_sent.has_value());
  EXPECT_DOUBLE_EQ(*seen().pcie_sent, 2000);
  look(12, 5000);
  EXPECT_DOUBLE_EQ(*seen().pcie_sent, 2000) << "nothing new has come";
}

TEST_F(RecentRates, ACounterThatBeginsAnewIsNoRate) {
  look(10, 5000);
  look(11, 100);
  EXPECT_FALSE(seen().pcie_sent.has_value());
  look(12, 300);
  EXPECT_DOUBLE_EQ(seen().pcie_sent.value_or(-1), 200);
}

TEST_F(RecentRates, WhatIsNotKnownIsNoPointOfZero) {
  look(10, 1);
  EXPECT_LT(seen().busy.back(), 0);
  for (int i = 0; i < 500; ++i) look(11 + i, 1);
  EXPECT_LE(seen().busy.size(), 100U);
  state_.gpus.clear();
  recent_.take(state_);
  EXPECT_TRUE(recent_.gpus().empty());
}

}  // namespace
}  // namespace gpuwright::tests
