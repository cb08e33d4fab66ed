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
  /// visit(name, field) for every field; defined in model/gpu_report_fields.h.
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit);
};

}  // namespace gpuwright::model
