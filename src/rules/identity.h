// One GPU has many names: PCI address in the kernel log, index in nvidia-smi, UUID in Kubernetes. Where some
// evidence ties two names together, all events use the PCI address.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/observations.h"

namespace gpuwright::rules {

/// Rewrites the subjects of all events to the PCI address where an event's parameters tie it to an index
/// (`gpu` with `gpu_index`) or a UUID
/// (`gpu` with `uuid`); and fills in the machine's name where only one occurs.
void unify_identities(model::Observations& observations);

}  // namespace gpuwright::rules
