// SPDX-License-Identifier: Apache-2.0
#include "parse/slurm_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

std::string data(const std::string& name) {
  return read_file(source_dir() + "/tests/data/slurm/" + name);
}

template <class Parser>
model::Observations parsed(Parser parser, const std::string& text) {
  model::Observations out;
  parser(text, {"slurm.txt", 1}, knowledge(), out);
  return out;
}

TEST(Sinfo, ReasonsKeepTheirNode) {
  const auto out = parsed(parse::parse_sinfo, data("sinfo_R_down.txt"));
  ASSERT_EQ(out.slurm_nodes.size(), 4U);
  EXPECT_EQ(out.slurm_nodes[0].name, "n4");
  EXPECT_EQ(out.slurm_nodes[0].reason, "gres/gpu count repor");
  EXPECT_EQ(out.slurm_nodes[3].reason, "gpuwright: XID 79 GP");
  EXPECT_EQ(out.slurm_nodes[3].since, "2026-11-30T14:40:40");
  EXPECT_TRUE(out.slurm_nodes[3].state.empty());
}

TEST(Sinfo, WideColumnsGiveTheWholeReason) {
  const auto out = parsed(parse::parse_sinfo, data("sinfo_R_long.txt"));
  ASSERT_EQ(out.slurm_nodes.size(), 4U);
  EXPECT_EQ(out.slurm_nodes[0].reason, "gres/gpu count reported lower than configured (4 < 8)");
}

TEST(Sinfo, RightAlignedStatesAreRead) {
  const auto out = parsed(parse::parse_sinfo, data("sinfo_N_l.txt"));
  ASSERT_EQ(out.slurm_nodes.size(), 8U);
  EXPECT_EQ(out.slurm_nodes[0].state, "drained");
  EXPECT_EQ(out.slurm_nodes[0].reason, "gpuwright: XID 79 GP");
  EXPECT_EQ(out.slurm_nodes[2].state, "mixed");
  EXPECT_TRUE(out.slurm_nodes[2].reason.empty());
}

TEST(Sinfo, PlainTablesGiveStates) {
  const auto out = parsed(parse::parse_sinfo, data("sinfo_down.txt"));
  ASSERT_EQ(out.slurm_nodes.size(), 8U);
  EXPECT_EQ(out.slurm_nodes[1].name, "n3");
  EXPECT_EQ(out.slurm_nodes[1].state, "down*");
}

TEST(ScontrolNode, ReadsStateAndReason) {
  const auto out = parsed(parse::parse_scontrol_node, data("scontrol_show_node.txt"));
  ASSERT_EQ(out.slurm_nodes.size(), 4U);
  EXPECT_EQ(out.slurm_nodes[0].state, "idle+drain");
  EXPECT_EQ(out.slurm_nodes[0].reason, "gpuwright: XID 79 GPU 3");
  EXPECT_EQ(out.slurm_nodes[0].since, "2026-11-30T14:40:40");
  EXPECT_EQ(out.slurm_nodes[3].state, "mixed+drain+invalid_reg");
  EXPECT_EQ(out.slurm_nodes[0].partitions, (std::vector<std::string>{"batch", "urgent"}));
}

TEST(ScontrolNode, ACommentIsNoState) {
  const auto out =
      parsed(parse::parse_scontrol_node,
             "NodeName=n1 Arch=x86_64\n   State=IDLE ThreadsPerCore=1\n   Partitions=gpu\n   Reason=new fans "
             "[root@1796049640]\n   Comment=set State=DRAIN later\n   Partitions=other\n");
  ASSERT_EQ(out.slurm_nodes.size(), 1U);
  EXPECT_EQ(out.slurm_nodes[0].state, "idle");
  EXPECT_EQ(out.slurm_nodes[0].reason, "new fans");
  EXPECT_EQ(out.slurm_nodes[0].since, "1796049640");
  EXPECT_EQ(out.slurm_nodes[0].partitions, std::vector<std::string>{"gpu"});
}

TEST(ScontrolJob, ReadsStateAndReason) {
  const auto out = parsed(parse::parse_scontrol_job, data("scontrol_show_job.txt"));
  ASSERT_EQ(out.slurm_jobs.size(), 9U);
  EXPECT_EQ(out.slurm_jobs[0].state, "RUNNING");
  EXPECT_TRUE(out.slurm_jobs[0].reason.empty());
  EXPECT_EQ(out.slurm_jobs[4].reason, "ReqNodeNotAvail, UnavailableNodes:n1");
  EXPECT_EQ(out.slurm_jobs[7].state, "FAILED");
}

TEST(Squeue, ReadsBothLayouts) {
  for (const char* name : {"squeue.txt", "squeue_l.txt"}) {
    const auto out = parsed(parse::parse_squeue, data(name));
    ASSERT_EQ(out.slurm_jobs.size(), 8U) << name;
    EXPECT_EQ(out.slurm_jobs[0].id, "3") << name;
    EXPECT_EQ(out.slurm_jobs[3].reason, "ReqNodeNotAvail, UnavailableNodes:n1") << name;
    EXPECT_TRUE(out.slurm_jobs[7].reason.empty()) << name;
  }
}

TEST(SlurmFormats, EmptyCutAndForeignTextAreSafe) {
  constexpr char kGarbage[] =
      "\0\xff\nJOBID\nNODELIST STATE\n\nREASON NODELIST\nNodeName=\nJobId=\nReason=[@\n";
  const std::string garbage(kGarbage, sizeof kGarbage - 1);
  const std::string text = data("scontrol_show_node.txt");
  for (std::size_t length = 0; length < text.size(); length += 13) {
    EXPECT_LE(parsed(parse::parse_scontrol_node, text.substr(0, length)).slurm_nodes.size(), 4U);
  }
  EXPECT_TRUE(parsed(parse::parse_sinfo, garbage).slurm_nodes.empty());
  EXPECT_TRUE(parsed(parse::parse_squeue, garbage).slurm_jobs.empty());
  EXPECT_TRUE(parsed(parse::parse_scontrol_node, garbage).slurm_nodes.empty());
  EXPECT_TRUE(parsed(parse::parse_sinfo, "").slurm_nodes.empty());
}

const std::string kSacct =
    "JobID           JobName      State ExitCode        NodeList\n"
    "------------ ---------- ---------- -------- ---------------\n"
    "812            pretrain  NODE_FAIL      1:0      gpu[01-08]\n"
    "812.batch         batch  CANCELLED     0:15           gpu01\n"
    "813               evalu OUT_OF_ME+    0:125            n4\n";

TEST(Sacct, JobsAreReadByTheColumnsOfTheDashes) {
  const auto out = parsed(parse::parse_sacct, kSacct);
  ASSERT_EQ(out.slurm_jobs.size(), 2U);
  EXPECT_EQ(out.slurm_jobs[0].id, "812");
  EXPECT_EQ(out.slurm_jobs[0].state, "NODE_FAIL");
  EXPECT_EQ(out.slurm_jobs[0].nodes, "gpu[01-08]");
  EXPECT_EQ(out.slurm_jobs[0].evidence.line, 3);
  EXPECT_EQ(out.slurm_jobs[1].state, "OUT_OF_ME+");
}

TEST(Sacct, BarsSeparateParsableOutput) {
  const auto out =
      parsed(parse::parse_sacct, "JobID|State|NodeList\n9|CANCELLED by 1000|None assigned\n9.0|FAILED|n1\n");
  ASSERT_EQ(out.slurm_jobs.size(), 1U);
  EXPECT_EQ(out.slurm_jobs[0].state, "CANCELLED");
  EXPECT_TRUE(out.slurm_jobs[0].nodes.empty());
}

TEST(Sacct, OtherTextHasNoJobs) {
  EXPECT_TRUE(parsed(parse::parse_sacct, "JobID\n----\n812 NODE_FAIL\n").slurm_jobs.empty());
  EXPECT_TRUE(parsed(parse::parse_sacct, "------\n812|NODE_FAIL\n").slurm_jobs.empty());
  EXPECT_TRUE(parsed(parse::parse_sacct, "").slurm_jobs.empty());
  for (std::size_t length = 0; length < kSacct.size(); length += 5)
    EXPECT_LE(parsed(parse::parse_sacct, kSacct.substr(0, length)).slurm_jobs.size(), 2U);
}

}  // namespace
}  // namespace gpuwright::tests
