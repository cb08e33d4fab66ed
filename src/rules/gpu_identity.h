// Whom a report is about, and what kind of board that is. One GPU is "0000:3b:00" to the kernel, "#2" to
// nvidia-smi and a UUID to others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/gpu_report.h"
#include "model/observations.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

/// How a board uses NVLink.
enum class NvlinkUse {
  Unknown,  ///< the name is unknown or fits both
  Always,   ///< SXM, HGX, OAM boards: links must be up
  Bridge,   ///< PCIe boards with an optional bridge: no link without one
  Never,    ///< boards without NVLink
};

/// By the product name ("NVIDIA A100 80GB PCIe"), else by the PCI device id ("2321"); either may be empty.
NvlinkUse nvlink_use(std::string_view name, std::string_view device_id);

/// True for boards of racks whose NVLink spans nodes (GB200, GB300 NVL72): only there is IMEX needed.
bool is_multi_node_nvlink(std::string_view name);

/// True for data-centre boards that ship with ECC memory.
bool has_ecc_memory(std::string_view name);

/// Names of the GPUs of all observations by index and UUID, to find the address where a report has none.
class GpuDirectory {
 public:
  explicit GpuDirectory(const model::Observations& observations);

  model::Subject subject(const model::GpuReport& report) const;
  model::Subject subject_of_index(std::int64_t index, const std::string& input) const;
  /// The product name and PCI device id known for an index; empty when none or more than one.
  std::string name_of_index(std::int64_t index) const;
  std::string device_id_of_index(std::int64_t index) const;

 private:
  std::map<std::string, std::string> address_of_;  ///< "input|#2" and UUIDs
  std::map<std::int64_t, std::string> names_;
  std::map<std::int64_t, std::string> device_ids_;
};

/// A Gpu event with signal and source set.
model::Event gpu_event(const char* judge, std::string signal, model::Subject subject);

}  // namespace gpuwright::rules
