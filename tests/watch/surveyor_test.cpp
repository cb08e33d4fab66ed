// Looking at users and host by a child: real processes, a kubelet that is good, slow or silent, files that
// never answer.
// SPDX-License-Identifier: Apache-2.0
#include "watch/surveyor.h"

#include "report/gpu_holders.h"
#include "watch/given.h"

#include "support/background.h"
#include "support/grpc_server.h"
#include "support/pod_resources.h"
#include "support/run.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace gpuwright::tests {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kGpu = "GPU-5f6e1a2b-3c4d-5e6f-7a8b-9c0d1e2f3a4b";
const std::string kPart = "MIG-0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";

class Surveyed : public ::testing::Test {
 protected:
  void begin(watch::SurveyJob job, const watch::SurveyorLimits& limits = {}) {
    surveyor_ = std::make_unique<watch::Surveyor>(std::move(job), limits);
    surveyor_->start();
  }
  watch::SurveyJob job_at(const std::string& socket) const {
    watch::SurveyJob job;
    job.pod_sockets = {socket};
    job.pods_every = milliseconds(50);
    job.pods_deadline = milliseconds(300);
    job.ask_slurm = false;
    return job;
  }
  /// Asks about `pids` each 50 ms until `done`.
  bool follow(const std::vector<std::int64_t>& pids, const std::function<bool()>& done,
              milliseconds limit = milliseconds(15'000)) {
    const auto end = watch::Surveyor::Clock::now() + limit;
    while (watch::Surveyor::Clock::now() < end) {
      surveyor_->fill(state_);
      if (done()) return true;
      surveyor_->tick(pids);
      const auto fds = surveyor_->descriptors();
      pollfd one = {fds.empty() ? -1 : fds.front(), POLLIN, 0};
      (void)::poll(&one, 1, 50);
      if (one.revents != 0) surveyor_->read(one.fd);
      surveyor_->look_at_clock();
    }
    return done();
  }
  void add_user(std::int64_t pid) {
    state_.gpus[0].identity.uuid = kGpu;
    model::GpuUser user;
    user.pid = pid;
    user.memory_bytes = 1000;
    user.memory_known = true;
    state_.gpus[0].users.push_back(user);
  }

  TempFolder folder_;
  std::unique_ptr<watch::Surveyor> surveyor_;
  model::NodeState state_;
};

TEST_F(Surveyed, ARealProcessIsNamedAndTheHostTells) {
  Background process({"sleep", "60"}, folder_.path() + "/log");
  add_user(process.pid());
  add_user(999'999'999);
  begin(job_at(folder_.path() + "/none.sock"));
  ASSERT_TRUE(follow(watch::pids_of(state_), [&] { return surveyor_->answers() >= 2; }));
  const model::GpuUser& user = state_.gpus[0].users[0];
  EXPECT_EQ(user.command, "sleep");
  EXPECT_THAT(user.user, ::testing::Not(IsEmpty()));
  EXPECT_EQ(user.memory_bytes, 1000U) << "what the driver told stays";
  EXPECT_THAT(state_.gpus[0].users[1].why, HasSubstr("not in our /proc"));
  EXPECT_THAT(state_.host_series, Contains(Field(&model::HostSeries::labels, "kind=\"total\"")));
  EXPECT_GT(state_.survey.fresh_s, 0);
  EXPECT_GT(state_.survey.took_s, 0);
  EXPECT_THAT(state_.survey.no_pods, IsEmpty());
  EXPECT_EQ(surveyor_->restarts(), 0);
}

TEST_F(Surveyed, KubeletsListIsJoinedAndKeptWhenKubeletFallsSilent) {
  add_user(::getpid());
  const std::string socket = folder_.path() + "/kubelet.sock";
  using namespace pods;  // NOLINT(google-build-using-namespace)
  auto server = std::make_unique<GrpcServer>(
      socket, GrpcManner::Good,
      pod("train-0", "research", container("main", devices("nvidia.com/gpu", {kGpu + "::1"}))));
  begin(job_at(socket));
  ASSERT_TRUE(follow(watch::pids_of(state_), [&] { return !state_.gpus[0].given.empty(); }));
  EXPECT_EQ(model::holder_of(state_.gpus[0].given[0]), "pod/research/train-0/main");
  EXPECT_TRUE(state_.gpus[0].given[0].shared);
  server.reset();
  server = std::make_unique<GrpcServer>(socket, GrpcManner::Hangs, "");
  ASSERT_TRUE(follow(watch::pids_of(state_), [&] { return !state_.survey.no_pods.empty(); }));
  EXPECT_THAT(state_.survey.no_pods, HasSubstr("no answer in time"));
  EXPECT_THAT(state_.gpus[0].given, SizeIs(1)) << "the last good answer is kept";
  EXPECT_GT(state_.survey.pods_fresh_s, 0);
  EXPECT_EQ(surveyor_->restarts(), 0) << "its deadline is shorter than ours";
}

TEST_F(Surveyed, AServiceThatIsNoKubeletIsSaid) {
  const std::string socket = folder_.path() + "/kubelet.sock";
  const GrpcServer server(socket, GrpcManner::Good, "\x12\xff nonsense");
  begin(job_at(socket));
  ASSERT_TRUE(follow({}, [&] { return !state_.survey.no_pods.empty(); }));
  EXPECT_THAT(state_.survey.no_pods, HasSubstr("no list of pods"));
}

TEST_F(Surveyed, AFileThatNeverAnswersIsLeftAloneAndTheRestGoesOn) {
  const std::string silent = folder_.path() + "/proc/pressure";
  std::filesystem::create_directories(silent);
  folder_.write("proc/meminfo", "MemTotal: 1 kB\n");
  folder_.write("proc/stat", "cpu 1 1 1 1 1 1 1 1\n");
  const StuckFiles files(silent);
  if (!files.mounted()) GTEST_SKIP() << files.why();
  watch::SurveyJob job = job_at(folder_.path() + "/none.sock");
  job.root = folder_.path();
  watch::SurveyorLimits limits;
  limits.step = milliseconds(300);
  limits.retry = milliseconds(600);
  begin(std::move(job), limits);
  ASSERT_TRUE(follow({}, [&] { return surveyor_->answers() >= 10; }));
  EXPECT_THAT(state_.survey.silent, Contains("host/pressure"));
  (void)follow(
      {}, [] { return false; }, milliseconds(2500));
  EXPECT_EQ(surveyor_->left_behind(), 1) << "however long";
  EXPECT_EQ(surveyor_->restarts(), 1);
}

TEST_F(Surveyed, AChildThatIsKilledIsReplaced) {
  watch::SurveyorLimits limits;
  limits.retry = milliseconds(200);
  begin(job_at(folder_.path() + "/none.sock"), limits);
  ASSERT_TRUE(follow({}, [&] { return surveyor_->answers() >= 1; }));
  ::kill(surveyor_->children().at(0), SIGKILL);
  const auto before = surveyor_->answers();
  ASSERT_TRUE(follow({}, [&] { return surveyor_->answers() > before + 2; }));
  EXPECT_GE(surveyor_->restarts(), 1);
}

// ---- who was given what ----

parse::GivenContainer given(const std::string& pod, const std::string& uuid, std::int64_t index = -1) {
  parse::GivenDevice device;
  device.uuid = uuid;
  device.index = index;
  return {"ns", pod, "main", {device}};
}

model::GpuState gpu_with_part() {
  model::GpuState gpu;
  gpu.identity.uuid = kGpu;
  gpu.identity.minor = 3;
  gpu.identity.parts = {{kPart, "1g.10gb", 7, 0}};
  return gpu;
}

TEST(Given, ByUuidPartAndDeviceFile) {
  model::GpuState gpu = gpu_with_part();
  watch::join_given({given("whole", kGpu), given("part", kPart), given("file", "", 3), given("other", "", 2),
                     given("whole", kGpu)},
                    gpu);
  ASSERT_THAT(gpu.given, SizeIs(3));
  EXPECT_EQ(gpu.given[0].pod, "whole");
  EXPECT_EQ(gpu.given[1].gpu_instance, 7);
  EXPECT_EQ(gpu.given[2].pod, "file");
}

TEST(Given, OnlyAPodsProcessTakesThePodsNameAndOnlyWhenOneFits) {
  model::GpuState gpu = gpu_with_part();
  model::GpuUser pod, person;
  pod.pod_uid = "uid";
  person.user = "alice";
  gpu.users = {pod, person};
  watch::join_given({given("a", kGpu)}, gpu);
  EXPECT_EQ(gpu.users[0].pod, "a");
  EXPECT_THAT(gpu.users[1].pod, IsEmpty());
  gpu.users = {pod};
  watch::join_given({given("a", kGpu), given("b", kGpu)}, gpu);
  EXPECT_THAT(gpu.users[0].pod, IsEmpty()) << "time-slicing: it may be either";
}

TEST(Holders, ManyProcessesAreOneSeriesAndManyUsersAreBounded) {
  model::GpuState gpu;
  for (int i = 0; i < 100; ++i) {
    model::GpuUser user;
    user.user = "user" + std::to_string(i % 50);
    user.memory_bytes = 1;
    user.memory_known = true;
    gpu.users.push_back(user);
  }
  const auto holders = report::holders_on(gpu);
  EXPECT_THAT(holders, SizeIs(33));
  std::uint64_t processes = 0;
  for (const auto& one : holders) processes += one.processes;
  EXPECT_EQ(processes, 100U);
  EXPECT_THAT(holders, Contains(AllOf(Field(&report::GpuHolder::holder, "other"),
                                      Field(&report::GpuHolder::processes, 36U))));
}

TEST(Holders, GivenAndIdleIsAUserWithoutProcesses) {
  model::GpuState gpu = gpu_with_part();
  watch::join_given({given("idle", kGpu)}, gpu);
  const auto holders = report::holders_on(gpu);
  ASSERT_THAT(holders, SizeIs(1));
  EXPECT_EQ(holders[0].holder, "pod/ns/idle/main");
  EXPECT_EQ(holders[0].processes, 0U);
  EXPECT_EQ(report::holder_labels(holders[0]), "holder=\"pod/ns/idle/main\"");
  EXPECT_EQ(report::holder_info(holders[0]), "kind=\"pod\",namespace=\"ns\",pod=\"idle\",container=\"main\"");
}

}  // namespace
}  // namespace gpuwright::tests
