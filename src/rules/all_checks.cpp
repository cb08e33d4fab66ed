// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/check_compat.h"
#include "rules/check_driver.h"
#include "rules/check_rates.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kChecks = {
    Check{"baseline", check_baseline},
    Check{"compat.branch-life", check_branch_life},
    Check{"compat.cuda-toolkits", check_cuda_toolkits},
    Check{"compat.cudnn", check_cudnn},
    Check{"compat.distribution", check_distribution},
    Check{"compat.driver-runs-gpus", check_driver_runs_gpus},
    Check{"compat.frameworks", check_frameworks},
    Check{"compat.module-flavour", check_module_flavour},
    Check{"driver.library-matches-module", check_library_matches_module},
    Check{"gpu.pcie-replay-rate", check_pcie_replay_rate},
};

}  // namespace

std::span<const Check> all_checks() {
  return kChecks;
}

}  // namespace gpuwright::rules
