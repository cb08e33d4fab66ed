// SPDX-License-Identifier: Apache-2.0
#include "rules/judge.h"
#include "rules/judge_bmc.h"
#include "rules/judge_pci.h"
#include "rules/judge_rdma.h"
#include "rules/judge_slurm.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kJudges = {
    Judge{"bmc", judge_bmc},
    Judge{"pci", judge_pci},
    Judge{"rdma", judge_rdma},
    Judge{"slurm", judge_slurm},
};

}  // namespace

std::span<const Judge> all_judges() {
  return kJudges;
}

}  // namespace gpuwright::rules
