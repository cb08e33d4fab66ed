// The hardware that a GPU server should have beside its GPUs: cores, memory, network, storage, and how they
// lie to the GPUs. What is asked stands in data/baseline.csv, by workload class, with reason and source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

#include <optional>
#include <string>

namespace gpuwright::rules {

/// A quantity of data/baseline.csv ("cores_per_gpu"), computed of the machine; nothing where a fact is
/// missing, which `look` notes. An unknown name is Malformed knowledge: the tests of the catalog find it.
std::optional<double> baseline_quantity(const std::string& name, const model::Machine& machine, Look& look);
bool knows_baseline_quantity(const std::string& name);

/// Each row that asks for more than there is raises its signal with what there is (have) and what is asked
/// (need). Not applicable where the machine's GPUs are not on its bus (they are simulated, or there are
/// none).
model::Verdict check_baseline(Look look, const Situation& situation);

}  // namespace gpuwright::rules
