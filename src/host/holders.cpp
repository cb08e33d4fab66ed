// SPDX-License-Identifier: Apache-2.0
#include "host/holders.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace gpuwright::host {

namespace {

constexpr std::size_t kMostProcesses = 65'536;
constexpr std::size_t kMostFiles = 65'536;

bool is_driver_device(std::string_view target) {
  return target.starts_with("/dev/nvidia") || target.starts_with("/dev/nvsw");
}

std::string first_line(const std::string& path) {
  const auto text = base::read_file(path, 4096);
  return text ? base::printable(base::trim(text->substr(0, text->find('\n'))), 200) : std::string();
}

/// "0::/system.slice/docker.service" without what stands before the path.
std::string control_group(const std::string& path) {
  const std::string line = first_line(path);
  const std::size_t at = line.find(":/");
  return at == std::string::npos ? line : line.substr(at + 1);
}

/// Devices among the open files; nothing when the folder may not be listed.
base::Result<std::vector<std::string>> devices_of(const std::string& folder) {
  GPUWRIGHT_TRY(auto names, base::list_directory(folder + "/fd"));
  names.resize(std::min(names.size(), kMostFiles));
  std::vector<std::string> devices;
  for (const std::string& name : names) {
    const auto target = base::read_link(folder + "/fd/" + name);
    if (!target || !is_driver_device(*target)) continue;
    const std::string device = base::printable(*target, 100);
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

}  // namespace

base::Result<std::string> find_device_holders(const std::string& proc) {
  GPUWRIGHT_TRY(const auto names, base::list_directory(proc));
  std::vector<std::int64_t> processes;
  for (const std::string& name : names) {
    const auto number = base::parse_int(name);
    if (number && processes.size() < kMostProcesses) processes.push_back(*number);
  }
  std::sort(processes.begin(), processes.end());
  std::string text;
  std::size_t denied = 0, looked = 0;
  for (const std::int64_t process : processes) {
    const std::string folder = fmt::format("{}/{}", proc, process);
    const auto devices = devices_of(folder);
    denied += !devices && devices.error().kind == base::ErrorKind::Denied ? 1 : 0;
    looked += devices ? 1 : 0;
    if (!devices || devices->empty()) continue;
    text += fmt::format("{}\t{}\t{}\t{}\n", process, first_line(folder + "/comm"),
                        control_group(folder + "/cgroup"), base::join(*devices, " "));
  }
  if (looked == 0 && denied > 0)
    return base::make_error(base::ErrorKind::Denied, "open files of others are hidden", proc);
  if (denied > 0) text += fmt::format("denied\t{}\n", denied);
  return text;
}

}  // namespace gpuwright::host
