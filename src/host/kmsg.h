// The kernel's log. /dev/kmsg gives one record a read, with a sequence number: a gap in the numbers tells how
// many records were overwritten before we came to them. Programs may write into it too; their records carry
// another facility and must not pass as the kernel's word. Source: Documentation/ABI/testing/dev-kmsg,
// systemd.journal-fields(7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "host/source.h"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

/// One record.
struct KernelRecord {
  std::int64_t sequence = 0;
  std::int64_t microseconds = 0;  ///< since boot
  bool of_kernel = false;         ///< false: a program wrote it
  std::string message;            ///< may hold line ends
};
/// "6,1234,98765,-;NVRM: ..." and the lines of its dictionary behind it, which are left out. Empty for
/// anything else.
std::optional<KernelRecord> parse_kernel_record(std::string_view text);

/// Reads new records as they come. Does not wait: poll descriptor().
class KernelLogFollower {
 public:
  /// From now on. Errors as read_kmsg. A path that is no device is read as a stream of records of one line
  /// each, which is what tests feed.
  static base::Result<KernelLogFollower> open(const std::string& path = "/dev/kmsg");
  int descriptor() const { return fd_.get(); }
  /// At most `most` records that are there now, the kernel's and others'. False: there may be more.
  bool read(std::vector<KernelRecord>& records, std::size_t most);
  /// Records that were overwritten before we read them, so far.
  std::uint64_t lost() const { return lost_; }
  /// The stream has ended, or cannot be read any more.
  bool ended() const { return ended_; }

 private:
  void take(std::string_view text, std::vector<KernelRecord>& records);
  base::Fd fd_;
  bool device_ = true;
  bool ended_ = false;
  std::string pending_;  ///< of a stream
  std::optional<std::int64_t> expected_;
  std::uint64_t lost_ = 0;
};

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
