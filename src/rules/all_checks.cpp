// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/check_boot.h"
#include "rules/check_driver.h"
#include "rules/check_kubernetes_driver.h"
#include "rules/check_nvswitch.h"
#include "rules/check_services.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kChecks = {
    Check{"baseline", check_baseline},
    Check{"boot.modprobe-files-are-read", check_modprobe_files_are_read},
    Check{"boot.module-signature", check_module_signature},
    Check{"boot.nouveau-is-out", check_nouveau_is_out},
    Check{"driver.flavour-fits-gpus", check_flavour_fits_gpus},
    Check{"driver.library-matches-module", check_library_matches_module},
    Check{"driver.module-for-next-kernel", check_module_for_next_kernel},
    Check{"driver.module-for-running-kernel", check_module_for_running_kernel},
    Check{"driver.old-module-can-go", check_old_module_can_go},
    Check{"driver.upgrade-is-loaded", check_upgrade_is_loaded},
    Check{"kubernetes.driver-image-exists", check_driver_image_exists},
    Check{"kubernetes.driver-upgrade-ends", check_driver_upgrade_ends},
    Check{"kubernetes.gpu-pods-requested", check_gpu_pods_requested},
    Check{"nvswitch.fabric-manager-is-needed", check_fabric_manager_is_needed},
    Check{"nvswitch.fabric-manager-runs", check_fabric_manager_runs},
    Check{"nvswitch.fabric-manager-version", check_fabric_manager_version},
    Check{"nvswitch.one-rdma-stack", check_one_rdma_stack},
    Check{"services.fabric-manager-failed", check_fabric_manager_failed, true},
};

}  // namespace

std::span<const Check> all_checks() {
  return kChecks;
}

}  // namespace gpuwright::rules
