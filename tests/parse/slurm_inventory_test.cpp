// Which nodes of Slurm have GPUs, and where they are.
// SPDX-License-Identifier: Apache-2.0
#include "parse/slurm_inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRecords =
    "NodeName=gpu-01 Arch=x86_64 CoresPerSocket=28 \n"
    "   CPUAlloc=0 CPUEfctv=112 CPUTot=112 CPULoad=0.10\n"
    "   Gres=gpu:h100:8(S:0-1)\n"
    "   NodeAddr=10.1.0.1 NodeHostName=gpu-01 Version=23.11.4\n"
    "   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1\n"
    "   Partitions=train,debug \n"
    "   Reason=was lent NodeAddr=10.9.9.9 Gres=none [root@2026-11-30T10:00:00]\n"
    "\n"
    "NodeName=cpu-01 Arch=x86_64 CoresPerSocket=28 \n"
    "   Gres=(null)\n"
    "   NodeAddr=cpu-01 NodeHostName=cpu-01\n"
    "   Partitions=cpu \n"
    "   Comment=gpu:8 is here NodeName=not-a-node Gres=gpu:8\n";

TEST(SlurmInventory, RecordsOfScontrolTellNodesWithGpus) {
  const auto nodes = parse::read_slurm_gpu_nodes(kRecords);
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ((*nodes)[0].name, "gpu-01");
  EXPECT_EQ((*nodes)[0].address, "10.1.0.1") << "what a person wrote behind Reason= is no address";
  EXPECT_THAT((*nodes)[0].partitions, ElementsAre("train", "debug"));
}

TEST(SlurmInventory, OneLineANodeIsTheSame) {
  const auto nodes = parse::read_slurm_gpu_nodes(
      "NodeName=a Gres=gpu:2,nvme:1 NodeAddr=a State=IDLE Partitions=p Reason=Gres=none x\n"
      "NodeName=b Gres=shard:4 NodeAddr=b State=IDLE Partitions=p\n"
      "NodeName=c Gres=shard:4,gpu:l40s:4 State=IDLE Partitions=p\n");
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ((*nodes)[0].name, "a");
  EXPECT_EQ((*nodes)[1].name, "c");
  EXPECT_EQ((*nodes)[1].address, "c") << "no address: its name is one";
}

TEST(SlurmInventory, LinesOfSinfoAreJoinedByNode) {
  const auto nodes = parse::read_slurm_gpu_nodes(
      "gpu-01|10.1.0.1|gpu:h100:8|train*\ngpu-01|10.1.0.1|gpu:h100:8|debug\ncpu-01|cpu-01|(null)|cpu\n");
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_THAT((*nodes)[0].partitions, ElementsAre("train", "debug"));
}

TEST(SlurmInventory, OtherTextIsRefusedWithWhatToGive) {
  EXPECT_FALSE(parse::read_slurm_gpu_nodes("").ok());
  EXPECT_FALSE(parse::read_slurm_gpu_nodes("PARTITION AVAIL TIMELIMIT\ncpu up 1:00\n").ok());
  const auto without = parse::read_slurm_gpu_nodes("NodeName=a Gres=(null) State=IDLE\n");
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().kind, base::ErrorKind::NotFound);
  const std::string text = kRecords;
  for (std::size_t length = 0; length < text.size(); length += 7)
    (void)parse::read_slurm_gpu_nodes(text.substr(0, length));
}

}  // namespace
}  // namespace gpuwright::tests
