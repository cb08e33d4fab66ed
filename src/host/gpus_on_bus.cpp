// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/gpus_on_bus.h"

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"

namespace gpuwright::host {

namespace {

constexpr std::size_t kSmall = 64;

std::string word_of(const std::string& path) {
  const auto text = base::read_file(path, kSmall);
  return text ? std::string(base::trim(*text)) : std::string();
}

}  // namespace

std::optional<std::vector<GpuOnBus>> gpus_on_bus(const std::string& folder) {
  const auto names = base::list_directory(folder);
  if (!names) return std::nullopt;
  std::vector<GpuOnBus> gpus;
  for (const std::string& name : *names) {
    const std::string device = folder + "/" + name;
    if (word_of(device + "/vendor") != "0x10de" || !word_of(device + "/class").starts_with("0x03")) continue;
    gpus.push_back({name, is_asleep(folder, name)});
  }
  return gpus;
}

bool is_asleep(const std::string& folder, const std::string& address) {
  const auto pci = base::PciAddress::parse(address);
  return pci && word_of(folder + "/" + pci->text() + "/power/runtime_status") == "suspended";
}

}  // namespace gpuwright::host
