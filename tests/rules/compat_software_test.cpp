// cuDNN, frameworks, distributions and image tags.
// SPDX-License-Identifier: Apache-2.0
#include "rules/compat_software.h"

#include "rules/compat_image.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using rules::CompatAnswer;
using rules::CompatReason;
using rules::Fit;

const catalog::Compat& tables() {
  return knowledge().compat();
}

CompatReason cudnn(const char* version, const char* cuda, const char* cc) {
  return rules::cudnn_fits(tables(), {version, cuda, cc}).reason;
}

TEST(Cudnn, IsMadeForOneCudaMajorAndSomeGpus) {
  EXPECT_EQ(cudnn("9.10.2.21", "12.6", "9.0"), CompatReason::CudnnListed);
  EXPECT_EQ(cudnn("9.10.2", "12.8", "10.0"), CompatReason::CudnnListed);
  EXPECT_EQ(cudnn("9.10.2", "11.8", "7.0"), CompatReason::CudnnListed);
  EXPECT_EQ(cudnn("9.17.0", "12.8", "7.0"), CompatReason::CudnnDroppedGpu);
  EXPECT_EQ(rules::cudnn_fits(tables(), {"9.17.0", "12.8", "7.0"}).needs, "9.10.2");
  EXPECT_EQ(cudnn("9.5.1", "12.4", "10.0"), CompatReason::CudnnTooOldForGpu);
  EXPECT_EQ(rules::cudnn_fits(tables(), {"9.5.1", "12.4", "10.0"}).needs, "9.10.2");
  EXPECT_EQ(cudnn("9.17.0", "11.8", ""), CompatReason::CudnnOtherCudaMajor);
  EXPECT_EQ(cudnn("9.10.2", "13.0", "9.0"), CompatReason::CudnnOtherCudaMajor);
  EXPECT_EQ(cudnn("8.9.6", "12.4", "9.0"), CompatReason::CudnnSameCudaMajor);
  EXPECT_EQ(cudnn("8.2.1", "11.3", "8.0"), CompatReason::CudnnListed);
}

TEST(Cudnn, BetweenLinesOnlyWhatBothSayIsSaid) {
  // 9.7 was the first with Blackwell; the table has 9.5.1 and 9.10.2
  EXPECT_EQ(cudnn("9.7.1", "12.8", "10.0"), CompatReason::NotRecorded);
  EXPECT_EQ(rules::cudnn_fits(tables(), {"9.7.1", "12.6", "9.0"}).fit, Fit::Yes);
  EXPECT_EQ(rules::cudnn_fits(tables(), {"9.24.0.43", "13.2", "9.0"}).fit, Fit::Limited);
  EXPECT_EQ(cudnn("9.24.0.43", "13.2", "7.0"), CompatReason::CudnnDroppedGpu);
  EXPECT_EQ(cudnn("9.24.0.43", "14.0", "9.0"), CompatReason::NotRecorded);
  EXPECT_EQ(cudnn("5.1", "8.0", ""), CompatReason::NotRecorded);
  EXPECT_EQ(cudnn("", "12.0", ""), CompatReason::VersionUnknown);
  EXPECT_EQ(cudnn("nine", "12.0", ""), CompatReason::VersionUnknown);
}

CompatAnswer torch(const char* version, const char* cc, const char* machine = "x86_64") {
  return rules::torch_runs_on(tables(), {version, "", machine}, cc);
}

TEST(Torch, WheelsHoldCodeForTheirArchitectures) {
  EXPECT_EQ(torch("2.7.1+cu126", "10.0").reason, CompatReason::BuildLacksGpuCode);
  EXPECT_EQ(torch("2.7.1+cu126", "10.0").needs, "2.7+cu128");
  EXPECT_EQ(torch("2.8.0+cu128", "10.0").fit, Fit::Yes);
  EXPECT_EQ(torch("2.8.0+cu128", "10.3").fit, Fit::Yes);
  EXPECT_EQ(torch("2.8.0+cu128", "8.9").fit, Fit::Yes);
  EXPECT_EQ(torch("2.11.0+cu128", "7.0").reason, CompatReason::BuildLacksGpuCode);
  EXPECT_EQ(torch("2.11.0+cu128", "7.0").needs, "2.11+cu126");
  EXPECT_EQ(torch("2.10.0+cu128", "7.0").fit, Fit::Yes);
  // a plain pip install of 2.11 is CUDA 13
  EXPECT_EQ(torch("2.11.0", "7.0").reason, CompatReason::BuildLacksGpuCode);
  EXPECT_EQ(rules::torch_row(tables(), {"2.11.0", "", "x86_64"})->wheel, "cu130");
  EXPECT_EQ(rules::torch_row(tables(), {"2.11.0", "12.8", "x86_64"})->wheel, "cu128");
  EXPECT_EQ(rules::torch_row(tables(), {"2.11.0+cpu", "", "x86_64"}), nullptr);
}

TEST(Torch, ACompilerThatDoesNotKnowTheGpuMadeNoCodeForIt) {
  const CompatAnswer answer = torch("2.4.1+cu121", "12.0");
  EXPECT_EQ(answer.fit, Fit::No);
  EXPECT_EQ(answer.reason, CompatReason::CompilerTooOldForGpu);
  EXPECT_EQ(answer.needs, "2.14+cu132");
  EXPECT_EQ(torch("2.4.1+cu121", "9.0").reason, CompatReason::NotRecorded);
}

TEST(Torch, Aarch64WheelsDiffer) {
  EXPECT_EQ(torch("2.12.0+cu130", "7.5", "aarch64").reason, CompatReason::BuildLacksGpuCode);
  EXPECT_EQ(torch("2.12.0+cu130", "11.0", "aarch64").fit, Fit::Yes);
  EXPECT_EQ(torch("2.8.0+cu128", "9.0", "aarch64").reason, CompatReason::NotRecorded);
}

TEST(Builds, PtxServesLaterGpusOnly) {
  EXPECT_EQ(rules::build_runs_on({"8.0", "9.0+PTX"}, "10.0").reason, CompatReason::BuildHasPtxOnly);
  EXPECT_EQ(rules::build_runs_on({"8.0", "9.0+PTX"}, "7.5").fit, Fit::No);
  EXPECT_EQ(rules::build_runs_on({"8.0", "9.0"}, "8.9").fit, Fit::Yes);
  EXPECT_EQ(rules::build_runs_on({"8.6"}, "8.0").fit, Fit::No);
  EXPECT_EQ(rules::build_runs_on({}, "8.0").fit, Fit::Unknown);
}

TEST(Tensorflow, BlackwellRunsFromPtxAtBest) {
  EXPECT_EQ(rules::tensorflow_runs_on(tables(), "2.19.0", "10.0").reason, CompatReason::BuildHasPtxOnly);
  EXPECT_EQ(rules::tensorflow_runs_on(tables(), "2.19.1", "12.0").needs, "12.8");
  EXPECT_EQ(rules::tensorflow_runs_on(tables(), "2.19.0", "9.0").fit, Fit::Unknown);
  EXPECT_EQ(rules::tensorflow_runs_on(tables(), "2.19.0", "3.5").fit, Fit::No);
  EXPECT_EQ(rules::tensorflow_runs_on(tables(), "9.9", "9.0").reason, CompatReason::VersionUnknown);
}

TEST(Distributions, TheGuideAndTheVendorsEnd) {
  const auto fits = [](const char* id, const char* version, const char* today = "2026-11-30") {
    return rules::os_fits(tables(), {id, version, today});
  };
  EXPECT_EQ(fits("ubuntu", "24.04").fit, Fit::Yes);
  EXPECT_EQ(fits("ubuntu", "24.10").reason, CompatReason::OsNotInGuide);
  EXPECT_EQ(fits("ubuntu", "20.04").needs, "ubuntu 26.04");
  EXPECT_EQ(fits("rhel", "9.4").fit, Fit::Yes);
  EXPECT_EQ(fits("rocky", "10.1").fit, Fit::Yes);
  EXPECT_EQ(fits("debian", "12").reason, CompatReason::OsEnded);
  EXPECT_EQ(fits("debian", "12", "2026-07-01").fit, Fit::Yes);
  EXPECT_EQ(fits("debian", "11").reason, CompatReason::OsNotInGuide);
  EXPECT_EQ(fits("sles", "15.7").fit, Fit::Yes);
  EXPECT_EQ(fits("sles", "15.5").reason, CompatReason::OsNotInGuide);
  EXPECT_EQ(fits("centos", "8").reason, CompatReason::OsNotInGuide);
  EXPECT_EQ(fits("arch", "").reason, CompatReason::OsUnknown);
  EXPECT_EQ(fits("ubuntu", "").reason, CompatReason::OsUnknown);
}

TEST(Images, TagsHaveTheFormOfTheirFamily) {
  const auto tag = [](const char* reference) { return rules::image_tag_fits(tables(), reference).reason; };
  EXPECT_EQ(tag("nvidia/cuda:12.2.2-base-ubuntu22.04"), CompatReason::TagWellFormed);
  EXPECT_EQ(tag("docker.io/nvidia/cuda:12.2-base"), CompatReason::TagMalformed);
  EXPECT_EQ(tag("nvidia/cuda:latest"), CompatReason::TagMalformed);
  EXPECT_EQ(tag("nvidia/cuda"), CompatReason::TagMalformed);
  EXPECT_EQ(tag("harbor.local:5000/nvcr.io/nvidia/cuda:13.0.2-cudnn-devel-ubuntu24.04"),
            CompatReason::TagWellFormed);
  EXPECT_EQ(tag("nvidia/cuda:12.4.1-base-ubuntu24.04"), CompatReason::TagDistributionAbsent);
  EXPECT_EQ(tag("nvidia/cuda:12.5.1-base-ubuntu24.04"), CompatReason::TagWellFormed);
  EXPECT_EQ(tag("nvidia/cuda:12.6.0-base-centos7"), CompatReason::TagDistributionAbsent);
  EXPECT_EQ(tag("nvidia/cuda@sha256:0123"), CompatReason::NotRecorded);
  EXPECT_EQ(tag("nvcr.io/nvidia/pytorch:26.08-py3"), CompatReason::TagWellFormed);
  EXPECT_EQ(tag("nvcr.io/nvidia/pytorch:latest"), CompatReason::TagMalformed);
  EXPECT_EQ(tag("nvcr.io/nvidia/driver:580-6.8.0-60-generic-ubuntu24.04"), CompatReason::TagWellFormed);
  EXPECT_EQ(tag("nvcr.io/nvidia/driver:595.91.07-ubuntu24.04"), CompatReason::TagWellFormed);
  EXPECT_EQ(tag("nvcr.io/nvidia/driver:595"), CompatReason::TagMalformed);
  EXPECT_EQ(tag("library/ubuntu:24.04"), CompatReason::ImageUnknown);
  EXPECT_EQ(rules::image_tag_fits(tables(), "nvidia/cuda:12.2-base").needs,
            "nvidia/cuda:12.2.2-base-ubuntu22.04");
}

TEST(Images, TheTagNamesItsCuda) {
  const auto cuda = [](const char* reference) { return rules::image_cuda(tables(), reference); };
  EXPECT_EQ(cuda("nvidia/cuda:12.2.2-base-ubuntu22.04"), "12.2.2");
  EXPECT_EQ(cuda("pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"), "12.8");
  EXPECT_EQ(cuda("registry:5000/team/train:v3-cu128"), "12.8");
  EXPECT_EQ(cuda("nvidia/cuda:latest"), "");
  EXPECT_EQ(cuda("library/ubuntu:24.04"), "");
  EXPECT_EQ(cuda("team/cuda-tool:v1"), "");
}

TEST(Images, ATagOfHostileLengthIsRefusedAtOnce) {
  const std::string tag = "nvcr.io/nvidia/driver:580-" + std::string(100000, '-') + "ubuntu24.04";
  EXPECT_EQ(rules::image_tag_fits(tables(), tag).reason, CompatReason::TagMalformed);
}

}  // namespace
}  // namespace gpuwright::tests
