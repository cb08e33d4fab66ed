// `gpuwright doctor` on a live machine whose GPUs are simulated: what NVML says comes from fakegpu,
// everything else is this machine's own. So only findings that NVML's answers prove are looked at.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Simulated : public ::testing::Test {
 protected:
  Ran doctor(const std::string& scenario, const std::vector<std::string>& options = {}) {
    std::vector<std::string> argv = {"env", "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                                     "GPUWRIGHT_FAKEGPU=" + folder_.write("scenario", scenario), program(),
                                     "doctor"};
    argv.insert(argv.end(), options.begin(), options.end());
    return run(argv);
  }

  /// "cause subject" of the findings that NVML's answers prove.
  std::set<std::string> findings(const std::string& scenario) {
    const Ran ran = doctor(scenario, {"--json"});
    std::set<std::string> found;
    const auto json = kit::parse_json(ran.out, "doctor");
    EXPECT_TRUE(json.ok()) << ran.out << ran.err;
    if (!json.ok()) return found;
    for (const auto& finding : (*json)["findings"].items) {
      for (const auto& evidence : finding["evidence"].items) {
        if (evidence["where"].text().rfind("NVML", 0) == 0)
          found.insert(finding["cause"].text() + " " + finding["subject"]["id"].text());
      }
    }
    return found;
  }

  TempFolder folder_;
};

TEST_F(Simulated, AHealthyNodeHasNoFinding) {
  for (const char* board :
       {"h100-sxm", "a100-sxm4-80gb", "h200-sxm", "t4", "b200", "l40s", "rtx-4090", "gb200"})
    EXPECT_THAT(findings(std::string("boards 8 ") + board + "\n"), IsEmpty()) << board;
}

TEST_F(Simulated, SaysThatItIsSimulated) {
  EXPECT_THAT(doctor("boards 2 h100-sxm\n").out, HasSubstr("NVML (simulated)"));
}

TEST_F(Simulated, EachFaultIsNamedOnItsGpu) {
  EXPECT_THAT(findings("boards 8 h100-sxm\nat 0s gpu 2 lost\n"), ElementsAre("gpu-lost-to-driver #2"));
  EXPECT_THAT(findings("boards 8 h100-sxm\nat 0s gpu 4 remap pending\n"),
              ElementsAre("gpu-row-remap-pending 0000:9d:00"));
  EXPECT_THAT(findings("boards 8 h100-sxm\nat 0s gpu 6 nvlink 3 down\n"),
              ElementsAre("nvlink-some-links-down 0000:d1:00"));
}

TEST_F(Simulated, AGpuThatHangsIsNamedAndTheOthersAreJudged) {
  const std::string scenario =
      "boards 8 h100-sxm\nat 0s gpu 1 hang nvmlDeviceGetPowerUsage 60s\nat 0s gpu 4 remap pending\n";
  EXPECT_THAT(findings(scenario),
              ElementsAre("gpu-does-not-answer 0000:43:00", "gpu-row-remap-pending 0000:9d:00"));
  EXPECT_LT(doctor(scenario).took, std::chrono::seconds(3));
}

TEST_F(Simulated, AHangingDriverIsAnAnswerWithinThreeSeconds) {
  const std::string scenario = "boards 8 h100-sxm\nat 0s driver-lock\n";
  EXPECT_THAT(findings(scenario), ElementsAre("driver-call-stuck "));
  EXPECT_LT(doctor(scenario).took, std::chrono::seconds(3));
}

}  // namespace
}  // namespace gpuwright::tests
