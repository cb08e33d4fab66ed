// A hand records what it was asked for, and one that refuses does nothing.
// SPDX-License-Identifier: Apache-2.0
#include "host/hand.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;

TEST(Hand, RunsTheToolAndRecordsIt) {
  const TempFolder folder;
  const std::string file = folder.path() + "/made";
  host::LiveHand hand;
  const auto answer = hand.run({"touch", file}, std::chrono::seconds(5));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->status, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_FALSE(hand.run({"no-such-tool-anywhere"}, std::chrono::seconds(5)).ok());
  ASSERT_EQ(hand.deeds().size(), 2U);
  EXPECT_THAT(hand.deeds()[0].argv, ElementsAre("touch", file));
  EXPECT_TRUE(hand.deeds()[0].done);
  EXPECT_FALSE(hand.deeds()[1].done);
}

TEST(Hand, TheRefusingOneDoesNothing) {
  const TempFolder folder;
  const std::string file = folder.path() + "/made";
  host::RefusingHand hand;
  const auto answer = hand.run({"touch", file}, std::chrono::seconds(5));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, base::ErrorKind::Conflict);
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_EQ(hand.deeds().size(), 1U);
  EXPECT_FALSE(hand.deeds()[0].done);
}

}  // namespace
}  // namespace gpuwright::tests
