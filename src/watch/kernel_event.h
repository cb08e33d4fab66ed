// Which records of the kernel's log are worth remembering: what the driver says, and what is said of its
// GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/kmsg.h"
#include "model/history.h"
#include "model/node_state.h"

#include <optional>

namespace gpuwright::watch {

/// The event of a record, of the kinds "xid", "sxid", "driver" or "pci"; nothing where it is about something
/// else. A program's record becomes one only where it looks like the driver's, and is unverified.
std::optional<model::HistoryEvent> kernel_event(const host::KernelRecord& record,
                                                const model::NodeState& state);

}  // namespace gpuwright::watch
