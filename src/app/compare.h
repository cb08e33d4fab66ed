// Machines beside each other, and one machine beside itself at an earlier time: `gpuwright doctor --compare`
// and `--since`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "model/difference.h"
#include "model/finding.h"
#include "model/machine.h"
#include "model/snapshot.h"

#include <string>
#include <vector>

namespace gpuwright::app {

/// The facts of a machine as a plain list.
model::Snapshot snapshot_of(const model::Machine& machine, const std::string& name);

/// The facts of the one machine at `path`: a bundle, a fixture, the root folder of a disk, or what `gpuwright
/// facts --json` wrote. Malformed where that is none, or more than one.
base::Result<model::Snapshot> snapshot_at(const std::string& path, const catalog::Catalog& catalog);

struct CompareOptions {
  std::vector<std::string> paths;  ///< none: this machine, or the disk at `sysroot`
  std::string sysroot;
  catalog::Language language = catalog::Language::English;
  bool json = false;
  bool quiet = false;
};

/// Compares the machines with each other (of one: its GPUs; of two: also the GPUs of each) and prints who is
/// the odd one out. Returns the exit code: kFindings when one is.
int compare_machines(const CompareOptions& options, const catalog::Catalog& catalog, const Console& console);

/// What changed between the machine at `since` and `now`, ranked against the diagnosis' first symptom.
base::Result<model::ChangeReport> changes_since(const std::string& since, const model::Machine& now,
                                                const model::Diagnosis& diagnosis,
                                                const catalog::Catalog& catalog);

}  // namespace gpuwright::app
