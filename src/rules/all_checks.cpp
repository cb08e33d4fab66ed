// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/check_boot.h"
#include "rules/check_compat.h"
#include "rules/check_containerd.h"
#include "rules/check_containers.h"
#include "rules/check_driver.h"
#include "rules/check_gpu_modes.h"
#include "rules/check_kubernetes_driver.h"
#include "rules/check_nvswitch.h"
#include "rules/check_passthrough.h"
#include "rules/check_rates.h"
#include "rules/check_rdma.h"
#include "rules/check_services.h"
#include "rules/check_setup.h"
#include "rules/check_storage.h"
#include "rules/check_vgpu.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kChecks = {
    Check{"baseline", check_baseline},
    Check{"boot.modprobe-files-are-read", check_modprobe_files_are_read},
    Check{"boot.module-signature", check_module_signature},
    Check{"boot.nouveau-is-out", check_nouveau_is_out},
    Check{"compat.branch-life", check_branch_life},
    Check{"compat.cuda-toolkits", check_cuda_toolkits},
    Check{"compat.cudnn", check_cudnn},
    Check{"compat.distribution", check_distribution},
    Check{"compat.driver-runs-gpus", check_driver_runs_gpus},
    Check{"compat.frameworks", check_frameworks},
    Check{"compat.open-modules", check_open_modules},
    Check{"containerd.config", check_containerd_config},
    Check{"containers.cdi-complete", check_cdi_specs},
    Check{"containers.cuda", check_container_cuda},
    Check{"containers.device-links", check_char_links},
    Check{"containers.device-rules", check_device_rules},
    Check{"containers.environment", check_env_grant},
    Check{"containers.rdma-devices", check_container_rdma},
    Check{"containers.toolkit-version", check_toolkit_version},
    Check{"containers.user-namespaces", check_user_namespaces},
    Check{"driver.flavour-fits-gpus", check_flavour_fits_gpus},
    Check{"driver.library-matches-module", check_library_matches_module},
    Check{"driver.module-for-next-kernel", check_module_for_next_kernel},
    Check{"driver.module-for-running-kernel", check_module_for_running_kernel},
    Check{"driver.old-module-can-go", check_old_module_can_go},
    Check{"driver.one-owner", check_driver_owner},
    Check{"driver.package-sources", check_repositories},
    Check{"driver.persistence", check_persistence},
    Check{"driver.unload", check_unload_blocker},
    Check{"driver.upgrade-is-loaded", check_upgrade_is_loaded},
    Check{"gpu.compute-mode", check_compute_mode},
    Check{"gpu.mig-layout", check_mig_layout},
    Check{"gpu.mig-mode", check_mig_mode},
    Check{"gpu.pcie-replay-rate", check_pcie_replay_rate},
    Check{"host.ports", check_ports},
    Check{"kubernetes.cgroup-driver", check_cgroup_drivers},
    Check{"kubernetes.driver-image-exists", check_driver_image_exists},
    Check{"kubernetes.driver-upgrade-ends", check_driver_upgrade_ends},
    Check{"kubernetes.gpu-pods-requested", check_gpu_pods_requested},
    Check{"nvswitch.fabric-manager-is-needed", check_fabric_manager_is_needed},
    Check{"nvswitch.fabric-manager-runs", check_fabric_manager_runs},
    Check{"nvswitch.fabric-manager-version", check_fabric_manager_version},
    Check{"nvswitch.one-rdma-stack", check_one_rdma_stack},
    Check{"passthrough.confidential-reset", check_confidential_reset},
    Check{"passthrough.group", check_group_viable},
    Check{"passthrough.guest-bars", check_guest_bars},
    Check{"passthrough.guest-definition", check_guest_definition},
    Check{"passthrough.terabyte-hole", check_terabyte_hole},
    Check{"rdma.gpudirect", check_gpudirect},
    Check{"rdma.modules", check_rdma_modules},
    Check{"services.fabric-manager-failed", check_fabric_manager_failed, true},
    Check{"storage.arrays", check_arrays_run},
    Check{"vgpu.functions", check_mediated_devices},
    Check{"vgpu.peers", check_vgpu_peers},
    Check{"vgpu.types", check_vgpu_types},
};

}  // namespace

std::span<const Check> all_checks() {
  return kChecks;
}

}  // namespace gpuwright::rules
