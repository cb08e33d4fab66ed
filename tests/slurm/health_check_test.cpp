// gpuwright as the HealthCheckProgram of a real Slurm whose nodes have simulated GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "support/paths.h"
#include "support/slurm_cluster.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class HealthCheck : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = SlurmCluster::missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }

  /// Each node has its own simulated GPUs and its own file of further lines.
  std::string script(const std::string& options) const {
    return "cd " + work_.path() + "\nexport GPUWRIGHT_NVML=" + fakegpu_folder() +
           "/libnvidia-ml.so.1 GPUWRIGHT_FAKEGPU=" + work_.path() +
           "/scenario\nexport GPUWRIGHT_FAKEGPU_CONTROL=" + work_.path() +
           "/control.$SLURMD_NODENAME\nexec " + program() + " doctor --quick --slurm --drain --state " +
           work_.path() + "/state.$SLURMD_NODENAME " + options + " >>said.$SLURMD_NODENAME 2>&1\n";
  }

  /// A line to the simulated driver of that node.
  void tell(const std::string& node, const std::string& line) const {
    std::ofstream(work_.path() + "/control." + node, std::ios::app) << line << "\n";
  }

  /// What the health checks of that node have said until now.
  std::string said(const std::string& node) const {
    std::ifstream file(work_.path() + "/said." + node);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Waits until the health check of the node has said so.
  bool wait_until_said(const std::string& node, const std::string& text) const {
    for (int i = 0; i < 300; ++i) {
      if (base::contains(said(node), text)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

  TempFolder work_;
  std::string scenario_ = work_.write("scenario", "boards 8 h100-sxm\nload 60\n");
};

TEST_F(HealthCheck, AGpuThatFallsOffTheBusDrainsItsNodeAndAResetResumesIt) {
  SlurmCluster cluster({"n1", "n2"}, script("--undrain"));
  ASSERT_TRUE(cluster.start()) << cluster.log();
  tell("n1", "gpu 2 lost");
  ASSERT_TRUE(cluster.wait_for("n1", "drain gpuwright:")) << cluster.log() << said("n1");
  EXPECT_THAT(cluster.client({"sinfo", "-R", "-h", "-o", "%E|%N"}).out,
              HasSubstr("gpuwright: gpu-lost-to-driver GPU 2|n1"));
  EXPECT_THAT(cluster.state("n2"), HasSubstr("idle "));
  ASSERT_TRUE(wait_until_said("n1", "n1: drained by gpuwright already")) << said("n1");

  tell("n1", "gpu 2 reset");
  ASSERT_TRUE(cluster.wait_for("n1", "idle ")) << cluster.state("n1") << said("n1");
  EXPECT_TRUE(wait_until_said("n1", "resumed: the cause has gone"));
  EXPECT_THAT(cluster.drained(), SizeIs(0));
}

TEST_F(HealthCheck, WhatSomebodyElseDrainedIsLeftAlone) {
  SlurmCluster cluster({"n1"}, script("--undrain"));
  ASSERT_TRUE(cluster.start()) << cluster.log();
  ASSERT_EQ(cluster.client({"scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=new fans"}).exit_code,
            0);
  ASSERT_TRUE(wait_until_said("n1", "n1: drained by somebody else: left alone")) << said("n1");
  tell("n1", "gpu 2 lost");
  ASSERT_TRUE(wait_until_said("n1", "gpuwright: gpu-lost-to-driver GPU 2")) << said("n1");
  const std::string before = said("n1");
  std::this_thread::sleep_for(std::chrono::seconds(5));
  EXPECT_THAT(said("n1"), Not(::testing::Eq(before))) << "the health check ran again";
  EXPECT_THAT(cluster.state("n1"), HasSubstr("drain new fans"));
}

TEST_F(HealthCheck, NodesThatFailTogetherDoNotEmptyThePartition) {
  SlurmCluster cluster({"n1", "n2", "n3", "n4"}, script("--max-drained 5%"));
  ASSERT_TRUE(cluster.start()) << cluster.log();
  for (const char* node : {"n1", "n2", "n3"}) tell(node, "gpu 2 lost");
  bool stopped = false;
  for (int i = 0; i < 40 && !stopped; ++i) {
    stopped = true;
    for (const char* node : {"n1", "n2", "n3"})
      stopped = stopped && (base::contains(said(node), ": drained\n") ||
                            base::contains(said(node), "nodes of partition"));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  EXPECT_TRUE(stopped) << said("n1") << said("n2") << said("n3");
  EXPECT_THAT(cluster.drained(), SizeIs(1)) << said("n1") << said("n2") << said("n3");
  EXPECT_THAT(said("n1") + said("n2") + said("n3"),
              HasSubstr("of 4 nodes of partition gpu are drained, 1 may be"));
}

}  // namespace
}  // namespace gpuwright::tests
