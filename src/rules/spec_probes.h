// Looks at the machine for the keys of a spec that no single fact answers: counts, sums, what must hold of
// several facts together. One function each, one line in all_spec_probes.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/spec_sight.h"

#include <span>

namespace gpuwright::rules {

struct SpecProbe {
  const char* key;  ///< a row of the key table that says `fact: probe`
  SpecSights (*look)(const SpecLook& look);
};

/// All of them, sorted by key.
std::span<const SpecProbe> all_spec_probes();

/// What the machine shows for the key: by its facts or its probe. An unread key gives one Unknown that says
/// so; a setting gives nothing.
SpecSights look_for(const SpecLook& look);

// spec_probes_gpu.cpp
SpecSights probe_inventory_count(const SpecLook& look);
SpecSights probe_inventory_memory(const SpecLook& look);
SpecSights probe_mig_enabled(const SpecLook& look);
SpecSights probe_mig_profiles(const SpecLook& look);
SpecSights probe_nvlink_count(const SpecLook& look);
SpecSights probe_nvlink_fabric(const SpecLook& look);
SpecSights probe_passthrough_gpus(const SpecLook& look);
// spec_probes_driver.cpp
SpecSights probe_block_nouveau(const SpecLook& look);
SpecSights probe_driver_branch(const SpecLook& look);
SpecSights probe_driver_hold(const SpecLook& look);
SpecSights probe_fabric_manager(const SpecLook& look);
SpecSights probe_imex(const SpecLook& look);
SpecSights probe_module_parameters(const SpecLook& look);
SpecSights probe_persistence_daemon(const SpecLook& look);
SpecSights probe_profiling(const SpecLook& look);
SpecSights probe_device_links(const SpecLook& look);
SpecSights probe_device_mode(const SpecLook& look);
// spec_probes_host.cpp
SpecSights probe_cores_per_gpu(const SpecLook& look);
SpecSights probe_firmware(const SpecLook& look);
SpecSights probe_hugepages(const SpecLook& look);
SpecSights probe_iommu(const SpecLook& look);
SpecSights probe_memory_ratio(const SpecLook& look);
SpecSights probe_min_free(const SpecLook& look);
SpecSights probe_modules(const SpecLook& look);
SpecSights probe_numa_nodes(const SpecLook& look);
SpecSights probe_nvme_capacity(const SpecLook& look);
SpecSights probe_nvme_drives(const SpecLook& look);
SpecSights probe_pcie_acs(const SpecLook& look);
SpecSights probe_swap(const SpecLook& look);
SpecSights probe_sysctl(const SpecLook& look);
SpecSights probe_time_sync(const SpecLook& look);
SpecSights probe_units(const SpecLook& look);
// spec_probes_software.cpp
SpecSights probe_cdi(const SpecLook& look);
SpecSights probe_cudnn(const SpecLook& look);
SpecSights probe_engines(const SpecLook& look);
SpecSights probe_gdrcopy(const SpecLook& look);
SpecSights probe_default_toolkit(const SpecLook& look);
SpecSights probe_gpu_direct_storage(const SpecLook& look);
SpecSights probe_nccl(const SpecLook& look);
SpecSights probe_peer_memory(const SpecLook& look);
SpecSights probe_toolkits(const SpecLook& look);

}  // namespace gpuwright::rules
