// The nodes of a real Slurm become targets of Prometheus.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include "support/paths.h"
#include "support/slurm_cluster.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(SlurmTargets, AreTheNodesOfARealClusterThatHaveGpus) {
  const std::string missing = SlurmCluster::missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  SlurmCluster cluster({"n1", "n2"}, "exit 0\n");
  ASSERT_TRUE(cluster.start()) << cluster.log();
  const Ran ran = cluster.client({program(), "render", "slurm-targets", "--port", "9500"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto json = kit::parse_json(ran.out, "targets");
  ASSERT_TRUE(json.ok()) << ran.out;
  ASSERT_EQ(json->items.size(), 2U);
  EXPECT_EQ(json->items[0]["labels"]["instance"].text(), "n1");
  EXPECT_EQ(json->items[0]["labels"]["slurm_partitions"].text(), "gpu");
  EXPECT_THAT(json->items[0]["targets"].items.at(0).text(), ::testing::EndsWith(":9500"));
  // What sinfo says is the same.
  const Ran sinfo = cluster.client({"sinfo", "-h", "-N", "-o", "%N|%o|%G|%P"});
  ASSERT_EQ(sinfo.exit_code, 0) << sinfo.err;
  const Ran again = run({program(), "render", "slurm-targets", "--port", "9500", "--from", "-"}, sinfo.out);
  EXPECT_EQ(again.out, ran.out) << sinfo.out;
}

}  // namespace
}  // namespace gpuwright::tests
