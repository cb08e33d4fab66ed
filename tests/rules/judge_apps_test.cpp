// Judges of applications: each once firing, once quiet.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_bench.h"
#include "rules/judge_cuda.h"
#include "rules/judge_memory.h"
#include "rules/judge_nccl.h"

#include "support/diagnose.h"
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using model::Event;
using JudgeFunction = std::vector<Event> (*)(const model::Observations&, const catalog::Catalog&);
using Names = std::vector<std::string>;

Names signals(JudgeFunction judge, const std::string& text) {
  Names names;
  for (const Event& event : judge(observe(text), knowledge())) names.push_back(event.signal);
  return names;
}

std::string report(const std::string& asked, const std::string& total, const std::string& allocated,
                   const std::string& free, const std::string& reserved) {
  return "RuntimeError: CUDA out of memory. Tried to allocate " + asked + " GiB (GPU 0; " + total +
         " GiB total capacity; " + allocated + " GiB already allocated; " + free + " GiB free; " + reserved +
         " GiB reserved in total by PyTorch)\n";
}

TEST(MemoryJudge, RequestAboveCapacityNeverFits) {
  EXPECT_EQ(signals(rules::judge_memory, report("30.00", "24.00", "1.00", "22.00", "1.50")),
            Names{"oom.can_never_fit"});
}

TEST(MemoryJudge, MoreThanTheGpuHasWasSpilled) {
  EXPECT_EQ(signals(rules::judge_memory, report("1.00", "8.00", "15.00", "0.00", "16.00")),
            Names{"oom.spilled"});
}

TEST(MemoryJudge, ReservedPiecesAreFragmentation) {
  EXPECT_EQ(signals(rules::judge_memory, report("4.00", "40.00", "30.00", "1.00", "38.00")),
            Names{"oom.fragmented"});
}

TEST(MemoryJudge, UnaccountedMemoryBelongsToOthers) {
  EXPECT_EQ(signals(rules::judge_memory, report("4.00", "40.00", "10.00", "1.00", "10.10")),
            Names{"oom.other_processes"});
}

TEST(MemoryJudge, LiveTensorsFillTheGpu) {
  EXPECT_EQ(signals(rules::judge_memory, report("4.00", "40.00", "38.00", "1.00", "38.10")),
            Names{"oom.truly_full"});
}

TEST(MemoryJudge, ReportWithoutCapacityGivesNoVerdict) {
  EXPECT_EQ(signals(rules::judge_memory, "RESOURCE_EXHAUSTED: Out of memory allocating 1024 bytes.\n"),
            Names{});
}

TEST(CudaJudge, FoundVersionIsTheDriversCuda) {
  const auto events = rules::judge_cuda(
      observe("RuntimeError: The NVIDIA driver on your system is too old (found version 12020).\n"),
      knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "cuda.driver_below_build");
  EXPECT_EQ(events[0].params.at("supported"), "12.2");
}

TEST(CudaJudge, NonsenseVersionGivesNoVerdict) {
  EXPECT_EQ(signals(rules::judge_cuda, "The NVIDIA driver on your system is too old (found version 7).\n"),
            Names{});
}

std::string arch_text(const std::string& sm, const std::string& archs) {
  return "NVIDIA X with CUDA capability sm_" + sm +
         " is not compatible with the current PyTorch installation.\n" +
         "The current PyTorch install supports CUDA capabilities " + archs + ".\n";
}

TEST(CudaJudge, GenerationOutsideTheListIsMissing) {
  EXPECT_EQ(signals(rules::judge_cuda, arch_text("120", "sm_80 sm_86 sm_90")), Names{"cuda.arch_missing"});
}

TEST(CudaJudge, PtxOfAnOlderGenerationRuns) {
  EXPECT_EQ(signals(rules::judge_cuda, arch_text("120", "sm_80 sm_90 compute_90")), Names{});
}

std::string timeout_line(int rank) {
  const std::string number = std::to_string(rank);
  return "[rank" + number + "]:[E321 ProcessGroupNCCL.cpp:607] [Rank " + number +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=1, "
         "NumelOut=1, "
         "Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n";
}

TEST(RanksJudge, TheRankThatDoesNotWaitIsNamed) {
  std::string text;
  for (const int rank : {0, 1, 2, 3, 4, 6, 7}) text += timeout_line(rank);
  const auto events = rules::judge_ranks(observe(text), knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "torch.symptom.rank_missing");
  EXPECT_EQ(events[0].params.at("ranks"), "5");
}

TEST(RanksJudge, TheLastRankIsMissedOnlyWhenTheWorldIsKnown) {
  std::string text;
  for (const int rank : {0, 1, 2}) text += timeout_line(rank);
  EXPECT_EQ(signals(rules::judge_ranks, text), Names{"torch.symptom.all_ranks_waiting"});
  text += "n1:9:9 [0] NCCL INFO comm 0x55aa rank 0 nRanks 4 nNodes 1 localRanks 4 localRank 0\n";
  EXPECT_EQ(signals(rules::judge_ranks, text), Names{"torch.symptom.rank_missing"});
}

TEST(RanksJudge, ASampleOfWaitersBlamesNobody) {
  EXPECT_EQ(signals(rules::judge_ranks, timeout_line(0) + timeout_line(4)),
            Names{"torch.symptom.all_ranks_waiting"});
  EXPECT_EQ(signals(rules::judge_ranks, "all is well\n"), Names{});
}

std::string completion(const std::string& status) {
  return "n1:9:9 [4] NCCL WARN NET/IB : Got completion from peer 192.0.2.7<4420> with status=" + status +
         " opcode=129 len=0 vendor err 129 (Recv)\n";
}

TEST(NcclJudge, TheFirstUnflushedCompletionIsTheReason) {
  const auto events =
      rules::judge_nccl(observe(completion("5") + completion("12") + completion("10")), knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "nccl.first_ib_error");
  EXPECT_EQ(events[0].params.at("status"), "12");
}

TEST(NcclJudge, OnlyFlushedWorkHasItsReasonElsewhere) {
  EXPECT_EQ(signals(rules::judge_nccl, completion("5") + completion("5")), Names{"nccl.symptom.ib_flushed"});
}

const std::string kDisabled = "n1:1:1 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n";

TEST(NcclJudge, GpudirectOffOnEveryCardIsToldWithTheCards) {
  const auto events = rules::judge_nccl(observe(kDisabled), knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "nccl.gdr_disabled");
  EXPECT_EQ(events[0].params.at("hcas"), "mlx5_0");
}

TEST(NcclJudge, GpudirectOnOneCardOrOneNodeIsNoFault) {
  EXPECT_EQ(signals(rules::judge_nccl,
                    kDisabled + "n1:1:1 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 1 'mlx5_1'\n"),
            Names{});
  EXPECT_EQ(signals(rules::judge_nccl,
                    kDisabled +
                        "n1:9:9 [0] NCCL INFO comm 0x55 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0\n"),
            Names{});
}

TEST(NcclJudge, SocketChannelsLeadBetweenNodes) {
  EXPECT_EQ(signals(rules::judge_nccl,
                    "n1:9:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [receive] via NET/Socket/0\n"),
            Names{"nccl.inter_node_socket"});
  EXPECT_EQ(signals(rules::judge_nccl, "n1:9:9 [0] NCCL INFO Using network Socket\n"), Names{});
}

TEST(NcclJudge, KnownLimitDecidesAFailedRegistration) {
  const std::string failed = "NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory\n";
  EXPECT_EQ(signals(rules::judge_nccl, failed + "$ ulimit -l\n8192\n"), Names{"nccl.memlock_too_small"});
  EXPECT_EQ(signals(rules::judge_nccl, failed + "$ ulimit -l\nunlimited\n"), Names{});
}

std::string a100_table(const std::string& busbw) {
  std::string text = "# nThread 1 nGpus 8 minBytes 1 maxBytes 8589934592\n";
  for (int rank = 0; rank < 8; ++rank)
    text += "#   Rank  " + std::to_string(rank) + " Pid 7 on localhost device  0 [0x00] A100-SXM4-40GB\n";
  return text + "  8589934592    2147483648   float     sum    63896  134.44  " + busbw +
         "    N/A    63959  134.30  " + busbw + "    N/A\n";
}

TEST(BenchJudge, BusBandwidthFarBelowItsKindIsLow) {
  const auto events = rules::judge_bench(observe(a100_table("120.00")), knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "bench.busbw_low");
  EXPECT_EQ(events[0].params.at("measured"), "120.0");
  EXPECT_EQ(events[0].params.at("expected"), "228");
}

TEST(BenchJudge, UsualBusBandwidthIsQuiet) {
  EXPECT_EQ(signals(rules::judge_bench, a100_table("231.00")), Names{});
}

std::string host_copy(const std::string& model, const std::string& cell) {
  return "nvbandwidth Version: v0.6\n\nDevice 0: " + model +
         " (00000009:01:00)\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE\n           0\n 0    " + cell +
         "\n";
}

std::string four_copies(const std::string& third) {
  return "nvbandwidth Version: v0.6\n\nDevice 0: NVIDIA L40S (00000000:1b:00)\nDevice 1: NVIDIA L40S "
         "(00000000:43:00)\nDevice 2: NVIDIA L40S (00000000:52:00)\nDevice 3: NVIDIA L40S "
         "(00000000:61:00)\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE\n           0  1  2  3\n 0    "
         "25.10  N/A  " +
         third + "  25.30\n";
}

TEST(BenchJudge, AGpuFarBehindItsNeighboursIsNamed) {
  const auto events = rules::judge_bench(observe(four_copies("3.20")), knowledge());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "bench.gpu_copy_lags");
  EXPECT_EQ(events[0].subject.id, "0000:52:00");
  EXPECT_EQ(events[0].params.at("typical"), "25.1");
  EXPECT_EQ(signals(rules::judge_bench, four_copies("22.00")), Names{});
}

TEST(BenchJudge, HostCopyIsJudgedByTheModelAsAWord) {
  EXPECT_EQ(signals(rules::judge_bench, host_copy("NVIDIA H200", "12.50")), Names{"bench.host_copy_low"});
  EXPECT_EQ(signals(rules::judge_bench, host_copy("NVIDIA GH200 480GB", "12.50")), Names{});
}

}  // namespace
}  // namespace gpuwright::tests
