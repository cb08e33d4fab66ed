// One GPU as a tool reports it: nvidia-smi in its many shapes, or the driver's /proc files. Every value keeps
// the line it came from. A tool that prints "N/A" has said nothing: the field is absent, never 0. Source:
// nvidia-smi manual; NVIDIA GPU memory error management guide (row remapping, page retirement, SRAM
// threshold).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/event.h"
#include "model/field.h"
#include "model/gpu_parts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One GPU of one report. `Field::provenance()` is the 1-based index into `lines`.
struct GpuReport {
  std::string format;  ///< id in data/formats.yaml
  std::string input;
  std::int64_t block_line = 0;  ///< first line of the block: reports with the same input and block belong to
                                ///< one machine at one time
  std::vector<Evidence> lines;

  Field<std::int64_t> index;  ///< NVML index
  Field<std::string> pci;     ///< "0000:3b:00.0"
  Field<std::string> uuid;
  Field<std::string> serial;
  Field<std::string> name;
  Field<std::string> device_id;  ///< PCI device id, four hex digits, lower case
  Field<std::string> driver;
  Field<std::string> cuda;
  Field<std::int64_t> attached;  ///< how many GPUs the tool says the machine has
  Field<std::string> vbios;
  Field<std::string> gsp_firmware;
  Field<std::string> driver_model;
  Field<std::string> virtualization;
  Field<std::string> compute_mode;
  Field<std::string> performance_state;
  Field<std::string> addressing_mode;
  Field<bool> persistence;
  Field<bool> excluded;  ///< the driver was told to leave this GPU alone

  Field<bool> mig_current;
  Field<bool> mig_pending;
  Field<bool> ecc_current;
  Field<bool> ecc_pending;

  Field<std::int64_t> volatile_sram_corrected;
  Field<std::int64_t> volatile_sram_uncorrected;
  Field<std::int64_t> volatile_sram_parity;
  Field<std::int64_t> volatile_sram_secded;
  Field<std::int64_t> volatile_dram_corrected;
  Field<std::int64_t> volatile_dram_uncorrected;
  Field<std::int64_t> volatile_total_corrected;
  Field<std::int64_t> volatile_total_uncorrected;
  Field<std::int64_t> aggregate_sram_corrected;
  Field<std::int64_t> aggregate_sram_uncorrected;
  Field<std::int64_t> aggregate_sram_parity;
  Field<std::int64_t> aggregate_sram_secded;
  Field<std::int64_t> aggregate_dram_corrected;
  Field<std::int64_t> aggregate_dram_uncorrected;
  Field<std::int64_t> aggregate_total_corrected;
  Field<std::int64_t> aggregate_total_uncorrected;
  Field<bool> sram_threshold_exceeded;
  Field<bool> channel_repair_pending;
  Field<bool> tpc_repair_pending;
  Field<bool> unrepairable_memory;

  Field<std::int64_t> remapped_corrected;
  Field<std::int64_t> remapped_uncorrected;
  Field<bool> remap_pending;
  Field<bool> remap_failed;
  Field<std::int64_t> banks_max;  ///< banks with all spare rows left
  Field<std::int64_t> banks_high;
  Field<std::int64_t> banks_partial;
  Field<std::int64_t> banks_low;
  Field<std::int64_t> banks_none;  ///< banks without any spare row left

  Field<std::int64_t> retired_single_bit;
  Field<std::int64_t> retired_double_bit;
  Field<bool> retirement_pending;

  Field<std::string> recovery_action;  ///< the words of the driver
  Field<bool> reset_required;
  Field<bool> drain_and_reset;

  Field<bool> idle;
  Field<bool> application_clocks;
  Field<bool> software_power_cap;
  Field<bool> hardware_slowdown;
  Field<bool> hardware_thermal_slowdown;
  Field<bool> power_brake;
  Field<bool> software_thermal_slowdown;
  Field<std::string> clocks_mask;  ///< "0x0000000000000080"

  Field<base::Celsius> temperature;
  Field<base::Celsius> memory_temperature;
  Field<base::Celsius> margin;  ///< degrees left to the maximum operating temperature; below 0 when over it
  Field<base::Celsius>
      slowdown_margin;  ///< the margin at which the hardware slows down, a small negative number
  Field<base::Celsius> shutdown_margin;
  Field<base::Celsius> slowdown_temperature;
  Field<base::Celsius> shutdown_temperature;
  Field<base::Celsius> maximum_temperature;
  Field<base::Celsius> maximum_memory_temperature;

  Field<base::Watts> power_draw;
  Field<base::Watts> power_limit;
  Field<base::Watts> default_power_limit;

  Field<std::int64_t> pcie_generation;
  Field<std::int64_t> pcie_generation_max;  ///< what card and slot can do together
  Field<std::int64_t> pcie_generation_device_max;
  Field<std::int64_t> pcie_generation_host_max;
  Field<std::int64_t> pcie_width;
  Field<std::int64_t> pcie_width_max;
  Field<std::int64_t> pcie_replays;
  Field<std::int64_t> pcie_replay_rollovers;

  Field<std::string> fabric_state;
  Field<std::string> fabric_status;
  Field<std::string> fabric_health;
  Field<std::string> fabric_bandwidth;
  Field<std::string> fabric_route_unhealthy;
  Field<std::string> fabric_incorrect_configuration;

  Field<std::int64_t> memory_total_bytes;
  Field<std::int64_t> memory_used_bytes;
  Field<std::int64_t> utilization_percent;
  Field<std::int64_t> memory_utilization_percent;
  Field<std::int64_t> uncorrected_cell;  ///< "Volatile Uncorr. ECC" of the default table

  Field<std::string> compute_capability;  ///< "9.0"
  Field<std::int64_t> minor_number;       ///< of /dev/nvidiaN
  Field<std::string> part_number;
  Field<std::string> inforom;
  Field<std::int64_t> fan_percent;
  Field<base::Watts> minimum_power_limit;
  Field<base::Watts> maximum_power_limit;
  Field<std::int64_t> energy_j;  ///< since the driver was loaded
  Field<std::int64_t> sm_clock_mhz;
  Field<std::int64_t> memory_clock_mhz;
  Field<std::int64_t> maximum_sm_clock_mhz;
  Field<std::int64_t> maximum_memory_clock_mhz;
  Field<std::int64_t> bar1_total_bytes;

  // How many there are, where the tool was asked for the list: an empty list may also be one that nobody
  // read.
  Field<std::int64_t> link_count;
  Field<std::int64_t> mig_count;
  Field<std::int64_t> process_count;

  std::vector<GpuProcess> processes;
  std::vector<MigInstance> mig;
  std::vector<UnreadableCell> unreadable;

  /// The line a field was read from; null when none was noted.
  template <class T>
  const Evidence* line_of(const Field<T>& field) const {
    const auto place = static_cast<std::size_t>(field.provenance());
    return place == 0 || place > lines.size() ? nullptr : &lines[place - 1];
  }

  std::string key() const { return pci.known() ? pci.value() : "#" + key_text(index); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
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
};

}  // namespace gpuwright::model
