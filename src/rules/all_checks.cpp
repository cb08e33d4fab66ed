// SPDX-License-Identifier: Apache-2.0
#include "rules/baseline.h"
#include "rules/check.h"
#include "rules/check_containerd.h"
#include "rules/check_containers.h"
#include "rules/check_driver.h"
#include "rules/check_gpu_modes.h"
#include "rules/check_passthrough.h"
#include "rules/check_rdma.h"
#include "rules/check_setup.h"
#include "rules/check_storage.h"
#include "rules/check_vgpu.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kChecks = {
    Check{"baseline", check_baseline},
    Check{"containerd.config", check_containerd_config},
    Check{"containers.cdi-complete", check_cdi_specs},
    Check{"containers.cuda", check_container_cuda},
    Check{"containers.device-links", check_char_links},
    Check{"containers.device-rules", check_device_rules},
    Check{"containers.environment", check_env_grant},
    Check{"containers.rdma-devices", check_container_rdma},
    Check{"containers.toolkit-version", check_toolkit_version},
    Check{"containers.user-namespaces", check_user_namespaces},
    Check{"driver.library-matches-module", check_library_matches_module},
    Check{"driver.one-owner", check_driver_owner},
    Check{"driver.package-sources", check_repositories},
    Check{"driver.persistence", check_persistence},
    Check{"driver.unload", check_unload_blocker},
    Check{"gpu.compute-mode", check_compute_mode},
    Check{"gpu.mig-layout", check_mig_layout},
    Check{"gpu.mig-mode", check_mig_mode},
    Check{"host.ports", check_ports},
    Check{"kubernetes.cgroup-driver", check_cgroup_drivers},
    Check{"passthrough.confidential-reset", check_confidential_reset},
    Check{"passthrough.group", check_group_viable},
    Check{"passthrough.guest-bars", check_guest_bars},
    Check{"passthrough.guest-definition", check_guest_definition},
    Check{"passthrough.terabyte-hole", check_terabyte_hole},
    Check{"rdma.gpudirect", check_gpudirect},
    Check{"rdma.modules", check_rdma_modules},
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
