// Incidents over time, without a clock of their own.
// SPDX-License-Identifier: Apache-2.0
#include "watch/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using model::Condition;
using model::Severity;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using watch::Health;
using Phase = model::IncidentPhase;

Condition condition(const std::string& cause, const std::string& subject,
                    Severity severity = Severity::Error) {
  Condition one;
  one.cause = cause;
  one.subject = subject;
  one.severity = severity;
  return one;
}

TEST(Health, WhatIsCriticalIsRaisedAtOnceAndTheRestWhenSeenAgain) {
  Health health;
  health.report("look", {condition("hot", "0000:3b:00"), condition("lost", "0000:61:00", Severity::Critical)},
                10);
  ASSERT_THAT(health.open(), SizeIs(1));
  EXPECT_EQ(health.open().front().what.cause, "lost");
  health.report("look", {condition("hot", "0000:3b:00"), condition("lost", "0000:61:00", Severity::Critical)},
                20);
  ASSERT_THAT(health.open(), SizeIs(2));
  EXPECT_EQ(health.open().front().what.cause, "lost") << "the most severe first";
  EXPECT_EQ(health.open().back().first_s, 10) << "the first sign counts";
  const auto changes = health.take_changes();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].incident.number, 1);
  EXPECT_THAT(health.take_changes(), IsEmpty()) << "each is told once";
}

TEST(Health, OneMissIsNoEndAndAFlapIsNoSecondIncident) {
  Health health;
  const std::vector<Condition> lost = {condition("lost", "0000:61:00", Severity::Critical)};
  health.report("look", lost, 1);
  health.report("look", {}, 2);
  ASSERT_THAT(health.open(), SizeIs(1));
  EXPECT_EQ(health.open().front().phase, Phase::Fading);
  health.report("look", lost, 3);
  EXPECT_EQ(health.open().front().phase, Phase::Open);
  EXPECT_EQ(health.open().front().number, 1);
  health.report("look", {}, 4);
  health.report("look", {}, 5);
  EXPECT_THAT(health.open(), IsEmpty());
  ASSERT_THAT(health.ended(), SizeIs(1));
  EXPECT_EQ(health.ended().front().ended_by, "unseen");
  EXPECT_EQ(health.ended().front().end_s, 5);
  EXPECT_THAT(health.take_changes(), SizeIs(2)) << "raised once, ended once";
}

TEST(Health, ASuspicionThatDoesNotReturnIsForgotten) {
  Health health;
  health.report("look", {condition("hot", "0000:3b:00")}, 1);
  health.report("look", {}, 2);
  health.report("look", {condition("hot", "0000:3b:00")}, 3);
  EXPECT_THAT(health.open(), IsEmpty());
  EXPECT_THAT(health.take_changes(), IsEmpty());
}

TEST(Health, AProvenRecoveryEndsThatSubjectsIncidentsAtOnce) {
  Health health;
  health.report("look",
                {condition("lost", "0000:61:00", Severity::Critical),
                 condition("lost", "0000:9d:00", Severity::Critical)},
                1);
  EXPECT_EQ(health.recovered("0000:61:00", "reset", 2), 1U);
  ASSERT_THAT(health.open(), SizeIs(1));
  EXPECT_EQ(health.open().front().what.subject, "0000:9d:00");
  EXPECT_EQ(health.ended().front().ended_by, "reset");
  EXPECT_EQ(health.recovered("0000:61:00", "reset", 3), 0U);
}

model::LiveIncident earlier(const Condition& what, double first_s) {
  model::LiveIncident incident;
  incident.what = what;
  incident.first_s = first_s;
  return incident;
}

TEST(Health, AnIncidentOfAnEarlierDaemonGoesOn) {
  using Step = model::IncidentChange::Step;
  Health health;
  const Condition hot = condition("hot", "0000:3b:00");
  health.report("look", {hot}, 100);  // only a suspicion here, and before the file has told
  health.take_over(earlier(hot, 10), false);
  health.take_over(earlier(condition("lost", "0000:61:00"), 20), false);
  ASSERT_THAT(health.open(), SizeIs(2));
  EXPECT_EQ(health.open().front().first_s, 10);
  health.report("look", {hot}, 200);
  EXPECT_THAT(health.open(), SizeIs(2)) << "one miss is no end";
  health.report("look", {hot}, 300);
  ASSERT_THAT(health.open(), SizeIs(1));
  const auto changes = health.take_changes();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].step, Step::Changed) << "it began long ago";
  EXPECT_EQ(changes[0].incident.first_s, 10);
  EXPECT_EQ(changes[1].step, Step::Ended);
  EXPECT_EQ(changes[1].incident.ended_by, "unseen");
}

TEST(Health, AfterARebootTheFirstLookDecides) {
  Health health;
  const Condition hot = condition("hot", "0000:3b:00");
  health.take_over(earlier(hot, 10), true);
  health.take_over(earlier(condition("lost", "0000:61:00"), 20), true);
  health.report("look", {hot}, 100);
  ASSERT_THAT(health.open(), SizeIs(1));
  EXPECT_EQ(health.ended().front().ended_by, "reboot");
  EXPECT_THAT(health.take_changes(), SizeIs(2)) << "what goes on is of this boot, too";
  health.report("look", {}, 200);
  EXPECT_THAT(health.open(), SizeIs(1));
  health.report("look", {}, 300);
  EXPECT_EQ(health.ended().front().ended_by, "unseen");
}

TEST(Health, WhatIsSaidOfAnIncidentMayChange) {
  using Step = model::IncidentChange::Step;
  Health health;
  Condition lost = condition("lost", "0000:61:00", Severity::Critical);
  health.report("look", {lost}, 1);
  health.report("look", {lost}, 2);
  lost.evidence = {"a line"};
  health.report("look", {lost}, 3);
  lost.severity = Severity::Error;
  health.report("look", {lost}, 4);
  const auto changes = health.take_changes();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].step, Step::Begun);
  EXPECT_EQ(changes[1].step, Step::Evidence);
  EXPECT_EQ(changes[2].step, Step::Changed);
}

TEST(Health, SourcesDoNotClearEachOther) {
  Health health;
  health.report("look", {condition("lost", "0000:61:00", Severity::Critical)}, 1);
  for (int i = 0; i < 5; ++i) health.report("samples", {}, 2 + i);
  EXPECT_THAT(health.open(), SizeIs(1));
}

TEST(Health, EndedOnesAreKeptUpToABound) {
  watch::HealthOptions options;
  options.keep_ended = 3;
  options.clear_after = 1;
  Health health(options);
  for (int i = 0; i < 10; ++i) {
    health.report("look", {condition("cause" + std::to_string(i), "", Severity::Critical)}, i);
  }
  ASSERT_THAT(health.ended(), SizeIs(3));
  EXPECT_EQ(health.ended().front().what.cause, "cause8") << "the newest first";
}

}  // namespace
}  // namespace gpuwright::tests
