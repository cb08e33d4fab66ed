// `gpuwright capture --rma`: the page that a vendor asks for.
// SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Rma : public ::testing::Test {
 protected:
  Ran capture(const std::string& gpu) {
    return run({"env", "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                "GPUWRIGHT_FAKEGPU=" +
                    folder_.write(
                        "scenario",
                        "boards 8 h100-sxm\nat 0s gpu 3 remap failure\nat 0s gpu 3 ecc uncorrected dram 7\n"
                        "at 0s gpu 3 serial 1652222013338\n"),
                program(), "capture", "--rma", gpu, "-o", output()});
  }
  std::string output() const { return folder_.path() + "/node.tar.gz"; }
  TempFolder folder_;
};

TEST_F(Rma, ThePageNamesThePartTheHistoryAndTheRule) {
  const Ran ran = capture("3");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("node.tar.gz.rma.txt for the vendor"));
  const std::string page = read_file(output() + ".rma.txt");
  EXPECT_THAT(page, HasSubstr("SIMULATED"));
  EXPECT_THAT(page, HasSubstr("1652222013338"));
  EXPECT_THAT(page, HasSubstr("uncorrected, lifetime      DRAM 7, SRAM 0"));
  EXPECT_THAT(page, HasSubstr("failed yes"));
  EXPECT_THAT(page, HasSubstr("rule met: gpu-row-remap-failed"));
  EXPECT_THAT(page, HasSubstr("nvidia-bug-report.sh"));
  EXPECT_THAT(page, Not(HasSubstr("GPU 4 at")));
}

TEST_F(Rma, AHealthyGpuMeetsNoRule) {
  ASSERT_EQ(capture("0").exit_code, 0);
  EXPECT_THAT(read_file(output() + ".rma.txt"), HasSubstr("rule met: none"));
}

TEST_F(Rma, AGpuThatIsNotThereIsOneLineAndNothingIsWritten) {
  const Ran ran = capture("42");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no GPU has this index, address or UUID"));
  EXPECT_NE(run({"test", "-e", output()}).exit_code, 0);
}

}  // namespace
}  // namespace gpuwright::tests
