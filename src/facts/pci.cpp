// The PCI bus: those functions that matter to GPUs, and the ports above them. Source:
// Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats; PCI Code and ID Assignment
// Specification 1.16 (classes).
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpuwright::facts {

namespace {

const std::string kBus = "/sys/bus/pci/devices";
constexpr std::size_t kMostFunctions = 4096;

/// "0x030200" is class 03 (display), subclass 02 (3D controller).
std::optional<std::string> class_of(const std::string& text) {
  if (!text.starts_with("0x") || text.size() < 6) return std::nullopt;
  return text.substr(2, 4);
}

std::optional<std::string> without_prefix(const std::string& text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return text.substr(2);
}

/// Display, NVSwitch and other bridges of NVIDIA, network, InfiniBand (0207), mass storage.
bool matters(const std::string& class_code, const std::string& vendor) {
  return class_code.starts_with("03") || class_code.starts_with("02") || class_code.starts_with("01") ||
         vendor == "10de" || (vendor == "15b3" && class_code.starts_with("08"));
}

/// "16.0 GT/s PCIe"; "Unknown" where the device does not answer.
std::optional<double> speed_of(const std::string& text) {
  const auto speed = base::parse_number_and_unit(text);
  if (!speed || !speed->unit.starts_with("GT/s")) return std::nullopt;
  return speed->number;
}

/// Regions of `resource`: start, end and flags in hex, one line each; the first six are the BARs. A region
/// that the firmware could not place has no start but a size. Flag 0x200 is memory (include/linux/ioport.h).
struct Bars {
  std::int64_t largest = 0, all = 0, unassigned = 0;
};

std::optional<Bars> bars_of(const std::string& text) {
  constexpr std::uint64_t kMemory = 0x200;
  Bars bars;
  std::size_t at = 0;
  for (const std::string_view line : base::lines(text)) {
    const auto parts = base::words(line);
    if (at++ >= 6) break;
    if (parts.size() != 3) return std::nullopt;
    const auto start = base::parse_hex(parts[0]), end = base::parse_hex(parts[1]),
               flags = base::parse_hex(parts[2]);
    if (!start || !end || !flags) return std::nullopt;
    if ((*flags & kMemory) == 0 || *end < *start) continue;
    if (*start == 0 && *end == 0) continue;
    const auto size = static_cast<std::int64_t>((*end - *start) & 0x7fff'ffff'ffff'ffff) + 1;
    bars.largest = std::max(bars.largest, size);
    bars.all += size;
    bars.unassigned += *start == 0 ? 1 : 0;
  }
  return bars;
}

/// The last line of an AER statistics file: "TOTAL_ERR_COR 12".
std::optional<std::int64_t> aer_total(const std::string& text) {
  for (const std::string_view line : base::lines(text)) {
    const auto parts = base::words(line);
    if (parts.size() == 2 && parts[0].starts_with("TOTAL_ERR")) return base::parse_int(parts[1]);
  }
  return std::nullopt;
}

/// The port above: the last but one part of the device's real path
/// "../../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0".
std::optional<std::string> parent_of(const std::string& target) {
  const auto parts = base::split(target, '/');
  if (parts.size() < 2) return std::nullopt;
  const auto above = base::PciAddress::parse(parts[parts.size() - 2]);
  return above && !parts[parts.size() - 2].starts_with("pci") ? above->text() : "none";
}

class PciCollector {
 public:
  explicit PciCollector(Probe& probe) : probe_(probe) {}

  model::PciFunction read(const std::string& address) {
    const std::string folder = kBus + "/" + address + "/";
    model::PciFunction function;
    function.address = probe_.found(address, folder);
    function.vendor = Probe::read_as<std::string>(probe_.text(folder + "vendor"), without_prefix);
    function.device = Probe::read_as<std::string>(probe_.text(folder + "device"), without_prefix);
    function.class_code = Probe::read_as<std::string>(probe_.text(folder + "class"), class_of);
    return function;
  }

  /// The rest: only for those that matter, as each file is one more question.
  void complete(model::PciFunction& function) {
    const std::string folder = kBus + "/" + function.address.value() + "/";
    identity(folder, function);
    link(folder, function);
    const auto bars = Probe::read_as<Bars>(probe_.text(folder + "resource"), bars_of);
    const auto take = [&bars](std::int64_t Bars::*member) {
      return bars.known() ? Probe::derived(bars.value().*member, bars) : Probe::as_absent<std::int64_t>(bars);
    };
    const auto size = [&](std::int64_t Bars::*member) {
      return Probe::read_as<base::Bytes>(
          take(member), [](std::int64_t bytes) { return std::optional(base::Bytes(bytes)); });
    };
    function.largest_bar = size(&Bars::largest);
    function.bars = size(&Bars::all);
    function.unassigned_bars = take(&Bars::unassigned);
    function.aer_corrected =
        Probe::read_as<std::int64_t>(probe_.text(folder + "aer_dev_correctable"), aer_total);
    function.aer_nonfatal = Probe::read_as<std::int64_t>(probe_.text(folder + "aer_dev_nonfatal"), aer_total);
    function.aer_fatal = Probe::read_as<std::int64_t>(probe_.text(folder + "aer_dev_fatal"), aer_total);
    function.virtual_functions = probe_.integer(folder + "sriov_numvfs");
    function.virtual_functions_max = probe_.integer(folder + "sriov_totalvfs");
    function.reset_methods = probe_.text(folder + "reset_method");
    function.power_state = probe_.text(folder + "power_state");
    function.acs_redirect = Probe::as_absent<bool>(acs_place());
  }

 private:
  void identity(const std::string& folder, model::PciFunction& function) {
    const auto vendor = probe_.text(folder + "subsystem_vendor"),
               device = probe_.text(folder + "subsystem_device");
    function.subsystem =
        Probe::read_as<std::string>(vendor, [&device](const std::string& text) -> std::optional<std::string> {
          if (!device.known()) return std::nullopt;
          return base::replace_all(text + ":" + device.value(), "0x", "");
        });
    function.driver = probe_.link_name(folder + "driver");
    if (!function.driver.known() && function.driver.reason() == AbsentReason::NotFound)
      function.driver = Field<std::string>("none", function.driver.provenance());
    const auto real = probe_.source().read_link(kBus + "/" + function.address.value());
    function.parent =
        real ? Probe::read_as<std::string>(probe_.found(*real, kBus + "/" + function.address.value()),
                                           parent_of)
             : probe_.absent<std::string>(reason_of(real.error().kind), folder, real.error().message);
    function.numa_node = probe_.integer(folder + "numa_node");
    function.iommu_group = probe_.link_name(folder + "iommu_group");
    function.group_members = members_of(folder, function);
  }

  /// All functions of the group with their drivers, of whatever class: a guest gets all of them or none.
  Field<std::vector<std::string>> members_of(const std::string& folder, const model::PciFunction& function) {
    using List = std::vector<std::string>;
    if (!function.iommu_group.known()) return Probe::as_absent<List>(function.iommu_group);
    if (model::key_text(function.vendor) != "10de")
      return Field<List>(Absent{AbsentReason::Unsupported}, function.iommu_group.provenance());
    auto names = probe_.names("/sys/kernel/iommu_groups/" + function.iommu_group.value() + "/devices");
    if (!names.known()) names = probe_.names(folder + "iommu_group/devices");
    if (!names.known()) return names;
    List members;
    for (const std::string& name : names.value()) {
      const auto driver = probe_.source().read_link(kBus + "/" + name + "/driver");
      const std::size_t slash = driver ? driver->rfind('/') : std::string::npos;
      members.push_back(name + " " + (driver ? driver->substr(slash + 1) : std::string("none")));
    }
    return Probe::derived(std::move(members), names);
  }

  void link(const std::string& folder, model::PciFunction& function) {
    function.speed = Probe::read_as<double>(probe_.text(folder + "current_link_speed"), speed_of);
    function.speed_max = Probe::read_as<double>(probe_.text(folder + "max_link_speed"), speed_of);
    function.width = probe_.integer(folder + "current_link_width");
    function.width_max = probe_.integer(folder + "max_link_width");
  }

  /// ACS stands in the configuration space beyond byte 64, which only root may read; lspci shows it.
  Field<bool> acs_place() {
    if (acs_.provenance() == 0)
      acs_ = probe_.absent<bool>(AbsentReason::Denied, "PCI configuration space",
                                 "root reads it (lspci -vv shows ACSCtl)");
    return acs_;
  }

  Probe& probe_;
  Field<bool> acs_;
};

std::vector<model::PciFunction> functions_of(Probe& probe, const std::vector<std::string>& names) {
  PciCollector collector(probe);
  std::map<std::string, model::PciFunction> all;
  std::set<std::string> wanted;
  for (const std::string& name : names) {
    if (all.size() >= kMostFunctions || !base::PciAddress::parse(name)) continue;
    model::PciFunction function = collector.read(name);
    if (matters(model::key_text(function.class_code), model::key_text(function.vendor))) wanted.insert(name);
    all.emplace(name, std::move(function));
  }
  std::vector<std::string> open(wanted.begin(), wanted.end());
  while (!open.empty()) {  // and the ports above them
    const std::string name = open.back();
    open.pop_back();
    model::PciFunction& function = all[name];
    collector.complete(function);
    const std::string parent = model::key_text(function.parent);
    if (all.count(parent) != 0 && wanted.insert(parent).second) open.push_back(parent);
  }
  std::vector<model::PciFunction> functions;
  for (const std::string& name : wanted) functions.push_back(std::move(all[name]));
  return functions;
}

}  // namespace

void collect_pci(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  const auto names = probe.names(kBus);
  if (!names.known()) {
    machine.pci = Probe::as_absent<std::vector<model::PciFunction>>(names);
    return;
  }
  machine.pci = Probe::derived(functions_of(probe, names.value()), names);
}

}  // namespace gpuwright::facts
