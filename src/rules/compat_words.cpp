// Names of reasons and rows.
// SPDX-License-Identifier: Apache-2.0
#include "rules/compat_rows_used.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpuwright::rules {

namespace {

constexpr std::array kReasonWords = {
    std::pair{CompatReason::DriverBundled, "driver-bundled"},
    std::pair{CompatReason::DriverSameBranch, "driver-same-branch"},
    std::pair{CompatReason::DriverMinorVersion, "driver-minor-version"},
    std::pair{CompatReason::DriverBelowFloor, "driver-below-floor"},
    std::pair{CompatReason::ForwardCompatUsed, "forward-compat-used"},
    std::pair{CompatReason::ForwardCompatRefused, "forward-compat-refused"},
    std::pair{CompatReason::CompilerKnowsGpu, "compiler-knows-gpu"},
    std::pair{CompatReason::CompilerTooOldForGpu, "compiler-too-old-for-gpu"},
    std::pair{CompatReason::CompilerDroppedGpu, "compiler-dropped-gpu"},
    std::pair{CompatReason::BranchSupportsGpu, "branch-supports-gpu"},
    std::pair{CompatReason::BranchTooOldForGpu, "branch-too-old-for-gpu"},
    std::pair{CompatReason::BranchDroppedGpu, "branch-dropped-gpu"},
    std::pair{CompatReason::FlavourFits, "flavour-fits"},
    std::pair{CompatReason::OpenRecommended, "open-recommended"},
    std::pair{CompatReason::OpenBeta, "open-beta"},
    std::pair{CompatReason::OpenNeeded, "open-needed"},
    std::pair{CompatReason::ProprietaryNeeded, "proprietary-needed"},
    std::pair{CompatReason::OpenNotInBranch, "open-not-in-branch"},
    std::pair{CompatReason::ProprietaryNotInBranch, "proprietary-not-in-branch"},
    std::pair{CompatReason::BranchSupported, "branch-supported"},
    std::pair{CompatReason::BranchEndsSoon, "branch-ends-soon"},
    std::pair{CompatReason::BranchEnded, "branch-ended"},
    std::pair{CompatReason::BranchSuperseded, "branch-superseded"},
    std::pair{CompatReason::BranchWithoutTerm, "branch-without-term"},
    std::pair{CompatReason::OsInGuide, "os-in-guide"},
    std::pair{CompatReason::OsNotInGuide, "os-not-in-guide"},
    std::pair{CompatReason::OsEnded, "os-ended"},
    std::pair{CompatReason::CudnnListed, "cudnn-listed"},
    std::pair{CompatReason::CudnnSameCudaMajor, "cudnn-same-cuda-major"},
    std::pair{CompatReason::CudnnOtherCudaMajor, "cudnn-other-cuda-major"},
    std::pair{CompatReason::CudnnDroppedGpu, "cudnn-dropped-gpu"},
    std::pair{CompatReason::CudnnTooOldForGpu, "cudnn-too-old-for-gpu"},
    std::pair{CompatReason::BuildHasGpuCode, "build-has-gpu-code"},
    std::pair{CompatReason::BuildHasPtxOnly, "build-has-ptx-only"},
    std::pair{CompatReason::BuildLacksGpuCode, "build-lacks-gpu-code"},
    std::pair{CompatReason::TagWellFormed, "tag-well-formed"},
    std::pair{CompatReason::TagMalformed, "tag-malformed"},
    std::pair{CompatReason::TagDistributionAbsent, "tag-distribution-absent"},
    std::pair{CompatReason::CudaUnknown, "cuda-unknown"},
    std::pair{CompatReason::DriverUnknown, "driver-unknown"},
    std::pair{CompatReason::GpuUnknown, "gpu-unknown"},
    std::pair{CompatReason::VersionUnknown, "version-unknown"},
    std::pair{CompatReason::OsUnknown, "os-unknown"},
    std::pair{CompatReason::ImageUnknown, "image-unknown"},
    std::pair{CompatReason::NotRecorded, "not-recorded"},
    std::pair{CompatReason::DayUnknown, "day-unknown"},
};

}  // namespace

const char* reason_word(CompatReason reason) {
  const auto at = std::find_if(kReasonWords.begin(), kReasonWords.end(),
                               [&](const auto& entry) { return entry.first == reason; });
  return at == kReasonWords.end() ? "" : at->second;
}

RowUsed used(const catalog::CudaReleaseRow& row) {
  return {"compat/cuda_releases", row.release, row.source, row.as_of};
}
RowUsed used(const catalog::DriverBranchRow& row) {
  return {"compat/driver_branches", fmt::format("R{}", row.branch), row.source, row.as_of};
}
RowUsed used(const catalog::ComputeCapabilityRow& row) {
  return {"compat/compute_capabilities", row.cc, row.source, {}};
}
RowUsed used(const catalog::GpuChipRow& row) {
  return {"gpu_chips", row.chip, row.source, {}};
}
RowUsed used(const catalog::GpuBoardRow& row) {
  return {"gpus", row.id, row.source, {}};
}
RowUsed used(const catalog::CudnnRow& row) {
  return {"compat/cudnn",
          fmt::format("{}-{} CUDA {}-{}", row.cudnn_from, row.cudnn_to, row.cuda_from, row.cuda_to),
          row.source, row.as_of};
}
RowUsed used(const catalog::TorchRow& row) {
  return {"compat/pytorch", row.torch + "+" + row.wheel, row.source, row.as_of};
}
RowUsed used(const catalog::TensorflowRow& row) {
  return {"compat/tensorflow", row.tensorflow, row.source, row.as_of};
}
RowUsed used(const catalog::OsRow& row) {
  return {"compat/os", row.os_id + " " + row.version, row.source, row.as_of};
}
RowUsed used(const catalog::ImageFamilyRow& row) {
  return {"compat/image_families", row.family, row.source, row.as_of};
}
RowUsed used(const catalog::ImageDistributionRow& row) {
  return {"compat/image_distributions", row.distribution, row.source, {}};
}

}  // namespace gpuwright::rules
