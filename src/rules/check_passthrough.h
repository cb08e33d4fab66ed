// Checks of GPUs that are passed to guests, from the host and from inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// All endpoints of a passed GPU's group belong to the guest. Source: Documentation/driver-api/vfio.
model::Verdict check_group_viable(Look look, const Situation& situation);
/// The guest gave each GPU its memory windows. Source: OVMF, PCI firmware specification.
model::Verdict check_guest_bars(Look look, const Situation& situation);
/// A guest's address space holds its memory and its GPUs. Source: libvirt domain XML, OVMF.
model::Verdict check_guest_definition(Look look, const Situation& situation);
/// A GPU of a confidential guest is reset so that its session ends. Source: NVIDIA confidential computing.
model::Verdict check_confidential_reset(Look look, const Situation& situation);
/// On AMD hosts a guest of a tebibyte leaves the hole below it out. Source: QEMU 7.1 changelog.
model::Verdict check_terabyte_hole(Look look, const Situation& situation);

}  // namespace gpuwright::rules
