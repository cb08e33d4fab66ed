// Whole outputs of real tools: the fault in them is found, and a healthy one gives no alarm. Inputs that may
// not be copied are read from GPUWRIGHT_SHARED.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"
#include "support/expected.h"
#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

class Capture : public ::testing::TestWithParam<ExpectedCapture> {
 protected:
  void SetUp() override {
    if (GetParam().path.empty())
      GTEST_SKIP() << "set GPUWRIGHT_SHARED to the folder that has " << GetParam().file;
  }
};

TEST_P(Capture, GivesTheRightDiagnosis) {
  const model::Diagnosis diagnosis = diagnose_file(GetParam().path);
  if (GetParam().outcome == "healthy") {
    for (const model::Finding& finding : diagnosis.findings) {
      EXPECT_LT(finding.severity, model::Severity::Warning) << "false alarm: " << finding.cause;
    }
    return;
  }
  ASSERT_FALSE(GetParam().causes.empty()) << "expected.csv has no cause for this capture";
  const model::Finding* right = nullptr;
  for (const model::Finding& finding : diagnosis.findings) {
    for (const std::string& cause : GetParam().causes) {
      if (right == nullptr && finding.cause == cause) right = &finding;
    }
  }
  ASSERT_NE(right, nullptr) << "found: " << summary(diagnosis);
  EXPECT_THAT(GetParam().actions, ::testing::Contains(knowledge().cause(right->cause)->action_now))
      << right->cause;
}

INSTANTIATE_TEST_SUITE_P(All, Capture, ::testing::ValuesIn(expected_captures()),
                         [](const auto& instance) { return test_name(instance.param.file); });

}  // namespace
}  // namespace gpuwright::tests
