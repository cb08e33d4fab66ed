// `doctor --slurm --drain` against a scontrol that the test plays: which commands are run, and which never.
// tests/slurm does the same with a real Slurm.
// SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Slurm : public ::testing::Test {
 protected:
  void SetUp() override {
    scenario("at 0s gpu 2 lost\n");
    std::filesystem::create_directory(folder_.path() + "/bin");
    // `show node [NAME]` prints what is written for it; `update ...` is noted, one argument a line.
    const std::string tool =
        folder_.write("bin/scontrol", "#!/bin/sh\nif [ \"$1\" = show ]; then cat \"" + folder_.path() +
                                          "/shown.${3:-all}\"; else echo \"conf $SLURM_CONF\" >>" +
                                          folder_.path() + "/updates; for word; do echo \"$word\"; done >>" +
                                          folder_.path() + "/updates; fi\n");
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  }

  void scenario(const std::string& lines) { folder_.write("scenario", "boards 8 h100-sxm\n" + lines); }

  static std::string node(const std::string& name, const std::string& state, const std::string& reason = "") {
    return "NodeName=" + name + " Arch=x86_64 CoresPerSocket=32\n   State=" + state +
           " ThreadsPerCore=1\n   Partitions=gpu\n" +
           (reason.empty() ? "" : "   Reason=" + reason + " [root@1796049640]\n") + "\n";
  }

  /// One node as scontrol shows it, and all of them.
  void nodes(const std::string& own, const std::string& others = "") {
    folder_.write("shown.n1", own);
    folder_.write("shown.all", own + others);
  }

  Ran doctor(const std::vector<std::string>& options, const std::string& name = "n1") {
    std::vector<std::string> argv = {"env",
                                     "PATH=" + folder_.path() + "/bin:/usr/bin:/bin",
                                     "SLURMD_NODENAME=" + name,
                                     "SLURM_CONF=/somewhere/slurm.conf",
                                     "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                                     "GPUWRIGHT_FAKEGPU=" + folder_.path() + "/scenario",
                                     program(),
                                     "doctor",
                                     "--quick",
                                     "--slurm",
                                     "--state",
                                     folder_.path() + "/state"};
    argv.insert(argv.end(), options.begin(), options.end());
    return run(argv);
  }

  std::string updates() const {
    std::ifstream file(folder_.path() + "/updates");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempFolder folder_;
};

TEST_F(Slurm, WithoutDrainNothingIsRun) {
  nodes(node("n1", "IDLE"));
  EXPECT_EQ(doctor({}).exit_code, 1);
  EXPECT_THAT(updates(), IsEmpty());
}

TEST_F(Slurm, DrainRunsOneUpdateWithTheReasonAsOneWord) {
  nodes(node("n1", "IDLE"), node("n2", "IDLE"));
  const Ran ran = doctor({"--drain"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(updates(),
            "conf /somewhere/slurm.conf\nupdate\nNodeName=n1\nState=DRAIN\nReason=gpuwright: "
            "gpu-lost-to-driver GPU 2\n");
}

TEST_F(Slurm, ADryRunShowsTheCommandAndRunsNone) {
  nodes(node("n1", "IDLE"));
  const Ran ran = doctor({"--drain", "--dry-run"});
  EXPECT_THAT(ran.err, HasSubstr("dry run, not done: "));
  EXPECT_THAT(
      ran.err,
      HasSubstr("scontrol update NodeName=n1 State=DRAIN Reason=gpuwright: gpu-lost-to-driver GPU 2"));
  EXPECT_THAT(updates(), IsEmpty());
}

TEST_F(Slurm, OthersDrainsAndFullPartitionsAreLeftAlone) {
  nodes(node("n1", "IDLE+DRAIN", "new fans"));
  EXPECT_THAT(doctor({"--drain", "--undrain"}).err, HasSubstr("drained by somebody else: left alone"));
  nodes(node("n1", "IDLE"), node("n2", "IDLE+DRAIN", "new fans"));
  const Ran full = doctor({"--drain"});
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_THAT(full.err, HasSubstr("not drained: 1 of 2 nodes of partition gpu are drained, 1 may be"));
  EXPECT_THAT(updates(), IsEmpty());
}

TEST_F(Slurm, AHealthyNodeIsResumedOnlyWhenToldAndOnlyOurs) {
  scenario("");
  const std::string ours = "gpuwright: gpu-lost-to-driver GPU 2";
  nodes(node("n1", "IDLE+DRAIN", ours));
  EXPECT_EQ(doctor({"--drain"}).exit_code, 0);
  EXPECT_THAT(updates(), IsEmpty());
  nodes(node("n1", "IDLE+DRAIN", "new fans"));
  doctor({"--drain", "--undrain"});
  EXPECT_THAT(updates(), IsEmpty());
}

TEST_F(Slurm, ANameOfManyNodesIsRefused) {
  for (const char* name : {"n[1-9]", "n1,n2", "ALL nodes", "n1\nState=DOWN"})
    EXPECT_EQ(doctor({"--drain"}, name).exit_code, 2) << name;
  EXPECT_THAT(updates(), IsEmpty());
}

TEST_F(Slurm, WhatCannotBeAskedIsToldAndNothingIsGuessed) {
  folder_.write("bin/scontrol",
                "#!/bin/sh\necho 'slurm_load_node error: Unable to contact slurm controller' >&2; exit 1\n");
  const Ran ran = doctor({"--drain"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.err, HasSubstr("Unable to contact slurm controller"));
  std::filesystem::remove(folder_.path() + "/bin/scontrol");
  nodes(node("n7", "IDLE"));
}

TEST_F(Slurm, OptionsThatDoNotBelongTogetherAreRefused) {
  EXPECT_EQ(run({program(), "doctor", "--drain"}).exit_code, 2);
  EXPECT_EQ(run({program(), "doctor", "--slurm", "--json"}).exit_code, 2);
  EXPECT_EQ(run({program(), "doctor", "--slurm", "--drain", "/etc/hostname"}).exit_code, 2);
  EXPECT_EQ(doctor({"--drain", "--max-drained", "much"}).exit_code, 2);
  EXPECT_EQ(doctor({"--drain", "--max-drained", "101%"}).exit_code, 2);
}

}  // namespace
}  // namespace gpuwright::tests
