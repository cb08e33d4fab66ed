// Tables of bandwidth tests: whole, cut, empty, foreign.
// SPDX-License-Identifier: Apache-2.0
#include "parse/bench_formats.h"

#include "support/paths.h"
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

const std::string kTable =
    "# nThread 1 nGpus 2 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "
    "validation: 1\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid     11 on      node1 device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid     12 on      node2 device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong\n"
    "          32             8     float     sum      -1    20.12    0.00    1.50      0    20.02    0.00   "
    " 1.25      0\n"
    "          64            16     float     sum      -1    20.12    0.00    2.50      3    20.02    0.00   "
    " 2.75      0\n"
    "# Out of bounds values : 3 FAILED\n";

TEST(NcclTests, LargestMessageGivesTheReading) {
  const model::Observations seen = observe(kTable);
  ASSERT_EQ(seen.bench.size(), 1U);
  const model::BenchReport& report = seen.bench[0];
  EXPECT_EQ(report.test, "all_reduce");
  EXPECT_EQ(report.gpu_model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(report.ranks.value(), 2);
  EXPECT_EQ(report.nodes.value(), 2);
  EXPECT_EQ(report.size_bytes.value(), 64);
  EXPECT_DOUBLE_EQ(report.gb_per_s.value(), 2.75);
  EXPECT_EQ(report.wrong.value(), 3);
}

TEST(NcclTests, HeaderAloneIsNoReading) {
  EXPECT_TRUE(observe(kTable.substr(0, kTable.find("          32"))).bench.empty());
  EXPECT_TRUE(observe("").bench.empty());
  EXPECT_TRUE(observe("# nThread 1 nGpus 8\nxx yy zz\n\x01\x02\n").bench.empty());
}

TEST(NcclTests, NumbersAtTheEdgeOfTheirTypeDoNotOverflow) {
  const std::string most = "9223372036854775807";
  const std::string row =
      most + " " + most + " double sum -1 20.12 0.00 1.50 " + most + " 20.02 0.00 1.25 " + most + "\n";
  const model::Observations seen = observe(kTable + row);
  ASSERT_EQ(seen.bench.size(), 1U);
  EXPECT_EQ(seen.bench[0].wrong.value(), 1'000'000'000'000);
}

TEST(NcclTests, PlateauOfAHealthyNodeIsRead) {
  const model::Observations seen =
      observe(read_file(source_dir() + "/tests/data/captures/bench/nccl_allreduce.log"));
  ASSERT_EQ(seen.bench.size(), 1U);
  EXPECT_EQ(seen.bench[0].test, "all_reduce");
  EXPECT_EQ(seen.bench[0].ranks.value(), 8);
  EXPECT_DOUBLE_EQ(seen.bench[0].gb_per_s.value(), 235.26);
}

TEST(Nvbandwidth, HostCopiesAreReadWithTheirLowestCell) {
  const model::Observations seen =
      observe(read_file(source_dir() + "/tests/data/captures/bench/nvbandwidth_results.log"));
  ASSERT_EQ(seen.bench.size(), 2U);
  EXPECT_EQ(seen.bench[0].test, "host_to_device_memcpy_ce");
  EXPECT_EQ(seen.bench[0].gpu_model, "NVIDIA GH200 480GB");
  EXPECT_DOUBLE_EQ(seen.bench[0].gb_per_s.value(), 269.33);
  EXPECT_EQ(seen.bench[1].test, "device_to_host_memcpy_ce");
}

TEST(Nvbandwidth, CutOutputGivesNothing) {
  EXPECT_TRUE(observe("nvbandwidth Version: v0.6\nRunning ").bench.empty());
  EXPECT_TRUE(observe("nvbandwidth Version: v0.6\nDevice 0: X (\nRunning host_to_device_memcpy_ce.\n 0 \n")
                  .bench.empty());
}

const std::string kPerftest =
    "                    RDMA_Write BW Test\n"
    " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
    " Number of qps   : 1\t\tTransport type : IB\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 4096       5000             185.11             184.21   \t\t   5.62\n"
    " 65536      5000             196.90             196.88   \t\t   0.375519\n"
    " 8388608    5000             197.05             196.04   \t\t   0.002936\n";

TEST(Perftest, BestAverageGivesTheReading) {
  const model::Observations seen = observe(kPerftest);
  ASSERT_EQ(seen.bench.size(), 1U);
  EXPECT_EQ(seen.bench[0].tool, "perftest");
  EXPECT_EQ(seen.bench[0].test, "RDMA_Write BW Test");
  EXPECT_EQ(seen.bench[0].device, "mlx5_0");
  EXPECT_EQ(seen.bench[0].size_bytes.value(), 65536);
  EXPECT_DOUBLE_EQ(seen.bench[0].gbit_per_s.value(), 196.88);
  EXPECT_EQ(seen.bench[0].evidence.line, 6);
}

TEST(Perftest, MebibytesAreMadeGigabits) {
  const model::Observations seen = observe(
      " RDMA_Read BW Test\n #bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n"
      " 65536 1000 0.00 11000.00 0.176\n");
  ASSERT_EQ(seen.bench.size(), 1U);
  EXPECT_NEAR(seen.bench[0].gbit_per_s.value(), 92.27, 0.01);
  EXPECT_TRUE(seen.bench[0].device.empty());
}

TEST(Perftest, WithoutARowThereIsNoReading) {
  EXPECT_TRUE(observe(kPerftest.substr(0, kPerftest.find(" 4096"))).bench.empty());
  EXPECT_TRUE(observe(" BW Test\n1 2 3 4 5\n").bench.empty());
  EXPECT_TRUE(observe(" BW Test\n BW average[Gb/sec]\n-1 5 1 1 1\nx y z\n 64 5 1 -3 1\n").bench.empty());
}

TEST(Ulimit, AnswerStandsOnTheNextLine) {
  const auto events = observe("$ ulimit -l\n8192\n").events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "nccl.memlock_limit");
  EXPECT_EQ(events[0].params.at("limit"), "8192");
}

TEST(Ulimit, NoAnswerIsNoLimit) {
  EXPECT_TRUE(observe("$ ulimit -l\n").events.empty());
  EXPECT_TRUE(observe("$ ulimit -l\n$ exit\n").events.empty());
}

}  // namespace
}  // namespace gpuwright::tests
