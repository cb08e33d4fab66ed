// The nodes of a Slurm cluster that have GPUs, as `scontrol show nodes` tells them (one line a node with -o,
// or records) or `sinfo -h -N -o '%N|%o|%G|%P'`. Source: Slurm, src/api/node_info.c; sinfo(1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

struct SlurmGpuNode {
  std::string name;     ///< "gpu-01"
  std::string address;  ///< where it is reached; the name where Slurm has no other
  std::vector<std::string> partitions;
};

/// In the order of the text, each name once; sinfo's lines of one node are joined. Malformed when it holds no
/// node at all, NotFound when none of them has a GPU (Gres "gpu").
base::Result<std::vector<SlurmGpuNode>> read_slurm_gpu_nodes(std::string_view text);

/// The word after "key=" on this line; empty if the key does not stand at the start of a word.
std::string_view slurm_value(std::string_view line, std::string_view key);

}  // namespace gpuwright::parse
