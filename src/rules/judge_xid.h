// What many Xids say together that one does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

namespace gpuwright::rules {

/// Two or more GPUs lost within a minute: `derived.gpus_lost_together` on the machine.
std::vector<model::Event> judge_gpus_lost_together(const model::Observations& observations,
                                                   const catalog::Catalog& catalog);
/// Several repaired rows, or uncorrectable errors an hour or more apart, on one GPU:
/// `derived.memory_errors_repeat`.
std::vector<model::Event> judge_memory_errors_repeat(const model::Observations& observations,
                                                     const catalog::Catalog& catalog);
/// Xid 154 asks for a recovery while the table asks for no action on the GPU's other Xids:
/// `derived.recovery_conflict`.
std::vector<model::Event> judge_recovery_conflict(const model::Observations& observations,
                                                  const catalog::Catalog& catalog);
/// Where Xid 13 strikes: `derived.xid13_scattered` (many SMs), `derived.xid13_same_sm` (one SM, several
/// processes or times), `derived.xid13_many_gpus` (on the machine).
std::vector<model::Event> judge_xid13_place(const model::Observations& observations,
                                            const catalog::Catalog& catalog);
/// Whom Xid 31 strikes: `derived.xid31_same_gpu` (one GPU, several processes),
/// `derived.xid31_follows_process` (one program, several GPUs).
std::vector<model::Event> judge_xid31_owner(const model::Observations& observations,
                                            const catalog::Catalog& catalog);
/// Xid 45 on a machine whose driver reports no other fault: `derived.xid45_alone`.
std::vector<model::Event> judge_xid45_alone(const model::Observations& observations,
                                            const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
