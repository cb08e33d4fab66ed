// The living machine and the mounted disk; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/live_host.h"

#include "base/files.h"
#include "base/text.h"
#include "host/claims.h"
#include "host/holders.h"
#include "host/kmsg.h"
#include "host/nvml_worker.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Where something hangs, the whole look ends in three seconds: tools have until here,
constexpr milliseconds kHaste{2300};
// but so long at least;
constexpr milliseconds kLeast{100};
// and what else may hang has less time.
constexpr NvmlDeadlines kHasty{milliseconds(400), milliseconds(800)};

constexpr std::size_t kMostRead = std::size_t{64} << 20;

/// Plain files of the system's disk, which may also be large: these are read directly. All else (/proc, /sys,
/// /dev, mounts of others) may sleep in the kernel.
bool is_plain(const std::string& path) {
  constexpr auto kFolders = std::to_array<const char*>({"/etc/", "/usr/", "/lib/", "/boot/", "/var/log/"});
  const std::string whole = normal_path(path);
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [&whole](const char* folder) { return whole.starts_with(folder); });
}

/// kThisHost, alone or within an argument, becomes the name before the first dot, as node names are.
std::vector<std::string> with_host_name(std::vector<std::string> argv) {
  for (std::string& argument : argv) {
    if (!base::contains(argument, kThisHost)) continue;
    const auto name = base::read_file("/proc/sys/kernel/hostname", 256);
    const std::string node = name ? name->substr(0, name->find('.')) : "localhost";
    argument = base::replace_all(argument, kThisHost, base::trim(node));
  }
  return argv;
}

}  // namespace

LiveHost::LiveHost(std::string root, const LiveLimits& limits)
    : files_(std::move(root)),
      limits_(limits),
      reader_(std::make_unique<Reader>(files_.root(), limits.reader)),
      tools_(std::make_unique<Tools>()) {}

Result<std::unique_ptr<base::ByteStream>> LiveHost::open_file(const std::string& path) {
  if (is_plain(path)) {
    GPUWRIGHT_TRY(auto fd, files_.open(path));
    return std::unique_ptr<base::ByteStream>(std::make_unique<base::FileStream>(std::move(fd), path));
  }
  GPUWRIGHT_TRY(auto text, reader_->read_file(path, kMostRead));
  return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(std::move(text)));
}

Result<std::string> LiveHost::read_file(const std::string& path, std::size_t limit) {
  return is_plain(path) ? files_.read_file(path, limit) : reader_->read_file(path, limit);
}

Result<std::vector<std::string>> LiveHost::list_directory(const std::string& path) {
  return is_plain(path) ? files_.list_directory(path) : reader_->list_directory(path);
}

Result<std::string> LiveHost::read_link(const std::string& path) {
  return is_plain(path) ? files_.read_link(path) : reader_->read_link(path);
}

Result<base::FileStatus> LiveHost::status_of(const std::string& path) {
  return is_plain(path) ? files_.status_of(path) : reader_->status_of(path);
}

bool LiveHost::in_haste() const {
  return gpu_hangs_ || tool_hangs_ || reader_->hangs() > 0;
}

void LiveHost::expect(const std::vector<ToolCall>& calls) {
  if (!live()) return;
  for (const ToolCall& call : calls) tools_->start({with_host_name(call.argv), call.deadline});
}

Result<CommandAnswer> LiveHost::run(const std::vector<std::string>& argv, milliseconds deadline) {
  if (!live())
    return make_error(ErrorKind::Unsupported, "no commands are run in a sysroot",
                      argv.empty() ? "" : argv.front());
  const auto soon = std::max(begin_ + kHaste, Clock::now() + kLeast);
  auto answer = tools_->run({with_host_name(argv), deadline}, in_haste() ? soon : Clock::time_point::max());
  tool_hangs_ = tool_hangs_ || (answer ? answer->timed_out : answer.error().kind == ErrorKind::TimedOut);
  return answer;
}

Result<std::string> LiveHost::gpu_answers() {
  if (!live()) return Source::gpu_answers();
  auto answers = ask_nvml(in_haste() ? kHasty : limits_.nvml);
  gpu_hangs_ = gpu_hangs_ || (answers && base::contains(*answers, "[no answer after "));
  if (gpu_hangs_) reader_->hurry();
  return answers;
}

Result<std::string> LiveHost::device_holders() {
  if (!live()) return Source::device_holders();
  return find_device_holders("/proc");
}

std::vector<model::LeftBehind> LiveHost::left_behind() {
  return host::left_behind();
}

Result<KernelLog> LiveHost::kernel_log() {
  if (!live())
    return make_error(ErrorKind::Unsupported, "a sysroot has no kernel log in memory", "/dev/kmsg");
  return read_kmsg("/dev/kmsg", limits_.kernel_log);
}

}  // namespace gpuwright::host
