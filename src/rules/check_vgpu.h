// Checks of virtual GPUs on their host and in their guests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// A guest's mediated devices can exist on this kernel. Source: NVIDIA vGPU user guide, vendor VFIO.
model::Verdict check_mediated_devices(Look look, const Situation& situation);
/// The virtual functions that guests use carry a vGPU. Source: NVIDIA vGPU user guide.
model::Verdict check_vgpu_types(Look look, const Situation& situation);
/// vGPUs that should talk over NVSwitch can. Source: NVIDIA vGPU user guide, Fabric Manager user guide.
model::Verdict check_vgpu_peers(Look look, const Situation& situation);

}  // namespace gpuwright::rules
