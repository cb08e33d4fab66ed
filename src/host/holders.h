// Which processes hold a device of the driver: it cannot be unloaded, reset or reconfigured under them. Found
// by open file, not by request: a process may hold a GPU that no scheduler gave it. Source: proc_pid_fd(5),
// proc_pid_cgroup(5).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>

namespace gpuwright::host {

/// One line a process, sorted by number, fields parted by tabs: PID, command, control group, devices (parted
/// by blanks). `proc` is the mounted /proc. A last line "denied\tN" counts the processes of others that this
/// user may not look into. Denied when that are all but our own.
base::Result<std::string> find_device_holders(const std::string& proc);

}  // namespace gpuwright::host
