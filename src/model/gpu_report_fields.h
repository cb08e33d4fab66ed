// Every field of a GpuReport with its name, by groups: who shows, compares or fills them all walks this list.
// A new field has its row here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/gpu_report.h"

namespace gpuwright::model {

namespace gpu_report_fields {

template <class Self, class Visit>
void each_of_identity(Self& self, Visit& visit) {
  visit("index", self.index);
  visit("pci", self.pci);
  visit("uuid", self.uuid);
  visit("serial", self.serial);
  visit("name", self.name);
  visit("device_id", self.device_id);
  visit("driver", self.driver);
  visit("cuda", self.cuda);
  visit("attached", self.attached);
  visit("vbios", self.vbios);
  visit("gsp_firmware", self.gsp_firmware);
  visit("driver_model", self.driver_model);
  visit("virtualization", self.virtualization);
  visit("compute_mode", self.compute_mode);
  visit("performance_state", self.performance_state);
  visit("addressing_mode", self.addressing_mode);
  visit("persistence", self.persistence);
  visit("excluded", self.excluded);
  visit("mig_current", self.mig_current);
  visit("mig_pending", self.mig_pending);
  visit("ecc_current", self.ecc_current);
  visit("ecc_pending", self.ecc_pending);
}

template <class Self, class Visit>
void each_of_memory(Self& self, Visit& visit) {
  visit("volatile_sram_corrected", self.volatile_sram_corrected);
  visit("volatile_sram_uncorrected", self.volatile_sram_uncorrected);
  visit("volatile_sram_parity", self.volatile_sram_parity);
  visit("volatile_sram_secded", self.volatile_sram_secded);
  visit("volatile_dram_corrected", self.volatile_dram_corrected);
  visit("volatile_dram_uncorrected", self.volatile_dram_uncorrected);
  visit("volatile_total_corrected", self.volatile_total_corrected);
  visit("volatile_total_uncorrected", self.volatile_total_uncorrected);
  visit("aggregate_sram_corrected", self.aggregate_sram_corrected);
  visit("aggregate_sram_uncorrected", self.aggregate_sram_uncorrected);
  visit("aggregate_sram_parity", self.aggregate_sram_parity);
  visit("aggregate_sram_secded", self.aggregate_sram_secded);
  visit("aggregate_dram_corrected", self.aggregate_dram_corrected);
  visit("aggregate_dram_uncorrected", self.aggregate_dram_uncorrected);
  visit("aggregate_total_corrected", self.aggregate_total_corrected);
  visit("aggregate_total_uncorrected", self.aggregate_total_uncorrected);
  visit("sram_threshold_exceeded", self.sram_threshold_exceeded);
  visit("channel_repair_pending", self.channel_repair_pending);
  visit("tpc_repair_pending", self.tpc_repair_pending);
  visit("unrepairable_memory", self.unrepairable_memory);
  visit("remapped_corrected", self.remapped_corrected);
  visit("remapped_uncorrected", self.remapped_uncorrected);
  visit("remap_pending", self.remap_pending);
  visit("remap_failed", self.remap_failed);
  visit("banks_max", self.banks_max);
  visit("banks_high", self.banks_high);
  visit("banks_partial", self.banks_partial);
  visit("banks_low", self.banks_low);
  visit("banks_none", self.banks_none);
  visit("retired_single_bit", self.retired_single_bit);
  visit("retired_double_bit", self.retired_double_bit);
  visit("retirement_pending", self.retirement_pending);
}

template <class Self, class Visit>
void each_of_operation(Self& self, Visit& visit) {
  visit("recovery_action", self.recovery_action);
  visit("reset_required", self.reset_required);
  visit("drain_and_reset", self.drain_and_reset);
  visit("idle", self.idle);
  visit("application_clocks", self.application_clocks);
  visit("software_power_cap", self.software_power_cap);
  visit("hardware_slowdown", self.hardware_slowdown);
  visit("hardware_thermal_slowdown", self.hardware_thermal_slowdown);
  visit("power_brake", self.power_brake);
  visit("software_thermal_slowdown", self.software_thermal_slowdown);
  visit("clocks_mask", self.clocks_mask);
  visit("temperature_c", self.temperature);
  visit("memory_temperature_c", self.memory_temperature);
  visit("margin_c", self.margin);
  visit("slowdown_margin_c", self.slowdown_margin);
  visit("shutdown_margin_c", self.shutdown_margin);
  visit("slowdown_temperature_c", self.slowdown_temperature);
  visit("shutdown_temperature_c", self.shutdown_temperature);
  visit("maximum_temperature_c", self.maximum_temperature);
  visit("maximum_memory_temperature_c", self.maximum_memory_temperature);
  visit("power_draw_w", self.power_draw);
  visit("power_limit_w", self.power_limit);
  visit("default_power_limit_w", self.default_power_limit);
}

template <class Self, class Visit>
void each_of_links_and_load(Self& self, Visit& visit) {
  visit("pcie_generation", self.pcie_generation);
  visit("pcie_generation_max", self.pcie_generation_max);
  visit("pcie_generation_device_max", self.pcie_generation_device_max);
  visit("pcie_generation_host_max", self.pcie_generation_host_max);
  visit("pcie_width", self.pcie_width);
  visit("pcie_width_max", self.pcie_width_max);
  visit("pcie_replays", self.pcie_replays);
  visit("pcie_replay_rollovers", self.pcie_replay_rollovers);
  visit("fabric_state", self.fabric_state);
  visit("fabric_status", self.fabric_status);
  visit("fabric_health", self.fabric_health);
  visit("fabric_bandwidth", self.fabric_bandwidth);
  visit("fabric_route_unhealthy", self.fabric_route_unhealthy);
  visit("fabric_incorrect_configuration", self.fabric_incorrect_configuration);
  visit("memory_total_bytes", self.memory_total_bytes);
  visit("memory_used_bytes", self.memory_used_bytes);
  visit("utilization_percent", self.utilization_percent);
  visit("memory_utilization_percent", self.memory_utilization_percent);
  visit("compute_capability", self.compute_capability);
  visit("minor_number", self.minor_number);
  visit("part_number", self.part_number);
  visit("inforom", self.inforom);
  visit("fan_percent", self.fan_percent);
  visit("minimum_power_limit_w", self.minimum_power_limit);
  visit("maximum_power_limit_w", self.maximum_power_limit);
  visit("energy_j", self.energy_j);
  visit("sm_clock_mhz", self.sm_clock_mhz);
  visit("memory_clock_mhz", self.memory_clock_mhz);
  visit("maximum_sm_clock_mhz", self.maximum_sm_clock_mhz);
  visit("maximum_memory_clock_mhz", self.maximum_memory_clock_mhz);
  visit("bar1_total_bytes", self.bar1_total_bytes);
}

}  // namespace gpu_report_fields

template <class Self, class Visit>
void GpuReport::each_field(Self& self, Visit&& visit) {
  gpu_report_fields::each_of_identity(self, visit);
  gpu_report_fields::each_of_memory(self, visit);
  gpu_report_fields::each_of_operation(self, visit);
  gpu_report_fields::each_of_links_and_load(self, visit);
}

}  // namespace gpuwright::model
