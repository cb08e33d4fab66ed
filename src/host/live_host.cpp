// The living machine and the mounted disk; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/live_host.h"

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "host/kmsg.h"
#include "host/nvml_worker.h"

#include <fmt/core.h>

#include <deque>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr int kMaxLinks = 40;  // as the kernel's own limit
constexpr std::chrono::milliseconds kReadDeadline{5000};

std::deque<std::string> parts_of(const std::string& path) {
  std::deque<std::string> parts;
  for (const auto part : base::split(path, '/')) {
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return parts;
}

/// Files whose reading asks the GPU driver or the device: on a sick machine the reader may sleep in the
/// kernel for ever.
bool may_block(std::string_view path) {
  return path.starts_with("/proc/driver/nvidia") || path.ends_with("_link_speed") ||
         path.ends_with("_link_width") || path.starts_with("/sys/class/infiniband/");
}

}  // namespace

LiveHost::LiveHost(std::string root) : root_(std::move(root)) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

Result<std::string> LiveHost::resolve(const std::string& path, LastLink last) const {
  if (root_.empty()) return path;
  std::deque<std::string> ahead = parts_of(path);
  std::vector<std::string> behind;
  int links = 0;
  while (!ahead.empty()) {
    const std::string part = ahead.front();
    ahead.pop_front();
    if (part == "..") {
      if (!behind.empty()) behind.pop_back();  // ".." of the root is the root
      continue;
    }
    behind.push_back(part);
    if (ahead.empty() && last == LastLink::Keep) break;
    const auto target = base::read_link(root_ + "/" + base::join(behind, "/"));
    if (!target) continue;  // not a link
    if (++links > kMaxLinks) return make_error(ErrorKind::Malformed, "too many links", path);
    behind.pop_back();
    if (target->starts_with('/')) behind.clear();
    const auto detour = parts_of(*target);
    ahead.insert(ahead.begin(), detour.begin(), detour.end());
  }
  return root_ + "/" + base::join(behind, "/");
}

Result<std::unique_ptr<base::ByteStream>> LiveHost::open_file(const std::string& path) {
  if (live() && may_block(path)) return open_in_child(path);
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Follow));
  auto fd = base::open_for_reading(real);
  if (!fd) return make_error(fd.error().kind, fd.error().message, path);
  return std::unique_ptr<base::ByteStream>(std::make_unique<base::FileStream>(std::move(fd).value(), path));
}

Result<std::unique_ptr<base::ByteStream>> LiveHost::open_in_child(const std::string& path) {
  GPUWRIGHT_TRY([[maybe_unused]] const auto kind, base::kind_of(path));
  GPUWRIGHT_TRY(auto answer, run({"cat", "--", path}, kReadDeadline));
  if (answer.timed_out) {
    return make_error(ErrorKind::TimedOut,
                      fmt::format("no answer after {} s: the driver or the device hangs",
                                  std::chrono::duration_cast<std::chrono::seconds>(kReadDeadline).count()),
                      path);
  }
  if (answer.status != 0) return make_error(ErrorKind::Denied, "cannot be read", path);
  return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(std::move(answer.output)));
}

Result<std::vector<std::string>> LiveHost::list_directory(const std::string& path) {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Follow));
  auto names = base::list_directory(real);
  if (!names) return make_error(names.error().kind, names.error().message, path);
  return names;
}

Result<std::string> LiveHost::read_link(const std::string& path) {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Keep));
  auto target = base::read_link(real);
  if (!target) return make_error(target.error().kind, target.error().message, path);
  return target;
}

Result<CommandAnswer> LiveHost::run(const std::vector<std::string>& argv,
                                    std::chrono::milliseconds deadline) {
  if (!live())
    return make_error(ErrorKind::Unsupported, "no commands are run in a sysroot",
                      argv.empty() ? "" : argv.front());
  base::ProcessOptions options;
  options.deadline = deadline;
  GPUWRIGHT_TRY(auto result, base::run_process(argv, options));
  CommandAnswer answer;
  answer.status = result.status;
  answer.signal = result.signal;
  answer.timed_out = result.timed_out;
  answer.output_cut = result.output_cut;
  answer.output = std::move(result.output);
  answer.errors = std::move(result.errors);
  return answer;
}

Result<std::string> LiveHost::gpu_answers() {
  if (!live()) return Source::gpu_answers();
  return ask_nvml();
}

Result<KernelLog> LiveHost::kernel_log() {
  if (!live())
    return make_error(ErrorKind::Unsupported, "a sysroot has no kernel log in memory", "/dev/kmsg");
  return read_kmsg();
}

}  // namespace gpuwright::host
