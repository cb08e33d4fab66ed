// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/check_driver.h"
#include "rules/check_services.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kChecks = {
    Check{"baseline", check_baseline},
    Check{"driver.library-matches-module", check_library_matches_module},
    Check{"services.fabric-manager-failed", check_fabric_manager_failed, true},
};

}  // namespace

std::span<const Check> all_checks() {
  return kChecks;
}

}  // namespace gpuwright::rules
