// The management controller, sensors that the kernel reads, and DPUs. Asking the controller itself takes
// seconds (ipmitool); its event log is evidence of `doctor`. Source: Documentation/driver-api/ipmi,
// Documentation/hwmon/sysfs-interface, rshim-user-space (misc file), PCI ids of BlueField.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

using Sensors = std::vector<model::SensorFacts>;

/// "temp1_input" holds thousandths of a degree; other kinds are left out.
void read_chip(Probe& probe, const std::string& folder, Sensors& sensors) {
  const auto chip = probe.text(folder + "name");
  const auto names = probe.source().list_directory(folder);
  if (!names || !chip.known()) return;
  for (const std::string& name : *names) {
    if (!name.starts_with("temp") || !name.ends_with("_input") || sensors.size() >= 128) continue;
    const std::string stem = name.substr(0, name.size() - 6);
    const auto label = probe.text(folder + stem + "_label");
    model::SensorFacts sensor;
    sensor.name = Probe::derived(chip.value() + " " + (label.known() ? label.value() : stem), chip);
    sensor.reading = Probe::read_as<double>(probe.integer(folder + name), [](std::int64_t value) {
      return std::optional(static_cast<double>(value) / 1000);
    });
    sensor.unit = probe.found(std::string("degrees C"), folder + name);
    sensor.status = Probe::read_as<std::string>(probe.flag(folder + stem + "_crit_alarm"), [](bool alarm) {
      return std::optional<std::string>(alarm ? "critical" : "ok");
    });
    sensors.push_back(std::move(sensor));
  }
}

Field<Sensors> sensors_of(Probe& probe) {
  const auto chips = probe.names("/sys/class/hwmon");
  if (!chips.known()) return Probe::as_absent<Sensors>(chips);
  Sensors sensors;
  for (const std::string& chip : chips.value()) read_chip(probe, "/sys/class/hwmon/" + chip + "/", sensors);
  return Probe::derived(std::move(sensors), chips);
}

void collect_bmc(Probe& probe, model::BmcFacts& bmc) {
  const auto devices = probe.names("/dev");
  bmc.present = Probe::read_as<bool>(devices, [](const std::vector<std::string>& names) {
    return std::optional(std::find(names.begin(), names.end(), "ipmi0") != names.end());
  });
  const std::string folder = "/sys/class/ipmi/ipmi0/device/";
  bmc.firmware = probe.text("/sys/devices/platform/ipmi_bmc.0/firmware_revision");
  bmc.interface = probe.link_name(folder + "driver");
  bmc.sensors = sensors_of(probe);
}

/// Device ids of the network functions of BlueField-2 and -3 (the pci.ids of pciutils).
const char* bluefield_model(const std::string& device) {
  if (device == "a2d6") return "BlueField-2";
  if (device == "a2dc") return "BlueField-3";
  return nullptr;
}

model::DpuFacts dpu_of(Probe& probe, const model::PciFunction& function, const char* name) {
  model::DpuFacts dpu;
  dpu.pci = function.address;
  dpu.model = Probe::derived(std::string(name), function.device);
  dpu.mode =
      probe.absent<std::string>(AbsentReason::Unsupported, "mlxconfig", "is not asked: it opens the device");
  const auto misc = probe.text("/dev/rshim0/misc");
  const bool attached = misc.known() || probe.exists("/dev/rshim0");
  dpu.rshim = misc.known() || misc.reason() == AbsentReason::NotFound
                  ? Field<std::string>(attached ? "attached" : "not attached", misc.provenance())
                  : Probe::as_absent<std::string>(misc);
  dpu.software = probe.value_of(misc, "BF_VERSION");
  return dpu;
}

Field<std::vector<model::DpuFacts>> dpus_of(Probe& probe, const model::Machine& machine) {
  if (!machine.pci.known()) return Probe::as_absent<std::vector<model::DpuFacts>>(machine.pci);
  std::vector<model::DpuFacts> dpus;
  for (const model::PciFunction& function : machine.pci.value()) {
    const char* name = bluefield_model(model::key_text(function.device));
    const bool first = model::key_text(function.address).ends_with(".0");
    if (model::key_text(function.vendor) == "15b3" && name != nullptr && first)
      dpus.push_back(dpu_of(probe, function, name));
  }
  return Probe::derived(std::move(dpus), machine.pci);
}

}  // namespace

void collect_management(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  collect_bmc(probe, machine.management.bmc);
  machine.management.dpus = dpus_of(probe, machine);
}

}  // namespace gpuwright::facts
