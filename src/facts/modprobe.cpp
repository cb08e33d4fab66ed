// What steers the loading of modules, and what the initramfs brings before that. Source: modprobe.d(5) (only
// names that end in .conf are read), lsinitramfs(8), lsinitrd(1).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

/// Modules whose options and blacklists decide something here.
bool concerns_us(std::string_view module) {
  constexpr std::array<std::string_view, 8> kPrefixes = {"nvidia", "nouveau", "nova", "vfio",
                                                         "mlx",    "ib_",     "nvme", "nv_peer"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [module](std::string_view prefix) { return module.starts_with(prefix); });
}

std::optional<model::ModprobeFile> file_of(Probe& probe, const std::string& path) {
  const auto content = probe.text(path);
  model::ModprobeFile file;
  file.path = probe.found(path, path);
  file.is_read = Probe::derived(path.ends_with(".conf"), file.path);
  if (!content.known()) {
    file.blacklists = Probe::as_absent<List>(content);
    file.options = Probe::as_absent<List>(content);
    return file;
  }
  List blacklists, options;
  for (const std::string_view line : base::lines(content.value())) {
    const auto parts = base::words(line);
    if (parts.size() < 2 || !concerns_us(parts[1])) continue;
    if (parts[0] == "blacklist") blacklists.push_back(base::printable(parts[1], 60));
    if (parts[0] == "install" && parts.size() > 2 &&
        (parts[2] == "/bin/false" || parts[2] == "/bin/true" || parts[2] == "/usr/bin/false"))
      blacklists.push_back(base::printable(parts[1], 60));
    if (parts[0] == "options")
      options.push_back(base::printable(base::trim(base::trim(line).substr(7)), 300));
  }
  if (blacklists.empty() && options.empty()) return std::nullopt;
  file.blacklists = Probe::derived(std::move(blacklists), content);
  file.options = Probe::derived(std::move(options), content);
  return file;
}

Field<std::vector<model::ModprobeFile>> files_of(Probe& probe) {
  std::vector<model::ModprobeFile> files;
  Field<List> read;
  for (const char* folder : {"/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d"}) {
    const auto names = probe.names(folder);
    if (!names.known() && read.provenance() != 0) continue;
    if (!read.known()) read = names;
    for (const std::string& name : model::each(names)) {
      if (files.size() >= 200) break;
      auto file = file_of(probe, std::string(folder) + "/" + name);
      if (file) files.push_back(std::move(*file));
    }
  }
  if (!read.known()) return Probe::as_absent<std::vector<model::ModprobeFile>>(read);
  return Probe::derived(std::move(files), read);
}

/// Listing an initramfs takes a second, so it is asked only where nouveau is loaded although it should not
/// be.
void collect_initramfs(Probe& probe, model::Machine& machine) {
  model::DriverFacts& driver = machine.driver;
  const auto& modules = model::each(driver.modules);
  const bool nouveau = std::any_of(modules.begin(), modules.end(), [](const model::ModuleFacts& module) {
    return module.key() == "nouveau";
  });
  if (!nouveau || !machine.os.kernel.known()) {
    driver.nouveau_in_initramfs = probe.absent<bool>(AbsentReason::Unsupported, "initramfs",
                                                     "is looked at only where nouveau is loaded");
    driver.nvidia_in_initramfs = driver.nouveau_in_initramfs;
    return;
  }
  const std::string& kernel = machine.os.kernel.value();
  auto listing = probe.said({"lsinitramfs", "/boot/initrd.img-" + kernel}, std::chrono::seconds(10));
  if (!listing.known()) listing = probe.said({"lsinitrd", "-k", kernel}, std::chrono::seconds(10));
  const auto holds = [&listing](const char* file) {
    return Probe::read_as<bool>(
        listing, [file](const std::string& text) { return std::optional(base::contains(text, file)); });
  };
  driver.nouveau_in_initramfs = holds("/nouveau.ko");
  driver.nvidia_in_initramfs = holds("/nvidia.ko");
}

}  // namespace

void collect_modprobe(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  machine.driver.modprobe_files = files_of(probe);
  collect_initramfs(probe, machine);
}

}  // namespace gpuwright::facts
