// NVLink as tools report it, link by link, and the matrix of distances between GPUs and NICs that `nvidia-smi
// topo -m` prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::model {

enum class LinkCondition { Unknown, Up, Down, Disabled, NotSupported };

struct LinkState {
  std::int64_t number = 0;
  LinkCondition condition = LinkCondition::Unknown;
  Field<double> gigabytes_per_second;
  std::string remote;  ///< address of the far end, where told
  std::map<std::string, std::int64_t>
      errors;  ///< "replay", "recovery", "crc" and what else the tool counts, lower case
  Evidence evidence;
};

/// All NVLinks of one GPU (or NVSwitch) in one listing.
struct GpuLinkReport {
  std::string format;
  std::string input;
  std::int64_t block_line = 0;
  Field<std::int64_t> index;
  Field<std::string> uuid;
  Field<std::string> name;
  Field<std::string> pci;
  bool is_switch = false;
  bool all_inactive = false;  ///< the tool refused: "all links are inActive"
  std::vector<LinkState> links;
  std::vector<Evidence> lines;  ///< the GPU's head line, then the refusal
};

/// The cell of two devices: X PIX PXB PHB NODE SYS NV#.
struct Topology {
  std::string input;
  std::int64_t block_line = 0;
  std::vector<std::string> names;               ///< "GPU0", "NIC0", "mlx5_0", row by row
  std::vector<std::vector<std::string>> cells;  ///< cells[row][column], as long as `columns`
  std::vector<std::string> columns;             ///< device columns only
  std::vector<std::string> cpu_affinity;        ///< per row; empty when not printed
  std::vector<std::string> numa_affinity;
  std::map<std::string, std::string> nic_names;  ///< NIC0 -> mlx5_0
  std::vector<Evidence> lines;                   ///< per row
};

}  // namespace gpuwright::model
