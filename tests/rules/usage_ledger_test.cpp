// Every GPU-second in exactly one class, whatever the moments are.
// SPDX-License-Identifier: Apache-2.0
#include "rules/usage_ledger.h"

#include "rules/usage_moments.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using model::GpuMoment;
using model::SickReason;
using model::UsageClass;

constexpr std::int64_t kStep = 60;
const rules::UsageLimits kLimits = {0.05, 600};

GpuMoment moment(double activity, std::vector<std::uint32_t> holders = {}) {
  GpuMoment one;
  one.known = true;
  one.activity = activity;
  one.holders = std::move(holders);
  return one;
}

GpuMoment sick(SickReason reason, double activity = 0) {
  GpuMoment one = moment(activity);
  one.sick = reason;
  return one;
}

/// One GPU at 2 dollars an hour.
model::UsageLedger count(const std::vector<GpuMoment>& moments, std::optional<double> wanted = {}) {
  rules::UsageCounter counter({{"GPU-1", "gpu", "n1:9400", "0", "", 2.0}}, kLimits, kStep);
  for (const GpuMoment& one : moments) counter.add({one}, wanted);
  return counter.finish();
}

std::int64_t minutes(const model::UsageLedger& ledger, UsageClass what) {
  return ledger.classes[static_cast<std::size_t>(what)].seconds / kStep;
}

std::vector<GpuMoment> times(std::size_t count, const GpuMoment& one) {
  return {count, one};
}

std::vector<GpuMoment> operator+(std::vector<GpuMoment> a, const std::vector<GpuMoment>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(UsageLedger, APauseIsWorkUntilItIsLong) {
  const auto work = times(5, moment(0.9, {1}));
  EXPECT_EQ(minutes(count(work + times(9, moment(0, {1})) + work), UsageClass::Used), 19);
  const auto ledger = count(work + times(10, moment(0, {1})) + work);
  EXPECT_EQ(minutes(ledger, UsageClass::Idle), 10) << "from its first second on";
  EXPECT_EQ(minutes(ledger, UsageClass::Used), 10);
  EXPECT_EQ(ledger.classes[static_cast<std::size_t>(UsageClass::Idle)].lost_seconds, 600);
  EXPECT_NEAR(ledger.classes[static_cast<std::size_t>(UsageClass::Idle)].lost_cost, 2.0 / 6, 1e-9);
}

TEST(UsageLedger, ANewHolderBeginsANewPause) {
  const auto ledger = count(times(6, moment(0, {1})) + times(6, moment(0, {2})));
  EXPECT_EQ(minutes(ledger, UsageClass::Idle), 0);
  EXPECT_EQ(minutes(ledger, UsageClass::Used), 12);
  ASSERT_EQ(ledger.holders.size(), 2U);
  EXPECT_EQ(ledger.holders[0].seconds[0], 360);
}

TEST(UsageLedger, WorkOfNobodyKnownMayPauseToo) {
  const auto ledger = count(times(3, moment(0.5)) + times(4, moment(0)) + times(3, moment(0.5)));
  EXPECT_EQ(minutes(ledger, UsageClass::Used), 10);
  ASSERT_EQ(ledger.holders.size(), 1U);
  EXPECT_EQ(ledger.holders[0].holder, 0U);
  const auto ends = count(times(3, moment(0.5)) + times(4, moment(0)));
  EXPECT_EQ(minutes(ends, UsageClass::Unallocated), 4) << "it did not come back";
}

TEST(UsageLedger, ThrottledTimeLosesWhatTheClockLacks) {
  GpuMoment hot = moment(0.9, {1});
  hot.held_back = true;
  hot.clock = 0.75;
  const auto ledger = count(times(4, hot));
  EXPECT_EQ(minutes(ledger, UsageClass::Throttled), 4);
  EXPECT_DOUBLE_EQ(ledger.classes[static_cast<std::size_t>(UsageClass::Throttled)].lost_seconds, 60);
  EXPECT_DOUBLE_EQ(ledger.holders.at(0).lost_seconds, 60);
  EXPECT_FALSE(ledger.clock_unknown);
  hot.clock.reset();
  EXPECT_TRUE(count(times(4, hot)).clock_unknown);
}

TEST(UsageLedger, WhatIsSickAndWorksIsUsed) {
  EXPECT_EQ(minutes(count(times(3, sick(SickReason::Critical))), UsageClass::Sick), 3);
  EXPECT_EQ(minutes(count(times(3, sick(SickReason::Critical, 0.8))), UsageClass::Used), 3);
  EXPECT_EQ(minutes(count(times(3, sick(SickReason::GpuSilent, 0.8))), UsageClass::Sick), 3);
  const auto ledger = count(times(3, sick(SickReason::NodeSilent)));
  EXPECT_EQ(ledger.sick_seconds[static_cast<std::size_t>(SickReason::NodeSilent)], 180);
  EXPECT_EQ(ledger.gpus.at(0).same_for, 180);
}

TEST(UsageLedger, FreeGpusAreFragmentsWhereNothingThatWaitsFits) {
  rules::UsageCounter counter(
      {{"a", "", "", "0", "", {}}, {"b", "", "", "1", "", {}}, {"c", "", "", "0", "", {}}}, kLimits, kStep);
  GpuMoment other = moment(0);
  other.node = 1;
  counter.add({moment(0), moment(0), other}, 2.0);  // two free on the first node, one on the second
  counter.add({moment(0), moment(0), other}, 3.0);
  counter.add({moment(0), moment(0), other}, {});
  const auto ledger = counter.finish();
  EXPECT_EQ(minutes(ledger, UsageClass::Fragmented), 1 + 3);
  EXPECT_EQ(minutes(ledger, UsageClass::Unallocated), 2 + 3);
}

TEST(UsageLedger, OfWhomNothingIsKnownIsNoPartOfTheFleet) {
  rules::UsageCounter counter({{"a", "", "", "0", "", 2.0}, {"b", "", "", "1", "", 2.0}}, kLimits, kStep);
  for (int i = 0; i < 5; ++i) counter.add({moment(0.9), {}}, {});
  const auto ledger = counter.finish();
  EXPECT_EQ(ledger.total_seconds(), 300);
  EXPECT_EQ(minutes(ledger, UsageClass::Unknown), 0);
  EXPECT_DOUBLE_EQ(ledger.classes[0].cost, 0);
}

TEST(UsageLedger, AlwaysSumsToTheTotal) {
  rc::check("classes, GPUs and holders sum to the total", [] {
    const auto gpus = *rc::gen::inRange<std::size_t>(1, 5);
    const auto length = *rc::gen::inRange<std::size_t>(1, 60);
    std::vector<model::FleetGpu> boards(gpus);
    for (std::size_t i = 0; i < gpus; ++i) boards[i].uuid = std::to_string(i);
    rules::UsageCounter counter(boards, kLimits, kStep);
    for (std::size_t at = 0; at < length; ++at) {
      std::vector<GpuMoment> all(gpus);
      for (GpuMoment& one : all) {
        one.known = *rc::gen::inRange(0, 5) > 0;
        one.sick = *rc::gen::inRange(0, 4) == 0 ? SickReason(*rc::gen::inRange(1, 5)) : SickReason::None;
        one.node = *rc::gen::inRange<std::uint32_t>(0, 2);
        if (*rc::gen::inRange(0, 4) > 0) one.activity = *rc::gen::element(0.0, 0.04, 0.05, 0.9);
        one.held_back = *rc::gen::arbitrary<bool>();
        if (*rc::gen::arbitrary<bool>()) one.clock = *rc::gen::element(0.5, 1.0, 1.2);
        for (std::uint32_t holder = 1; holder < 4; ++holder) {
          if (*rc::gen::inRange(0, 3) == 0) one.holders.push_back(holder);
        }
        if (!one.known) one = {};
      }
      std::optional<double> wanted;
      if (*rc::gen::arbitrary<bool>()) wanted = *rc::gen::element(1.0, 2.0, 8.0);
      counter.add(all, wanted);
    }
    const auto ledger = counter.finish();
    std::int64_t sum = 0, of_gpus = 0, sick_sum = 0;
    double lost = 0, held = 0;
    for (const model::GpuTime& time : ledger.classes) {
      sum += time.seconds;
      lost += time.lost_seconds;
      RC_ASSERT(time.seconds >= 0 && time.lost_seconds <= static_cast<double>(time.seconds) + 1e-6);
    }
    for (const model::GpuUsage& gpu : ledger.gpus) {
      const auto own = std::accumulate(gpu.seconds.begin(), gpu.seconds.end(), std::int64_t{0});
      RC_ASSERT(own == ledger.step * ledger.moments);
      of_gpus += own;
    }
    for (const std::int64_t seconds : ledger.sick_seconds) sick_sum += seconds;
    for (const model::HolderUsage& holder : ledger.holders) held += holder.all();
    RC_ASSERT(sum == ledger.total_seconds());
    RC_ASSERT(of_gpus == sum);
    const auto of = [&](UsageClass what) { return ledger.classes[static_cast<std::size_t>(what)].seconds; };
    RC_ASSERT(sick_sum == of(UsageClass::Sick));
    RC_ASSERT(std::abs(held - static_cast<double>(of(UsageClass::Used) + of(UsageClass::Throttled) +
                                                  of(UsageClass::Idle))) < 1e-3);
    RC_ASSERT(lost <= static_cast<double>(sum) + 1e-3);
  });
}

model::LabelledSeries series(std::map<std::string, std::string> labels,
                             std::vector<std::pair<double, double>> points) {
  return {std::move(labels), std::move(points)};
}

TEST(UsageMoments, TheFirstNamingThatTellsSomethingCounts) {
  const auto gpus = rules::fleet_gpus(
      {series({{"uuid", "A"}, {"job", "j"}, {"instance", "n1:1"}, {"gpu", "0"}}, {}),
       series({{"UUID", "A"}, {"modelName", "NVIDIA A10"}}, {}), series({{"gpu", "7"}}, {})});
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].name, "NVIDIA A10");
  rules::UsageMoments moments(gpus, 60);
  moments.begin(0, 2);
  moments.take("alive", {series({{"uuid", "A"}, {"instance", "n1:1"}}, {{0, 0}})});
  moments.take("alive", {series({{"uuid", "A"}, {"instance", "n1:2"}}, {{0, 1}, {60, 1}})});
  moments.take("holder", {series({{"uuid", "A"}, {"holder", "user/a"}, {"user", "a"}}, {{60, 1}})});
  moments.take("holder", {series({{"uuid", "A"}, {"holder", "pod/n/p/c"}}, {{0, 1}, {60, 1}})});
  const auto first = moments.at(0);
  EXPECT_EQ(first[0].sick, SickReason::GpuSilent) << "DCGM's names do not make well what ours call sick";
  const auto second = moments.at(1);
  EXPECT_EQ(second[0].sick, SickReason::None) << "where ours are silent DCGM's tell";
  ASSERT_EQ(second[0].holders.size(), 1U);
  EXPECT_EQ(moments.holders()[second[0].holders[0]].name, "user/a");
  EXPECT_EQ(moments.holders()[first[0].holders.at(0)].user, "n") << "of a pod its namespace";
}

TEST(UsageMoments, WhoIsNotSpokenOfIsSickOrNotThere) {
  const auto board = [](const char* uuid) {
    return series({{"uuid", uuid}, {"job", "j"}, {"instance", "n1:1"}, {"gpu", "0"}}, {});
  };
  const auto gpus = rules::fleet_gpus({board("A"), board("B")});
  rules::UsageMoments moments(gpus, 60);
  moments.begin(0, 5);
  moments.take("target",
               {series({{"job", "j"}, {"instance", "n1:1"}}, {{0, 1}, {60, 1}, {120, 0}, {180, 1}})});
  moments.take("alive", {series({{"uuid", "A"}, {"instance", "n1:1"}}, {{0, 1}}),
                         series({{"uuid", "B"}, {"instance", "n1:1"}}, {{180, 1}})});
  EXPECT_TRUE(moments.at(0)[0].known);
  EXPECT_FALSE(moments.at(0)[1].known) << "it has not been seen yet, and another one is in its place";
  EXPECT_EQ(moments.at(1)[0].sick, SickReason::Gone);
  EXPECT_EQ(moments.at(2)[0].sick, SickReason::NodeSilent);
  EXPECT_FALSE(moments.at(3)[0].known) << "it was replaced";
  EXPECT_FALSE(moments.at(4)[1].known) << "Prometheus was away";
}

TEST(UsageClasses, AreExplainedAndHaveASource) {
  for (const catalog::UsageClassRow& row : knowledge().fleet().classes)
    EXPECT_FALSE(row.title.empty() || row.title_zh.empty() || row.meaning.empty() || row.meaning_zh.empty() ||
                 row.source.empty())
        << row.id;
  EXPECT_EQ(knowledge().fleet().classes.size(), model::kUsageClasses);
  EXPECT_EQ(knowledge().threshold("fleet.idle_utilization"), 5);
  for (const catalog::GpuPriceRow& row : knowledge().fleet().prices)
    EXPECT_FALSE(row.as_of.empty() || row.source.empty()) << row.gpu;
}

}  // namespace
}  // namespace gpuwright::tests
