// Memory of the host, and what its controllers corrected. Source: proc_meminfo(5),
// Documentation/admin-guide/RAS, Documentation/admin-guide/mm/transhuge.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "facts/kernel_text.h"

namespace gpuwright::facts {

namespace {

Field<base::Bytes> bytes_of(Probe& probe, const Field<std::string>& meminfo, std::string_view key) {
  return Probe::read_as<base::Bytes>(
      probe.value_of(meminfo, key), [](const std::string& text) -> std::optional<base::Bytes> {
        const auto kibibytes = base::parse_number_and_unit(text);
        if (!kibibytes || kibibytes->unit != "kB") return std::nullopt;
        return base::Bytes(static_cast<std::int64_t>(kibibytes->number) * 1024);
      });
}

model::MemoryController controller_of(Probe& probe, const std::string& name) {
  const std::string folder = "/sys/devices/system/edac/mc/" + name + "/";
  model::MemoryController controller;
  controller.name = probe.found(name, folder);
  controller.kind = probe.text(folder + "mc_name");
  controller.corrected = probe.integer(folder + "ce_count");
  controller.uncorrected = probe.integer(folder + "ue_count");
  controller.size =
      Probe::read_as<base::Bytes>(probe.integer(folder + "size_mb"), [](std::int64_t mebibytes) {
        return std::optional<base::Bytes>(base::Bytes(mebibytes * 1024 * 1024));
      });
  return controller;
}

void collect_controllers(Probe& probe, model::MemoryFacts& memory) {
  const auto names = probe.names("/sys/devices/system/edac/mc");
  if (!names.known()) {
    memory.controllers = Probe::as_absent<std::vector<model::MemoryController>>(names);
    return;
  }
  std::vector<model::MemoryController> controllers;
  for (const std::string& name : names.value()) {
    if (name.starts_with("mc")) controllers.push_back(controller_of(probe, name));
  }
  memory.controllers = Probe::derived(std::move(controllers), names);
}

/// "size=67108864k" of the mount of /dev/shm; without it half of the memory
/// (Documentation/filesystems/tmpfs).
Field<base::Bytes> shared_memory_of(Probe& probe, const Field<base::Bytes>& total) {
  const auto mounts = probe.text("/proc/self/mounts", Probe::kLarge);
  if (!mounts.known()) return Probe::as_absent<base::Bytes>(mounts);
  for (const std::string_view line : base::lines(mounts.value())) {
    const auto parts = base::words(line);
    if (parts.size() < 4 || parts[1] != "/dev/shm") continue;
    for (const std::string_view option : base::split(parts[3], ',')) {
      if (!option.starts_with("size=")) continue;
      const auto kibibytes = base::parse_number_and_unit(option.substr(5));
      if (kibibytes && kibibytes->unit == "k")
        return probe.found(base::Bytes(static_cast<std::int64_t>(kibibytes->number) * 1024),
                           "/proc/self/mounts", line);
    }
    if (total.known()) return probe.found(base::Bytes(total.value().count() / 2), "/proc/self/mounts", line);
  }
  return probe.absent<base::Bytes>(AbsentReason::NotFound, "/proc/self/mounts",
                                   "nothing is mounted at /dev/shm");
}

}  // namespace

void collect_memory(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::MemoryFacts& memory = machine.memory;
  const auto meminfo = probe.text("/proc/meminfo");
  memory.total = bytes_of(probe, meminfo, "MemTotal");
  memory.available = bytes_of(probe, meminfo, "MemAvailable");
  memory.swap_total = bytes_of(probe, meminfo, "SwapTotal");
  memory.hugepage_size = bytes_of(probe, meminfo, "Hugepagesize");
  memory.hugepages_total = Probe::integer_of(probe.value_of(meminfo, "HugePages_Total"));
  memory.hugepages_free = Probe::integer_of(probe.value_of(meminfo, "HugePages_Free"));
  memory.transparent_hugepages =
      Probe::read_as<std::string>(probe.text("/sys/kernel/mm/transparent_hugepage/enabled"), chosen_of);
  memory.shared_memory = shared_memory_of(probe, memory.total);
  collect_controllers(probe, memory);
}

}  // namespace gpuwright::facts
