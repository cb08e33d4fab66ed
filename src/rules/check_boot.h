// Checks of what the boot decides: who may load which module.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// Under Secure Boot the module is signed with a key that the firmware knows. Source: mokutil(1), kernel
/// Documentation/admin-guide/module-signing.
model::Verdict check_module_signature(Look look, const Situation& situation);
/// nouveau does not hold the GPUs. Source: modprobe.d(5), dracut.cmdline(7).
model::Verdict check_nouveau_is_out(Look look, const Situation& situation);
/// Every file that is meant to steer modprobe is read. Source: modprobe.d(5).
model::Verdict check_modprobe_files_are_read(Look look, const Situation& situation);

}  // namespace gpuwright::rules
