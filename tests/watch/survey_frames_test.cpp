// What the surveyor's child says arrives whole, and damage is seen.
// SPDX-License-Identifier: Apache-2.0
#include "watch/survey_frames.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

TEST(SurveyFrames, AUserArrivesWhole) {
  model::GpuUser user;
  user.pid = 4711;
  user.inner_pid = 7;
  user.user = "alice";
  user.slurm_partition = "gpu";
  user.cgroup = "/a/b";
  user.why = "a\x1b";
  user.cpu_throttled_s = 2.5;
  user.mps_server = true;
  const std::string bytes = watch::encode(std::vector<model::GpuUser>{user, {}});
  const auto users = watch::decode_users(bytes);
  ASSERT_TRUE(users.has_value());
  ASSERT_EQ(users->size(), 2U);
  EXPECT_EQ(users->at(0).pid, 4711);
  EXPECT_EQ(users->at(0).inner_pid, 7);
  EXPECT_EQ(users->at(0).user, "alice");
  EXPECT_EQ(users->at(0).slurm_partition, "gpu");
  EXPECT_EQ(users->at(0).cgroup, "/a/b");
  EXPECT_EQ(users->at(0).why, "a?") << "printable";
  EXPECT_EQ(users->at(0).cpu_throttled_s, 2.5);
  EXPECT_TRUE(users->at(0).mps_server);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(watch::decode_users(bytes.substr(0, size)).has_value()) << size;
}

TEST(SurveyFrames, QuestionsSeriesAndPodsArriveWhole) {
  const auto question =
      watch::decode_question(watch::encode(watch::SurveyQuestion{{1, 2}, {"process/1", "host/"}}));
  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(question->pids, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(question->skip, (std::vector<std::string>{"process/1", "host/"}));
  const auto series =
      watch::decode_series(watch::encode(std::vector<model::HostSeries>{{"f", "a=\"b\"", 1.5}}));
  ASSERT_TRUE(series.has_value());
  EXPECT_EQ(series->at(0).labels, "a=\"b\"");
  watch::PodAnswer answer;
  answer.there = true;
  answer.given = {{"ns", "pod", "main", {{"GPU-x", 3, 7, 0, 1, 2, "pool", "gpu-3"}}}};
  const std::string bytes = watch::encode(answer);
  const auto pods = watch::decode_pods(bytes);
  ASSERT_TRUE(pods.has_value());
  EXPECT_TRUE(pods->there);
  EXPECT_EQ(pods->given.at(0).devices, answer.given[0].devices);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(watch::decode_pods(bytes.substr(0, size)).has_value()) << size;
}

}  // namespace
}  // namespace gpuwright::tests
