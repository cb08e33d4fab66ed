// The users of a GPU as series: one a distinct holder, not one a process, and bounded, so that nobody's many
// processes become many series.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::report {

/// All processes of one holder on a GPU, or on one instance of it.
struct GpuHolder {
  std::string holder;   ///< model::holder_of; "other" for all beyond the bound
  model::GpuUser user;  ///< the first of them, or whom it was given to
  std::uint64_t processes = 0;
  std::uint64_t memory_bytes = 0;
  bool memory_known = false;  ///< of each of them
};

/// Sorted by holder and instance; at most 32, then "other".
std::vector<GpuHolder> holders_on(const model::GpuState& gpu);

/// holder="slurm/4711",gpu_instance_id="3"; the key of a user's series beside those of the GPU.
std::string holder_labels(const GpuHolder& holder);
/// What else is known of it: kind, user, job, pod.
std::string holder_info(const GpuHolder& holder);

}  // namespace gpuwright::report
