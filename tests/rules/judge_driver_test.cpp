// The pieces of the driver stack, compared; and what pods and nodes ask for.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_driver.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

const std::string kOpen580 =
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n";

std::vector<std::string> causes(const std::string& text) {
  std::vector<std::string> out;
  for (const model::Finding& finding : diagnose(text).findings) out.push_back(finding.cause);
  return out;
}

using Causes = std::vector<std::string>;

TEST(DriverJudge, LibrariesOfAnotherVersionThanTheModuleAreAConflict) {
  EXPECT_EQ(causes(kOpen580 + "libnvidia-ml.so.1 -> libnvidia-ml.so.580.82.07\n"),
            Causes{"library-module-mismatch"});
  EXPECT_EQ(causes(kOpen580 + "libnvidia-ml.so.1 -> libnvidia-ml.so.580.65.06\n"), Causes{});
}

TEST(DriverJudge, AShortenedVersionAgreesWithTheWholeOne) {
  EXPECT_EQ(causes(kOpen580 + "NVML library version: 580.65\n"), Causes{});
  EXPECT_EQ(causes(kOpen580 + "NVML library version: 580.6\n"), Causes{"library-module-mismatch"});
}

TEST(DriverJudge, ALogThatSpansAnUpgradeIsNoConflict) {
  EXPECT_EQ(causes("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build\n" +
                   kOpen580 + "libcuda.so.1 -> libcuda.so.580.65.06\n"),
            Causes{});
}

TEST(DriverJudge, FabricManagerMustBeTheDriversVersion) {
  EXPECT_EQ(causes(kOpen580 + "Fabric Manager version is : 580.82.07\n"),
            Causes{"fabric-manager-version-mismatch"});
  EXPECT_EQ(causes(kOpen580 + "Fabric Manager version is : 580.65.06\n"), Causes{});
  EXPECT_EQ(causes(kOpen580 + "\nii  nvidia-fabricmanager-580  580.82.07-1  amd64  Fabric Manager\n"),
            Causes{"fabric-manager-version-mismatch"});
  EXPECT_EQ(causes(kOpen580 + "\nrc  nvidia-fabricmanager-570  570.82.07-1  amd64  Fabric Manager\n"),
            Causes{});
}

TEST(DriverJudge, ADriverThatDkmsDidNotInstallForTheRunningKernelIsMissing) {
  const std::string uname = "Linux n1 6.8.0-60-generic #63-Ubuntu SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n";
  const std::string old_kernel = "nvidia/580.65.06, 6.8.0-58-generic, x86_64: installed\n";
  EXPECT_EQ(causes(uname + old_kernel), Causes{"driver-module-not-loaded"});
  EXPECT_EQ(causes(uname + "nvidia/580.65.06, 6.8.0-60-generic, x86_64: installed\n"), Causes{});
  EXPECT_EQ(causes(old_kernel), Causes{});
  EXPECT_EQ(causes("nvidia/580.65.06: added\n"), Causes{"driver-module-not-loaded"});
}

TEST(DriverJudge, NouveauInTheModuleListIsReported) {
  const std::string head = "Module                  Size  Used by\n";
  EXPECT_EQ(causes(head + "nouveau 2400000 1\ndrm 700000 4 nouveau\n"), Causes{"nouveau-owns-gpu"});
  EXPECT_EQ(causes(head + "nvidia 56823808 80\n"), Causes{});
}

TEST(DriverJudge, TheFlavourMustFitTheGpuThatTheBusShows) {
  const auto device = [](const std::string& id) {
    return "01:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:" + id + "] (rev a1)\n";
  };
  const std::string proprietary = "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.158.01  Tue May\n";
  EXPECT_EQ(causes(proprietary + device("2901")), Causes{"gpu-needs-open-modules"});
  EXPECT_EQ(causes(proprietary + device("2330")), Causes{});
  EXPECT_EQ(causes(proprietary + device("2342")), Causes{"gpu-needs-open-modules"});  // GH200
  EXPECT_EQ(causes(proprietary + device("3fff")), Causes{"gpu-needs-open-modules"});  // newer than the tables
  EXPECT_EQ(causes(kOpen580 + device("1db6")), Causes{"gpu-needs-proprietary-modules"});
  EXPECT_EQ(causes(kOpen580 + device("1eb8")), Causes{});
}

TEST(DriverJudge, ASmallCpuLimitOnAGpuPodIsAdviceAndAFairOneIsNot) {
  const auto pod = [](const std::string& gpus, const std::string& cpu) {
    return "Name:             train-0\n    Limits:\n      cpu:  " + cpu + "\n      nvidia.com/gpu:  " + gpus +
           "\n";
  };
  const auto diagnosis = diagnose(pod("1", "4"));
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].cause, "k8s-gpu-pod-cpu-limit");
  EXPECT_EQ(diagnosis.findings[0].severity, model::Severity::Info);
  EXPECT_EQ(diagnosis.findings[0].subject.id, "train-0");
  EXPECT_EQ(causes(pod("1", "16")), Causes{});
  EXPECT_EQ(causes(pod("8", "16")), Causes{"k8s-gpu-pod-cpu-limit"});
  EXPECT_EQ(causes("Name:             web-0\n    Limits:\n      cpu:  1\n"), Causes{});
}

TEST(DriverJudge, ANodeThatWithdrewGpusOrAdvertisesNoneIsReported) {
  const auto node = [](const std::string& capacity, const std::string& allocatable) {
    return "Name:               gpu-03\nLabels:             nvidia.com/gpu.present=true\nCapacity:\n  "
           "nvidia.com/gpu:  " +
           capacity + "\nAllocatable:\n  nvidia.com/gpu:  " + allocatable + "\n";
  };
  EXPECT_EQ(causes(node("8", "7")), Causes{"k8s-gpus-withdrawn"});
  EXPECT_EQ(causes(node("0", "0")), Causes{"k8s-plugin-found-no-gpu"});
  EXPECT_EQ(causes(node("8", "8")), Causes{});
}

}  // namespace
}  // namespace gpuwright::tests
