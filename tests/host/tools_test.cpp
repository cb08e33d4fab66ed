// Tools beside each other, and one that sleeps in the kernel and cannot be ended.
// SPDX-License-Identifier: Apache-2.0
#include "host/tools.h"

#include "support/run.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;

constexpr Clock::time_point kNever = Clock::time_point::max();

TEST(Tools, AnswerWhetherTheyWereExpectedOrNot) {
  const TempFolder folder;
  host::Tools tools(host::Claims(folder.path(), ""));
  tools.start({{"echo", "expected"}, milliseconds(10'000)});
  tools.start({{"no-such-tool-anywhere"}, milliseconds(10'000)});
  EXPECT_EQ(tools.run({{"echo", "not"}, milliseconds(10'000)}, kNever)->output, "not\n");
  EXPECT_EQ(tools.run({{"echo", "expected"}, milliseconds(10'000)}, kNever)->output, "expected\n");
  EXPECT_EQ(tools.run({{"echo", "expected"}, milliseconds(10'000)}, kNever)->output, "expected\n") << "anew";
  EXPECT_EQ(tools.run({{"no-such-tool-anywhere"}, milliseconds(10)}, kNever).error().kind,
            ErrorKind::NotFound);
  EXPECT_THAT(host::Claims(folder.path(), "").holders(), IsEmpty());
}

TEST(Tools, OneThatCannotBeEndedIsNotStartedAgain) {
  const TempFolder folder;
  const TempFolder claims;
  const StuckFiles files(folder.path());
  if (!files.mounted()) GTEST_SKIP() << files.why();
  const host::ToolCall call = {{"cat", folder.path() + "/file"}, milliseconds(10'000)};
  const host::Claims ours(claims.path(), "");
  const auto first = host::Tools(ours).run(call, Clock::now() + milliseconds(100));
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->timed_out);
  EXPECT_GE(first->waited, milliseconds(100));
  ASSERT_THAT(ours.holders(host::kToolClaim), SizeIs(1));
  EXPECT_EQ(ours.holders(host::kToolClaim).front().what, "cat " + folder.path() + "/file");
  EXPECT_TRUE(host::survives_kill(ours.holders(host::kToolClaim).front().pid));
  for (int again = 0; again < 3; ++again) {
    const auto refused = host::Tools(ours).run(call, kNever);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::TimedOut);
    EXPECT_THAT(refused.error().message, HasSubstr("of an earlier look"));
  }
  EXPECT_EQ(own_sleepers("cat"), 1);
}

}  // namespace
}  // namespace gpuwright::tests
