// A job of a real Slurm whose process is on a GPU: its series names the job.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/text.h"
#include "model/gpu_user.h"
#include "watch/surveyor.h"

#include "support/slurm_cluster.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <thread>

namespace gpuwright::tests {
namespace {

/// The number in a file that the job writes.
std::int64_t number_in(const std::string& path) {
  for (int i = 0; i < 300; ++i) {
    const auto text = base::read_file(path, 100);
    if (text && text->ends_with('\n')) return base::parse_int(base::trim(*text)).value_or(-1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return -1;
}

TEST(SlurmAttribution, AJobsProcessIsOfItsJob) {
  const std::string missing = SlurmCluster::missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  SlurmCluster cluster({"n1"}, "exit 0\n");
  ASSERT_TRUE(cluster.start()) << cluster.log();
  const std::string pid_file = cluster.folder().path() + "/pid";
  const Ran submitted = cluster.client({"sbatch", "--parsable", "--gres=gpu:1", "--output=/dev/null",
                                        "--wrap", "sleep 100 & echo $! >" + pid_file + "; wait"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err << cluster.log();
  const std::string job(base::trim(submitted.out));
  const std::int64_t pid = number_in(pid_file);
  ASSERT_GT(pid, 0) << cluster.log();

  model::NodeState state;
  model::GpuUser user;
  user.pid = pid;
  state.gpus[0].users.push_back(user);
  watch::Surveyor surveyor({});
  surveyor.start();
  for (int i = 0; i < 100 && surveyor.answers() == 0; ++i) {
    surveyor.tick(watch::pids_of(state));
    pollfd one = {surveyor.descriptors().at(0), POLLIN, 0};
    (void)::poll(&one, 1, 100);
    surveyor.read(one.fd);
    surveyor.look_at_clock();
  }
  surveyor.fill(state);
  const model::GpuUser& named = state.gpus[0].users[0];
  EXPECT_EQ(named.slurm_job, job) << named.why;
  EXPECT_EQ(named.slurm_step, "batch");
  EXPECT_EQ(named.slurm_partition, "gpu");
  EXPECT_EQ(named.command, "sleep");
  EXPECT_EQ(model::holder_of(named), "slurm/" + job);
  (void)cluster.client({"scancel", job});
  EXPECT_TRUE(cluster.wait_for("n1", "idle "));
}

}  // namespace
}  // namespace gpuwright::tests
