// The kernel's log. /dev/kmsg gives one record a read, with a sequence number: a gap in the numbers tells how
// many records were overwritten before we came to them. Programs may write into it too; their records carry
// another facility and must not pass as the kernel's word. Source: Documentation/ABI/testing/dev-kmsg,
// systemd.journal-fields(7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/source.h"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gpuwright::host {

/// One read(2) of /dev/kmsg: the length, 0 at the end, or minus errno.
using ReadRecord = std::function<ssize_t(char* buffer, std::size_t size)>;

/// Reads records to the end (EAGAIN). Bounded: between `limit` and twice as many bytes of text are kept, the
/// newest.
base::Result<KernelLog> read_kernel_records(const ReadRecord& read,
                                            std::size_t limit = std::size_t{64} << 20);

/// The same from /dev/kmsg itself, without waiting. Errors: Denied (kernel.dmesg_restrict without
/// CAP_SYSLOG), NotFound (a container).
base::Result<KernelLog> read_kmsg(const std::string& path = "/dev/kmsg",
                                  std::size_t limit = std::size_t{64} << 20);

/// The kernel's records in the output of `journalctl -k -o json`. Malformed when no line is such a record.
base::Result<KernelLog> kernel_log_from_journal(std::string_view json_lines);

}  // namespace gpuwright::host
