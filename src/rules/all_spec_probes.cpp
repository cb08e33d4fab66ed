// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_probes.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by key.
constexpr std::array kProbes = {
    SpecProbe{"containers.cdi.enabled", probe_cdi},
    SpecProbe{"containers.device_links", probe_device_links},
    SpecProbe{"containers.engines", probe_engines},
    SpecProbe{"cuda.cudnn", probe_cudnn},
    SpecProbe{"cuda.default_toolkit", probe_default_toolkit},
    SpecProbe{"cuda.gdrcopy", probe_gdrcopy},
    SpecProbe{"cuda.nccl", probe_nccl},
    SpecProbe{"cuda.toolkits", probe_toolkits},
    SpecProbe{"driver.block_nouveau", probe_block_nouveau},
    SpecProbe{"driver.branch", probe_driver_branch},
    SpecProbe{"driver.fabric_manager", probe_fabric_manager},
    SpecProbe{"driver.hold", probe_driver_hold},
    SpecProbe{"driver.imex", probe_imex},
    SpecProbe{"driver.module_parameters", probe_module_parameters},
    SpecProbe{"driver.persistence_daemon", probe_persistence_daemon},
    SpecProbe{"firmware[].min_version", probe_firmware},
    SpecProbe{"firmware[].version", probe_firmware},
    SpecProbe{"gpu.inventory[].count", probe_inventory_count},
    SpecProbe{"gpu.inventory[].min_memory", probe_inventory_memory},
    SpecProbe{"gpu.mig.enabled", probe_mig_enabled},
    SpecProbe{"gpu.mig.layouts[].profiles", probe_mig_profiles},
    SpecProbe{"gpu.nvlink.fabric", probe_nvlink_fabric},
    SpecProbe{"gpu.nvlink.min_links", probe_nvlink_count},
    SpecProbe{"machine.cpu.min_cores_per_gpu", probe_cores_per_gpu},
    SpecProbe{"machine.hugepages[].count", probe_hugepages},
    SpecProbe{"machine.iommu", probe_iommu},
    SpecProbe{"machine.min_memory_ratio", probe_memory_ratio},
    SpecProbe{"machine.numa_nodes", probe_numa_nodes},
    SpecProbe{"machine.pcie_acs", probe_pcie_acs},
    SpecProbe{"network.rdma.peer_memory", probe_peer_memory},
    SpecProbe{"os.modules", probe_modules},
    SpecProbe{"os.swap", probe_swap},
    SpecProbe{"os.sysctl", probe_sysctl},
    SpecProbe{"os.time_sync", probe_time_sync},
    SpecProbe{"os.units", probe_units},
    SpecProbe{"passthrough.gpus", probe_passthrough_gpus},
    SpecProbe{"security.device_nodes.mode", probe_device_mode},
    SpecProbe{"security.profiling", probe_profiling},
    SpecProbe{"storage.gpu_direct", probe_gpu_direct_storage},
    SpecProbe{"storage.mounts[].min_free", probe_min_free},
    SpecProbe{"storage.nvme.min_capacity", probe_nvme_capacity},
    SpecProbe{"storage.nvme.min_drives", probe_nvme_drives},
};

}  // namespace

std::span<const SpecProbe> all_spec_probes() {
  return kProbes;
}

SpecSights look_for(const SpecLook& look) {
  switch (look.key.read) {
    case catalog::SpecRead::Setting:
      return {};
    case catalog::SpecRead::Fact:
      return look_at_facts(look);
    case catalog::SpecRead::Unread:
      return {sight_of_unknown(model::AbsentReason::Unsupported, {})};
    case catalog::SpecRead::Probe:
      break;
  }
  const auto at = std::find_if(kProbes.begin(), kProbes.end(),
                               [&](const SpecProbe& probe) { return look.key.key == probe.key; });
  return at == kProbes.end() ? SpecSights{sight_of_unknown(model::AbsentReason::Unsupported, {})}
                             : at->look(look);
}

}  // namespace gpuwright::rules
