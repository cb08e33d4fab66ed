// `gpuwright doctor --quick` on simulated GPUs: one line, the same verdicts, and what was not looked at.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/json.h"

#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Quick : public ::testing::Test {
 protected:
  Ran doctor(const std::string& scenario, std::vector<std::string> options) {
    std::vector<std::string> argv = {"env",
                                     "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                                     "GPUWRIGHT_FAKEGPU=" + folder_.write("scenario", scenario),
                                     program(),
                                     "doctor",
                                     "--quick"};
    argv.insert(argv.end(), options.begin(), options.end());
    return run(argv);
  }
  static Ran without_nvml(std::vector<std::string> options) {
    std::vector<std::string> argv = {"env", "GPUWRIGHT_NVML=/nowhere/libnvidia-ml.so.1", program(), "doctor",
                                     "--quick"};
    argv.insert(argv.end(), options.begin(), options.end());
    return run(argv);
  }

  TempFolder folder_;
  const std::string healthy_ = "boards 8 h100-sxm\n";
  const std::string lost_ = "boards 8 h100-sxm\nat 0s gpu 2 lost\n";
};

TEST_F(Quick, IsOneLineThatSaysWhatWasLeftOut) {
  const Ran ran = doctor(lost_, {});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_EQ(base::lines(ran.out).size(), 1U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("critical: GPU 2: The driver cannot reach this GPU any more"));
  EXPECT_THAT(ran.out, HasSubstr("; not seen: "));
  EXPECT_THAT(ran.out, HasSubstr("left out by --quick: "));
}

TEST_F(Quick, SaysTheSameAsTheWholeLookDoes) {
  for (const char* line :
       {"gpu 2 lost", "gpu 4 remap pending", "gpu 4 remap failure", "gpu 6 nvlink 3 down"}) {
    const Ran ran = doctor(healthy_ + "at 0s " + line + "\n", {"--json"});
    const Ran whole =
        run({"env", "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
             "GPUWRIGHT_FAKEGPU=" + folder_.path() + "/scenario", program(), "doctor", "--json"});
    const auto quick = kit::parse_json(ran.out, "quick");
    const auto full = kit::parse_json(whole.out, "full");
    ASSERT_TRUE(quick.ok() && full.ok()) << ran.out << whole.out;
    ASSERT_FALSE((*quick)["findings"].items.empty()) << line;
    for (const auto& finding : (*quick)["findings"].items) {
      const auto& others = (*full)["findings"].items;
      EXPECT_TRUE(std::any_of(others.begin(), others.end(),
                              [&](const kit::Node& other) {
                                return other["cause"].text() == finding["cause"].text() &&
                                       other["subject"]["id"].text() == finding["subject"]["id"].text();
                              }))
          << line << ": " << finding["cause"].text();
    }
    EXPECT_THAT(ran.out, HasSubstr("ipmitool sel elist")) << "it names what it left out";
  }
}

TEST_F(Quick, AHealthyNodeIsNotCalledWholeFromAQuickLook) {
  const Ran ran = doctor(healthy_, {});
  // The kernel's log is this machine's own, and may hold a finding.
  EXPECT_THAT(ran.out, AnyOf(HasSubstr("no problem found in what could be seen"),
                             HasSubstr("not seen: left out by --quick")));
  EXPECT_THAT(ran.out, Not(HasSubstr("no problem found\n")));
}

TEST_F(Quick, WithoutNvmlItSaysSo) {
  const Ran ran = without_nvml({});
  EXPECT_THAT(ran.out, HasSubstr("NVML: "));
}

TEST_F(Quick, LooksAtThisMachineOnly) {
  EXPECT_EQ(doctor(healthy_, {"/etc/hostname"}).exit_code, 2);
  EXPECT_EQ(doctor(healthy_, {"--demo", "gpu-lost"}).exit_code, 2);
}

TEST_F(Quick, NodeProblemSpeaksThePluginProtocol) {
  const Ran lost = doctor(lost_, {"--format", "node-problem"});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.out, HasSubstr("GPU 2: The driver cannot reach this GPU any more (critical, "));
  EXPECT_EQ(base::lines(lost.out).size(), 1U);
  const Ran fabric = doctor(lost_, {"--format", "node-problem", "--condition", "GpuFabricUnhealthy"});
  EXPECT_THAT(fabric.out, Not(HasSubstr("GPU 2: The driver cannot reach")));
  const Ran blind = without_nvml({"--format", "node-problem", "--condition", "GpuFabricUnhealthy"});
  EXPECT_EQ(blind.exit_code, 2) << "unknown is not healthy";
  EXPECT_THAT(blind.out, HasSubstr("cannot tell: no GPU answered"));
  EXPECT_EQ(doctor(lost_, {"--format", "node-problem", "--condition", "Nonsense"}).exit_code, 2);
  EXPECT_THAT(doctor(lost_, {"--format", "node-problem", "--json"}).out, HasSubstr("\"GpuLostToDriver\""));
}

TEST_F(Quick, SlurmPrintsTheReasonAndNothingElseOnStdout) {
  const Ran lost = doctor(lost_, {"--slurm"});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_EQ(lost.out, "gpuwright: gpu-lost-to-driver GPU 2\n");
  EXPECT_THAT(lost.err, HasSubstr("gpuwright: not seen: left out by --quick"));
  EXPECT_EQ(doctor("boards 8 h100-sxm\nat 0s gpu 4 remap pending\n", {"--slurm"}).out, "")
      << "an error, usable";
  EXPECT_EQ(doctor("boards 8 h100-sxm\nat 0s gpu 4 remap pending\n", {"--slurm", "--drain-on", "error"}).out,
            "gpuwright: gpu-row-remap-pending GPU 0000:9d:00\n");
}

}  // namespace
}  // namespace gpuwright::tests
