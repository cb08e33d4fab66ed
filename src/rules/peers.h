// The odd one out. Machines (or GPUs) that do the same work are set up the same, so what one of them has and
// a clear majority has not is where to look first. Nothing is presumed of what a fact should be: what differs
// everywhere (serial numbers, addresses, times) says nothing and drops out by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/fact_guilt.h"
#include "model/difference.h"
#include "model/snapshot.h"

#include <vector>

namespace gpuwright::rules {

/// Compares machines with each other. A machine is odd in a fact when two thirds or more of those where the
/// fact is known (and at least two) agree on another value; a fact that could not be read is no difference,
/// one that is not there is. Of two machines the second is told to differ from the first. The order given
/// does not matter else.
model::PeerReport compare_peers(std::vector<model::Snapshot> machines, const catalog::FactGuilt& guilt);

/// The GPUs of a machine, each as a machine of its own: facts of the GPU ("gpus[].vbios") and of its PCI
/// function ("pci[].width").
std::vector<model::Snapshot> gpus_of(const model::Snapshot& machine);

}  // namespace gpuwright::rules
