// SPDX-License-Identifier: Apache-2.0
#include "rules/judge.h"
#include "rules/judge_bench.h"
#include "rules/judge_bmc.h"
#include "rules/judge_cuda.h"
#include "rules/judge_driver.h"
#include "rules/judge_gpu.h"
#include "rules/judge_memory.h"
#include "rules/judge_nccl.h"
#include "rules/judge_pci.h"
#include "rules/judge_plugin_xid.h"
#include "rules/judge_rdma.h"
#include "rules/judge_slurm.h"
#include "rules/judge_xid.h"

#include <array>

namespace gpuwright::rules {

namespace {

/// Sorted by id.
constexpr std::array kJudges = {
    Judge{"bench", judge_bench},
    Judge{"bmc", judge_bmc},
    Judge{"cuda", judge_cuda},
    Judge{"dcgm", judge_dcgm},
    Judge{"driver", judge_driver},
    Judge{"gpu", judge_gpus},
    Judge{"gpus-lost-together", judge_gpus_lost_together},
    Judge{"links", judge_links},
    Judge{"memory", judge_memory},
    Judge{"memory-errors-repeat", judge_memory_errors_repeat},
    Judge{"nccl", judge_nccl},
    Judge{"pci", judge_pci},
    Judge{"plugin-xid", judge_plugin_xid},
    Judge{"ranks", judge_ranks},
    Judge{"rdma", judge_rdma},
    Judge{"recovery-conflict", judge_recovery_conflict},
    Judge{"slurm", judge_slurm},
    Judge{"xid13-place", judge_xid13_place},
    Judge{"xid31-owner", judge_xid31_owner},
    Judge{"xid45-alone", judge_xid45_alone},
};

}  // namespace

std::span<const Judge> all_judges() {
  return kJudges;
}

}  // namespace gpuwright::rules
