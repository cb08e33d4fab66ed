// Who processes are, from a machine that is written down.
// SPDX-License-Identifier: Apache-2.0
#include "watch/attribution.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kId(64, 'a');
const std::string kUid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

class Attributed : public ::testing::Test {
 protected:
  void SetUp() override {
    write("etc/passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/bash\nbroken\n");
    make();
  }
  void make(watch::AskJob ask_job = {}) {
    looking_ = std::make_unique<watch::Attribution>(
        folder_.path(),
        [this](const std::string& subject) {
          asked_.push_back(subject);
          return subject != refused_;
        },
        std::move(ask_job));
  }
  void write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + "/" + path).parent_path());
    folder_.write(path, content);
  }
  struct Process {
    std::int64_t pid = 100;
    std::string command = "python3";
    std::int64_t parent = 1, started = 5000, uid = 1000;
    std::string group;
  };
  void add(const Process& one) const {
    const std::string folder = "proc/" + std::to_string(one.pid);
    write(folder + "/stat", std::to_string(one.pid) + " (" + one.command + ") S " +
                                std::to_string(one.parent) + " 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 " +
                                std::to_string(one.started) + " 0 0\n");
    const std::string uid = std::to_string(one.uid);
    write(folder + "/status", "Name:\t" + one.command + "\nUid:\t" + uid + "\t" + uid + "\t" + uid + "\t" +
                                  uid + "\nNSpid:\t" + std::to_string(one.pid) + "\t7\n");
    write(folder + "/cgroup", "0::" + one.group + "\n");
  }
  model::GpuUser look(std::int64_t pid = 100) { return looking_->look({pid}).at(0); }

  TempFolder folder_;
  std::unique_ptr<watch::Attribution> looking_;
  std::vector<std::string> asked_;
  std::string refused_;
};

TEST_F(Attributed, AUsersProcessOfALogin) {
  add({.command = "a) (b", .group = "/user.slice/user-1000.slice/session-3.scope"});
  const model::GpuUser user = look();
  EXPECT_EQ(user.user, "alice");
  EXPECT_EQ(user.command, "a) (b");
  EXPECT_EQ(user.inner_pid, 7);
  EXPECT_EQ(model::holder_of(user), "user/alice");
  EXPECT_THAT(user.why, IsEmpty());
}

TEST_F(Attributed, AUidWithoutNameStaysANumber) {
  add({.uid = 4242, .group = "/"});
  EXPECT_EQ(look().user, "uid 4242");
}

TEST_F(Attributed, AProcessThatIsGoneIsUnknownWithItsReason) {
  const model::GpuUser user = look(77);
  EXPECT_EQ(user.pid, 77);
  EXPECT_THAT(user.why, HasSubstr("not in our /proc"));
  EXPECT_EQ(model::holder_of(user), "unknown");
}

TEST_F(Attributed, APodsProcessIsNamedByTheLogsOfKubelet) {
  add({.group = "/kubepods/burstable/pod" + kUid + "/" + kId});
  EXPECT_EQ(model::holder_of(look()), "pod/" + kUid) << "nobody names it yet";
  write("var/log/containers/train-0_research_main-" + kId + ".log", "");
  model::GpuUser user = look();
  for (int i = 0; i < 3 && user.pod.empty(); ++i) user = look();
  EXPECT_EQ(model::holder_of(user), "pod/research/train-0/main");
  EXPECT_EQ(user.pod_qos, "burstable");
}

TEST_F(Attributed, APodIsNamedByItsFolderWhereTheLinkIsMissing) {
  write("var/log/pods/research_train-0_" + kUid + "/main/0.log", "");
  add({.group = "/kubepods/pod" + kUid + "/" + kId});
  EXPECT_EQ(model::holder_of(look()), "pod/research/train-0");
}

TEST_F(Attributed, ASlurmJobAndItsPartition) {
  add({.group = "/system.slice/slurmstepd.scope/job_4711/step_0/user/task_1"});
  write("proc/100/environ", std::string("HOME=/\0SLURM_JOB_ID=4711\0SLURM_JOB_PARTITION=gpu\0", 50));
  const model::GpuUser user = look();
  EXPECT_EQ(user.slurm_job, "4711");
  EXPECT_EQ(user.slurm_step, "0");
  EXPECT_EQ(user.slurm_task, "1");
  EXPECT_EQ(user.slurm_partition, "gpu");
  EXPECT_EQ(model::holder_of(user), "slurm/4711");
}

TEST_F(Attributed, AnEnvironmentThatClaimsAnotherJobIsNotBelieved) {
  write("proc/100/environ", std::string("SLURM_JOB_ID=1\0SLURM_JOB_PARTITION=vip\0", 39));
  add({.group = "/user.slice/user-1000.slice/session-3.scope"});
  EXPECT_THAT(look().slurm_job, IsEmpty());
  add({.pid = 101, .group = "/system.slice/slurmstepd.scope/job_2/step_0"});
  write("proc/101/environ", std::string("SLURM_JOB_ID=1\0SLURM_JOB_PARTITION=vip\0", 39));
  EXPECT_EQ(look(101).slurm_job, "2");
  EXPECT_THAT(look(101).slurm_partition, IsEmpty());
}

TEST_F(Attributed, TheControllerIsAskedOnceForAJob) {
  int times = 0;
  make([&times](const std::string& job) {
    ++times;
    return "JobId=" + job + " JobName=x UserId=alice(1000) Partition=long Priority=1\n";
  });
  add({.group = "/slurm/uid_1000/job_9/step_batch"});
  for (int i = 0; i < 30; ++i) EXPECT_EQ(look().slurm_partition, "long");
  EXPECT_EQ(times, 1);
}

TEST_F(Attributed, WithoutGroupsTheStepDaemonAboveTellsTheJob) {
  add({.pid = 100, .parent = 90, .group = "/"});
  add({.pid = 90, .command = "bash", .parent = 80, .group = "/"});
  add({.pid = 80, .command = "slurmstepd", .parent = 1, .uid = 0, .group = "/"});
  write("proc/80/cmdline", std::string("slurmstepd: [42.batch]\0\0", 24));
  EXPECT_EQ(look().slurm_job, "42");
  EXPECT_EQ(look().slurm_step, "batch");
  // Whoever calls itself so without being root is none.
  add({.pid = 200, .parent = 190, .group = "/"});
  add({.pid = 190, .command = "slurmstepd", .parent = 1, .uid = 1000, .group = "/"});
  write("proc/190/cmdline", "slurmstepd: [1.batch]");
  EXPECT_THAT(look(200).slurm_job, IsEmpty());
}

TEST_F(Attributed, AnotherProcessOfTheSameNumberIsReadAnew) {
  add({.command = "first", .started = 5000, .group = "/docker/" + kId});
  EXPECT_EQ(look().command, "first");
  EXPECT_EQ(look().command, "first");
  add({.command = "first2", .started = 5000, .group = "/docker/" + kId});
  EXPECT_EQ(look().command, "first") << "what is known is not read again";
  add({.command = "second", .started = 9000, .uid = 0, .group = "/system.slice/x.service"});
  const model::GpuUser user = look();
  EXPECT_EQ(user.command, "second");
  EXPECT_THAT(user.container, IsEmpty());
  EXPECT_EQ(model::holder_of(user), "unit/x.service");
}

TEST_F(Attributed, AMovedProcessIsSeenToHaveMoved) {
  add({.group = "/system.slice/slurmd.service"});
  EXPECT_EQ(model::holder_of(look()), "unit/slurmd.service");
  add({.group = "/system.slice/slurmstepd.scope/job_5/step_0"});
  std::string holder;
  for (int i = 0; i < 20; ++i) holder = model::holder_of(look());
  EXPECT_EQ(holder, "slurm/5");
}

TEST_F(Attributed, HowLongItsCpuLimitHeldItBack) {
  add({.group = "/docker/" + kId + "/inner"});
  write("sys/fs/cgroup/docker/" + kId + "/cpu.stat",
        "usage_usec 9\nnr_throttled 3\nthrottled_usec 2500000\n");
  EXPECT_DOUBLE_EQ(look().cpu_throttled_s, 2.5);
  write("proc/101/cgroup", "");
  add({.pid = 101, .group = "/docker/" + kId});
  write("proc/101/cgroup", "4:cpu,cpuacct:/docker/" + kId + "\n0::/\n");
  write("sys/fs/cgroup/cpu/docker/" + kId + "/cpu.stat", "nr_periods 1\nthrottled_time 1500000000\n");
  EXPECT_DOUBLE_EQ(look(101).cpu_throttled_s, 1.5);
  add({.pid = 102, .group = "/../../escape"});
  EXPECT_LT(look(102).cpu_throttled_s, 0);
}

TEST_F(Attributed, WhatIsLeftAloneIsUnknown) {
  add({.group = "/docker/" + kId});
  refused_ = "process/100";
  EXPECT_THAT(look().why, HasSubstr("no answer"));
  EXPECT_THAT(look().container, IsEmpty());
  refused_.clear();
  EXPECT_EQ(look().container, kId);
}

TEST_F(Attributed, TheMpsServerIsKnown) {
  add({.command = "nvidia-cuda-mps", .group = "/"});
  EXPECT_TRUE(look().mps_server);
}

}  // namespace
}  // namespace gpuwright::tests
