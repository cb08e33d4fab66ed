// Checks of NVSwitch boards and what they need: Fabric Manager of the driver's version, one RDMA stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// Fabric Manager runs where there are NVSwitches. Source: Fabric Manager user guide.
model::Verdict check_fabric_manager_runs(Look look, const Situation& situation);
/// It is of the driver's version. Source: Fabric Manager user guide.
model::Verdict check_fabric_manager_version(Look look, const Situation& situation);
/// It is not started where there is nothing to manage. Source: Fabric Manager user guide.
model::Verdict check_fabric_manager_is_needed(Look look, const Situation& situation);
/// All modules of the RDMA stack come from one of the two stacks. Source: depmod.d(5), MLNX_OFED
/// installation guide.
model::Verdict check_one_rdma_stack(Look look, const Situation& situation);

}  // namespace gpuwright::rules
