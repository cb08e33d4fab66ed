// Where the history of this machine stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gpuwright::app {

/// For the daemon: root's is /var/lib/gpuwright/history.db; a service's stands in $STATE_DIRECTORY (systemd),
/// a user's in his own folder for state (XDG Base Directory Specification).
std::string history_to_write();
/// For who asks: the same; of a user who has none the machine's.
std::string history_to_read();

}  // namespace gpuwright::app
