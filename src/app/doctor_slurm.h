// What `doctor --slurm` does with a diagnosis: the reason of a drain in Slurm's form and, where it was told
// to, the drain itself. Slurm's HealthCheckProgram runs it on each node. The deciding is in
// rules/slurm_drain.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command.h"
#include "app/command_line.h"
#include "catalog/catalog.h"
#include "model/finding.h"

#include <functional>
#include <string>

namespace gpuwright::app {

struct SlurmOptions {
  bool slurm = false;
  bool drain = false;
  bool undrain = false;
  bool dry_run = false;
  std::string drain_on = "critical";
  std::string max_drained = "5%";
  std::string node;
  std::string state_folder = "/run/gpuwright";
};

void add_slurm_options(CommandLine& line, SlurmOptions& options);

/// What was found, and how much of the machine was seen.
struct SlurmLook {
  model::Diagnosis diagnosis;
  bool saw_all = false;           ///< NVML answered and the kernel log was read
  bool kernel_log_whole = false;  ///< since boot
};

/// Looks at the machine once more, with time for a driver that is only slow.
using LookAgain = std::function<base::Result<SlurmLook>()>;

/// Prints the reason to stdout (nothing where the node is usable) and what was done to stderr. Returns kFine;
/// kFindings for a reason; kCouldNotLook when Slurm could not be asked or told; kRefused when enough nodes
/// are drained already; kUsage.
int answer_slurm(const SlurmOptions& options, const SlurmLook& look, const LookAgain& look_again,
                 const catalog::Catalog& catalog, const Console& console);

}  // namespace gpuwright::app
