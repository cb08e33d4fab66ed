// Appending to the log under a lock that all processes take.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/kernel_log.h"

#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>

namespace gpuwright::fakegpu {

void KernelLog::write(const std::vector<std::string>& lines) {
  if (path_.empty() || written_ >= lines.size()) return;
  const base::Fd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.valid() || ::flock(file.get(), LOCK_EX) != 0) return;
  const auto before = "\n" + base::read_file(path_, std::size_t{64} << 20).value_or("");
  std::string added;
  for (; written_ < lines.size(); ++written_) {
    const std::string line = lines[written_] + "\n";
    if (before.find("\n" + line) == std::string::npos) added += line;
  }
  const auto done = base::write_all(file.get(), added, path_);
  static_cast<void>(done);  // a full disk loses lines of a simulated log, no more
}

}  // namespace gpuwright::fakegpu
