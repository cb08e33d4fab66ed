// How the compatibility questions name the rows they stand on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/compatibility.h"

namespace gpuwright::rules {

RowUsed used(const catalog::CudaReleaseRow& row);
RowUsed used(const catalog::DriverBranchRow& row);
RowUsed used(const catalog::ComputeCapabilityRow& row);
RowUsed used(const catalog::GpuChipRow& row);
RowUsed used(const catalog::GpuBoardRow& row);
RowUsed used(const catalog::CudnnRow& row);
RowUsed used(const catalog::TorchRow& row);
RowUsed used(const catalog::TensorflowRow& row);
RowUsed used(const catalog::OsRow& row);
RowUsed used(const catalog::ImageFamilyRow& row);
RowUsed used(const catalog::ImageDistributionRow& row);

}  // namespace gpuwright::rules
