// What many ranks' lines say together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

#include <vector>

namespace gpuwright::rules {

/// nccl.gdr_disabled (every RDMA card without GPUDirect), nccl.inter_node_socket (channels between nodes over
/// TCP), nccl.first_ib_error (the first failed work request of each input) or nccl.symptom.ib_flushed (only
/// flushed ones), nccl.memlock_too_small (registration failed and the limit is known).
std::vector<model::Event> judge_nccl(const model::Observations& observations,
                                     const catalog::Catalog& catalog);

/// torch.symptom.rank_missing with `ranks` (few ranks are not among those that report a time-out), or
/// torch.symptom.all_ranks_waiting (none is known to be missing).
std::vector<model::Event> judge_ranks(const model::Observations& observations,
                                      const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
