// The NVIDIA driver that runs: module, libraries, firmware, the services that must be of its version. Source:
// NVIDIA driver README (/proc/driver/nvidia), proc_modules(5), Fabric Manager and IMEX user guides.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

bool is_version(std::string_view text) {
  return !text.empty() && text.front() >= '1' && text.front() <= '9' &&
         text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find('.') != std::string_view::npos;
}

/// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build ...".
std::optional<std::string> version_of(const std::string& text) {
  for (const std::string_view line : base::lines(text)) {
    if (!line.starts_with("NVRM version:")) continue;
    for (const std::string_view word : base::words(line)) {
      if (is_version(word)) return std::string(word);
    }
  }
  return std::nullopt;
}

std::optional<std::string> flavour_of(const std::string& text) {
  if (!base::contains(text, "NVRM version:")) return std::nullopt;
  return base::contains(text, "Open Kernel Module") ? "open" : "proprietary";
}

/// nvidia-smi tells of the loaded driver: "Driver Version: 580.95.05" in its table, "DRIVER version : ..." of
/// --version, and a bare number to a query.
Field<std::string> told_version(Probe& probe, const Field<std::string>& not_told) {
  for (const auto& [name, text] : probe.written_beside("nvidia-smi")) {
    const bool queried = base::contains(name, "driver_version");
    for (const std::string_view line : base::lines(text)) {
      const std::string lower = base::lower(line);
      const std::size_t at = queried ? 0 : lower.find("driver version");
      if (at == std::string::npos) continue;
      for (const std::string_view word : base::words(line.substr(at))) {
        const std::string_view number = word.ends_with(',') ? word.substr(0, word.size() - 1) : word;
        if (is_version(number)) return probe.found(std::string(number), name, line);
      }
    }
  }
  return not_told;
}

void collect_loaded(Probe& probe, model::DriverFacts& driver) {
  const auto text = probe.text("/proc/driver/nvidia/version");
  driver.flavour = Probe::read_as<std::string>(text, flavour_of);
  driver.loaded_version = Probe::read_as<std::string>(text, version_of);
  if (!driver.loaded_version.known()) {
    const auto module = probe.text("/sys/module/nvidia/version");
    driver.loaded_version = module.known() ? module : told_version(probe, driver.loaded_version);
  }
  const auto parameters = probe.text("/proc/driver/nvidia/params");
  driver.parameters = Probe::read_as<List>(parameters, [](const std::string& lines) {
    List list;
    for (const std::string_view line : base::lines(lines)) {
      if (list.size() < 200) list.push_back(base::printable(base::trim(line), 200));
    }
    return std::optional<List>(list);
  });
  const auto firmware = probe.value_of(parameters, "EnableGpuFirmware");
  driver.gsp_firmware = Probe::read_as<std::string>(firmware, [](const std::string& value) {
    return std::optional<std::string>(value == "0" ? "off" : "on");
  });
  const auto count = [](const List& names) { return std::optional(static_cast<std::int64_t>(names.size())); };
  driver.gpus_held = Probe::read_as<std::int64_t>(probe.names("/proc/driver/nvidia/gpus"), count);
  driver.nvswitches =
      Probe::read_as<std::int64_t>(probe.names("/proc/driver/nvidia-nvswitch/devices"), count);
}

/// The version in the name behind libNAME.so.1, in the first library folder that has the library.
Field<std::string> library_version_of(Probe& probe, const std::string& library) {
  constexpr std::array<const char*, 7> kFolders = {"/usr/lib/x86_64-linux-gnu",
                                                   "/usr/lib/aarch64-linux-gnu",
                                                   "/usr/lib64",
                                                   "/lib/x86_64-linux-gnu",
                                                   "/usr/lib",
                                                   "/lib64",
                                                   "/usr/lib/wsl/lib"};
  for (const char* folder : kFolders) {
    const std::string link = std::string(folder) + "/" + library + ".so.1";
    const auto name = probe.link_name(link);
    if (!name.known()) continue;
    const std::string version = name.value().substr(std::min(name.value().size(), library.size() + 4));
    if (is_version(version)) return Probe::derived(version, name);
    // A chain of links, or a link to another name: what lies beside it.
    const auto names = probe.names(folder);
    for (const std::string& other : model::each(names)) {
      const std::string suffix = other.starts_with(library + ".so.") ? other.substr(library.size() + 4) : "";
      if (is_version(suffix)) return probe.found(suffix, std::string(folder) + "/" + other);
    }
  }
  return probe.absent<std::string>(AbsentReason::NotFound, library + ".so.1", "in no library folder");
}

/// "Fabric Manager version is : 570.133.20", "IMEX version is: 570.133.20".
Field<std::string> tool_version(Probe& probe, const char* tool) {
  return Probe::read_as<std::string>(probe.said({tool, "--version"}),
                                     [](const std::string& text) -> std::optional<std::string> {
                                       for (const std::string_view word : base::words(text)) {
                                         if (is_version(word)) return std::string(word);
                                       }
                                       return std::nullopt;
                                     });
}

/// Fabric Manager of the host, else the one in the root that the driver's container keeps. Source: deb822(5)
/// of dpkg's status file.
Field<std::string> fabric_manager_of(Probe& probe) {
  auto told = tool_version(probe, "nv-fabricmanager");
  if (told.known() || told.reason() != AbsentReason::NotFound) return told;
  // A person may have asked it elsewhere: `nv-fabricmanager -v`, or in the driver's container.
  for (const auto& [name, text] : probe.written_beside("")) {
    const std::size_t at = text.find("Fabric Manager version is");
    if (at == std::string::npos) continue;
    for (const std::string_view word : base::words(std::string_view(text).substr(at, 80)))
      if (is_version(word)) return probe.found(std::string(word), name, text.substr(at, 80));
  }
  const std::string path = "/run/nvidia/driver/var/lib/dpkg/status";
  const auto status = probe.text(path, Probe::kLarge);
  bool ours = false;
  for (const std::string_view line : base::lines(status.known() ? status.value() : std::string_view())) {
    if (line.starts_with("Package: "))
      ours = line.starts_with("Package: nvidia-fabricmanager") && !base::contains(line, "-dev");
    if (ours && line.starts_with("Version: "))
      return probe.found(base::upstream_version(line.substr(9)), path, line);
  }
  return told;
}

Field<List> firmware_of(Probe& probe) {
  return Probe::read_as<List>(probe.names("/lib/firmware/nvidia"), [](const List& names) {
    List versions;
    std::copy_if(names.begin(), names.end(), std::back_inserter(versions), is_version);
    return std::optional<List>(versions);
  });
}

/// The GPU operator's driver container keeps its own root there.
Field<std::string> container_driver_of(Probe& probe) {
  for (const char* folder : {"/run/nvidia/driver/usr", "/run/nvidia/driver"}) {
    const auto names = probe.names(folder);
    if (names.known() && !names.value().empty())
      return Probe::derived(std::string("/run/nvidia/driver"), names);
  }
  return probe.absent<std::string>(AbsentReason::NotFound, "/run/nvidia/driver",
                                   "no driver of a container there");
}

// Modules whose presence, version or users decide something.
constexpr std::array<std::string_view, 30> kModules = {
    "gdrdrv",     "ib_core",          "ib_isert",  "ib_uverbs",        "mlx5_core",
    "mlx5_ib",    "mlx_compat",       "nova_core", "nouveau",          "nv_peer_mem",
    "nvidia",     "nvidia_drm",       "nvidia_fs", "nvidia_modeset",   "nvidia_peermem",
    "nvidia_uvm", "nvidia_vgpu_vfio", "nvme",      "nvme_rdma",        "nvmet_rdma",
    "rdma_cm",    "rpcrdma",          "vfio",      "vfio_iommu_type1", "vfio_pci",
    "ib_srpt",    "nvidia_cspmu",     "irdma",     "ib_iser",          "ib_srp"};

/// `lsmod | grep nvidia`: a part of the table. What it leaves out is judged only where the driver's own
/// modules were asked for.
Field<std::string> filtered_modules(Probe& probe, const Field<std::string>& not_told) {
  std::string table, name_of_first;
  for (const auto& [name, text] : probe.written_beside("lsmod")) {
    table += text + "\n";
    if (base::contains(name, "nvidia") || base::contains(name, "nouveau") ||
        base::contains(text, "\nnvidia ") || text.starts_with("nvidia "))
      name_of_first = name;
  }
  return name_of_first.empty() ? not_told : probe.found(table, name_of_first, table);
}

/// "nvidia 56717312 213 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (POE)".
Field<std::vector<model::ModuleFacts>> modules_of(Probe& probe) {
  auto table = probe.text("/proc/modules", Probe::kLarge);
  if (!table.known() && !probe.source().live()) {
    auto listed = probe.said({"lsmod"});  // the same columns, without "-" for no holder
    if (!listed.known()) listed = filtered_modules(probe, listed);
    if (listed.known()) table = listed;
  }
  if (!table.known()) return Probe::as_absent<std::vector<model::ModuleFacts>>(table);
  std::vector<model::ModuleFacts> modules;
  for (const std::string_view line : base::lines(table.value())) {
    const auto parts = base::words(line);
    if (parts.size() < 3 || std::find(kModules.begin(), kModules.end(), parts[0]) == kModules.end()) continue;
    model::ModuleFacts module;
    module.name = probe.found(std::string(parts[0]), "/proc/modules", line);
    module.version = probe.text("/sys/module/" + std::string(parts[0]) + "/version");
    module.users =
        Probe::read_as<std::int64_t>(Probe::derived(std::string(parts[2]), module.name),
                                     [](const std::string& users) { return base::parse_int(users); });
    List holders;
    for (const std::string_view holder : base::split(parts.size() > 3 ? parts[3] : "", ',')) {
      if (!holder.empty() && holder != "-") holders.emplace_back(holder);
    }
    module.holders = Probe::derived(std::move(holders), module.name);
    modules.push_back(std::move(module));
  }
  return Probe::derived(std::move(modules), table);
}

}  // namespace

void collect_driver(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::DriverFacts& driver = machine.driver;
  collect_loaded(probe, driver);
  driver.libnvidia_ml_version = library_version_of(probe, "libnvidia-ml");
  driver.libcuda_version = library_version_of(probe, "libcuda");
  driver.firmware_versions = firmware_of(probe);
  driver.fabric_manager_version = fabric_manager_of(probe);
  driver.imex_version = tool_version(probe, "nvidia-imex");
  driver.container_stack_driver = container_driver_of(probe);
  driver.modules = modules_of(probe);
}

}  // namespace gpuwright::facts
