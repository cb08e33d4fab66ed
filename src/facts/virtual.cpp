// Guests that this host defines, and what is prepared for them. Source: libvirt domain XML format, qm.conf(5)
// of Proxmox VE, Documentation/driver-api/vfio-mediated-device, NVIDIA vGPU user guide (vendor VFIO), kernel
// parameters of kvm_intel and kvm_amd.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "facts/collector.h"
#include "kit/xml.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;
using Guests = std::vector<model::GuestFacts>;

constexpr std::size_t kMostGuests = 128;
constexpr const char* kLibvirt = "/etc/libvirt/qemu";
constexpr const char* kProxmox = "/etc/pve/qemu-server";

/// libvirt counts KiB where no unit stands; "K", "KiB", "MiB", "G" ... are powers of two, "KB" of ten.
std::optional<base::Bytes> bytes_of(const kit::XmlNode& memory) {
  const auto number = base::parse_int(memory.text);
  const std::string unit = memory.attribute("unit").empty() ? "KiB" : memory.attribute("unit");
  if (!number || *number < 0 || *number > (std::int64_t{1} << 40)) return std::nullopt;
  std::int64_t factor = 1;
  const std::int64_t base = unit.size() == 2 && unit[1] == 'B' ? 1000 : 1024;
  const std::size_t power = std::string_view("bKMGT").find(unit.front());
  for (std::size_t at = 0; power != std::string_view::npos && at < power; ++at) factor *= base;
  if (*number > (std::int64_t{1} << 62) / factor) return std::nullopt;
  return base::Bytes(*number * factor);
}

std::string address_of(const kit::XmlNode& address) {
  const auto part = [&](const char* name) { return base::parse_hex(address.attribute(name)).value_or(0); };
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", part("domain"), part("bus"), part("slot"),
                     part("function"));
}

void collect_hostdevs(const kit::XmlNode& devices, List& functions, List& mediated) {
  for (const kit::XmlNode& device : devices.children) {
    const kit::XmlNode& address = device["source"]["address"];
    if (device.name != "hostdev" || functions.size() + mediated.size() >= 128) continue;
    if (device.attribute("type") == "pci") functions.push_back(address_of(address));
    if (device.attribute("type") == "mdev")
      mediated.push_back(base::printable(address.attribute("uuid"), 60));
  }
}

/// "name=opt/ovmf/X-PciMmio64Mb,string=262144" wherever it stands.
std::optional<std::int64_t> window_in(std::string_view text) {
  const std::size_t at = text.find("X-PciMmio64Mb");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t value = text.find("string=", at);
  if (value == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(value + 7);
  return base::parse_int(rest.substr(0, rest.find_first_not_of("0123456789")));
}

class GuestReader {
 public:
  GuestReader(Probe& probe, Guests& guests) : probe_(probe), guests_(guests) {}

  void libvirt(const std::string& path, const Field<std::string>& text) {
    const kit::XmlDocument document = kit::parse_xml(text.value());
    const kit::XmlNode& domain = document.root["domain"];
    if (domain.empty()) return;
    model::GuestFacts guest = start(path, text, domain["name"].text);
    const auto memory = bytes_of(domain["memory"]);
    guest.memory = memory ? Probe::derived(*memory, text) : missing<base::Bytes>(text);
    guest.machine = said(domain["os"]["type"].attribute("machine"), text);
    const bool efi = domain["os"].attribute("firmware") == "efi" || !domain["os"]["loader"].empty();
    guest.firmware = Probe::derived(std::string(efi ? "efi" : "bios"), text);
    const kit::XmlNode& bits = domain["cpu"]["maxphysaddr"];
    guest.address_bits = Probe::derived(bits.empty()                              ? std::string("default")
                                        : bits.attribute("mode") == "passthrough" ? std::string("host")
                                                                                  : bits.attribute("bits"),
                                        text);
    List functions, mediated;
    collect_hostdevs(domain["devices"], functions, mediated);
    finish(std::move(guest), text, std::move(functions), std::move(mediated));
  }

  /// "memory: 524288", "machine: q35", "bios: ovmf", "cpu: host,phys-bits=host", "hostpci0:
  /// 0000:17:00,pcie=1".
  void proxmox(const std::string& path, const Field<std::string>& whole) {
    // Snapshots follow as sections of their own.
    const auto text = Probe::derived(whole.value().substr(0, whole.value().find("\n[")), whole);
    model::GuestFacts guest = start(path, text, model::key_text(probe_.value_of(text, "name")));
    guest.memory = Probe::read_as<base::Bytes>(
        probe_.value_of(text, "memory"), [](const std::string& value) -> std::optional<base::Bytes> {
          const auto mib = base::parse_int(value);
          return mib && *mib >= 0 && *mib < (std::int64_t{1} << 40) ? std::optional(base::Bytes(*mib << 20))
                                                                    : std::nullopt;
        });
    guest.machine = probe_.value_of(text, "machine");
    const bool efi = model::key_text(probe_.value_of(text, "bios")) == "ovmf";
    guest.firmware = Probe::derived(std::string(efi ? "efi" : "bios"), text);
    const std::string cpu = model::key_text(probe_.value_of(text, "cpu"));
    const std::size_t bits = cpu.find("phys-bits=");
    const bool host = cpu == "host" || cpu.starts_with("host,");
    guest.address_bits =
        Probe::derived(bits != std::string::npos ? cpu.substr(bits + 10, cpu.find(',', bits) - bits - 10)
                                                 : std::string(host ? "host" : "default"),
                       text);
    List functions, mediated;
    for (const std::string_view line : base::lines(text.value())) {
      if (!line.starts_with("hostpci") || functions.size() >= 64) continue;
      const std::string_view value = base::trim(line.substr(std::min(line.size(), line.find(':') + 1)));
      std::string address(value.substr(0, value.find(',')));
      if (base::contains(value, "mdev=")) mediated.push_back(address);
      if (!base::contains(address, ".")) address += ".0";
      const auto parsed = base::PciAddress::parse(address);
      if (parsed) functions.push_back(parsed->text());
    }
    finish(std::move(guest), text, std::move(functions), std::move(mediated));
  }

 private:
  template <class T>
  static Field<T> missing(const Field<std::string>& text) {
    return Field<T>(Absent{AbsentReason::NotFound}, text.provenance());
  }
  static Field<std::string> said(const std::string& value, const Field<std::string>& text) {
    return value.empty() ? missing<std::string>(text) : Probe::derived(base::printable(value, 100), text);
  }

  model::GuestFacts start(const std::string& path, const Field<std::string>& text, const std::string& name) {
    model::GuestFacts guest;
    guest.path = Probe::derived(path, text);
    guest.name = said(name, text);
    const auto window = window_in(text.value());
    guest.window_mib = window ? Probe::derived(*window, text) : missing<std::int64_t>(text);
    return guest;
  }

  void finish(model::GuestFacts guest, const Field<std::string>& text, List functions, List mediated) {
    guest.devices = Probe::derived(std::move(functions), text);
    guest.mediated_devices = Probe::derived(std::move(mediated), text);
    if (guests_.size() < kMostGuests) guests_.push_back(std::move(guest));
  }

  Probe& probe_;
  Guests& guests_;
};

Field<Guests> guests_of(Probe& probe) {
  Guests guests;
  GuestReader reader(probe, guests);
  std::optional<Field<Guests>> refused;
  for (const char* folder : {kLibvirt, kProxmox}) {
    const auto names = probe.source().list_directory(folder);
    if (!names) {
      if (names.error().kind != base::ErrorKind::NotFound)
        refused = probe.absent<Guests>(reason_of(names.error().kind), folder, names.error().message);
      continue;
    }
    for (const std::string& name : *names) {
      const bool xml = name.ends_with(".xml"), conf = name.ends_with(".conf");
      if (!xml && !conf) continue;
      const std::string path = std::string(folder) + "/" + name;
      const auto text = probe.text(path, Probe::kLarge);
      if (!text.known() && text.reason() == AbsentReason::Denied) refused = Probe::as_absent<Guests>(text);
      if (text.known() && xml) reader.libvirt(path, text);
      if (text.known() && conf) reader.proxmox(path, text);
    }
  }
  if (guests.empty() && refused) return *refused;
  return probe.found(std::move(guests), std::string(kLibvirt) + " and " + kProxmox);
}

/// A type's name from "1126 : NVIDIA H100XM-80C" of nvidia/creatable_vgpu_types; where the VF's own type is
/// taken the list no longer has it, so that of any other function will do.
std::string type_name_in(std::string_view list, std::string_view type) {
  for (const std::string_view line : base::lines(list)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && base::trim(line.substr(0, colon)) == type)
      return base::printable(base::trim(line.substr(colon + 1)), 60);
  }
  return {};
}

Field<std::vector<model::VgpuFacts>> vgpus_of(Probe& probe, const model::Machine& machine) {
  using Vgpus = std::vector<model::VgpuFacts>;
  if (!machine.pci.known()) return Probe::as_absent<Vgpus>(machine.pci);
  Vgpus vgpus;
  std::string lists;
  for (const model::PciFunction& function : machine.pci.value()) {
    const std::string folder = "/sys/bus/pci/devices/" + function.key() + "/nvidia/";
    const bool gpu =
        model::key_text(function.vendor) == "10de" && model::key_text(function.class_code).starts_with("03");
    if (!gpu || vgpus.size() >= 512) continue;
    const auto type = probe.text(folder + "current_vgpu_type");
    if (!type.known()) continue;
    const auto list = probe.text(folder + "creatable_vgpu_types");
    if (list.known() && lists.size() < Probe::kLarge) lists += list.value() + "\n";
    model::VgpuFacts vgpu;
    vgpu.pci = Probe::derived(function.key(), type);
    vgpu.type = type;
    vgpus.push_back(std::move(vgpu));
  }
  for (model::VgpuFacts& vgpu : vgpus) {
    const std::string name = type_name_in(lists, vgpu.type.value());
    vgpu.type_name = name.empty() ? Field<std::string>(Absent{AbsentReason::NotFound}, vgpu.type.provenance())
                                  : Probe::derived(name, vgpu.type);
  }
  return Probe::derived(std::move(vgpus), machine.pci);
}

/// What is not known says so.
void explain_rest(model::GuestFacts& guest, std::int32_t place) {
  model::GuestFacts::each_field(guest, [place](const char* /*name*/, auto& field) {
    if constexpr (requires { field.provenance(); }) {
      if (!field.known() && field.provenance() == 0) field = {Absent{AbsentReason::NotFound}, place};
    }
  });
}

/// "        VM Name                       : vm-train".
std::string_view behind_colon(std::string_view line) {
  return base::trim(line.substr(std::min(line.size(), line.find(':') + 1)));
}

struct WrittenVgpu {
  std::string id, guest, type;
  std::string_view line;
};

/// `nvidia-smi vgpu -q`, and the table of `nvidia-smi vgpu`:
/// |      3251634191  NVIDIA H100XM-40C  | 2b6976dd-8620-4d...  vm-train  |      0%    |
std::vector<WrittenVgpu> written_vgpus(std::string_view text) {
  std::vector<WrittenVgpu> rows;
  std::string id, guest;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view key = base::trim(line.substr(0, line.find(':')));
    if (rows.size() >= 512) break;
    if (key == "vGPU ID") id = "vgpu-" + base::printable(behind_colon(line), 60);
    if (key == "VM Name") guest = base::printable(behind_colon(line), 60);
    if (key == "vGPU Name" && !id.empty())
      rows.push_back({id, guest, base::printable(behind_colon(line), 60), line});
    const auto cells = base::split(line, '|');
    if (cells.size() < 4) continue;
    const auto first = base::words(cells[1]), second = base::words(cells[2]);
    constexpr std::size_t kDigits = 8;  // of a vGPU's number; a GPU's own index is shorter
    const bool row =
        first.size() > 1 && first[0].size() >= kDigits && base::parse_int(first[0]) && !second.empty();
    if (row)
      rows.push_back({"vgpu-" + std::string(first[0]), base::printable(second.back(), 60),
                      base::printable(base::trim(cells[1].substr(cells[1].find(first[1]))), 60), line});
  }
  return rows;
}

/// What a person wrote down: which vGPUs each guest has, by their numbers where no virtual function is named.
void add_written_vgpus(Probe& probe, model::VirtualFacts& facts) {
  constexpr const char* kPlace = "nvidia-smi vgpu -q";
  const std::string text = probe.written("nvidia-smi vgpu");
  const auto rows = written_vgpus(text);
  if (rows.empty()) return;
  Guests guests = model::each(facts.guests);
  auto vgpus = model::each(facts.vgpus);
  for (const WrittenVgpu& row : rows) {
    const std::int32_t place = probe.note(kPlace, row.line);
    model::VgpuFacts vgpu;
    vgpu.pci = Field<std::string>(row.id, place);
    vgpu.type = Field<std::string>(Absent{AbsentReason::NotFound}, place);
    vgpu.type_name = Field<std::string>(row.type, place);
    vgpus.push_back(std::move(vgpu));
    const auto known = std::find_if(guests.begin(), guests.end(), [&row](const model::GuestFacts& one) {
      return model::key_text(one.name) == row.guest && model::key_text(one.path) == kPlace;
    });
    model::GuestFacts& owner = known == guests.end() ? guests.emplace_back() : *known;
    List devices = model::each(owner.devices);
    devices.push_back(row.id);
    owner.path = Field<std::string>(kPlace, place);
    owner.name = Field<std::string>(row.guest, place);
    owner.devices = Field<List>(std::move(devices), place);
    explain_rest(owner, place);
  }
  facts.guests = probe.found(std::move(guests), kPlace);
  facts.vgpus = probe.found(std::move(vgpus), kPlace);
}

Field<std::string> confidential_of(Probe& probe, const model::Machine& machine) {
  const auto yes = [&probe](const char* path) {
    const auto flag = probe.flag(path);
    return flag.known() && flag.value();
  };
  if (yes("/sys/module/kvm_intel/parameters/tdx"))
    return probe.found(std::string("tdx host"), "kvm_intel tdx");
  if (yes("/sys/module/kvm_amd/parameters/sev_snp"))
    return probe.found(std::string("sev-snp host"), "kvm_amd sev_snp");
  for (const char* device : {"/dev/tdx_guest", "/dev/sev-guest"}) {
    if (probe.exists(device)) return probe.found(std::string("guest"), device);
  }
  if (!machine.pci.known()) return Probe::as_absent<std::string>(machine.pci);
  return probe.found(std::string("none"), "kvm_intel tdx, kvm_amd sev_snp, /dev/tdx_guest and /dev/sev-guest",
                     "none of them says so");
}

}  // namespace

void collect_virtual(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::VirtualFacts& facts = machine.virtual_machines;
  facts.guests = guests_of(probe);
  facts.vgpus = vgpus_of(probe, machine);
  add_written_vgpus(probe, facts);
  facts.confidential = confidential_of(probe, machine);
  const auto parents = probe.source().list_directory("/sys/class/mdev_bus");
  const bool none = !parents && parents.error().kind == base::ErrorKind::NotFound;
  if (none && !machine.pci.known()) {
    facts.mediated_devices = Probe::as_absent<bool>(machine.pci);
  } else {
    facts.mediated_devices = parents || none
                                 ? probe.found(parents && !parents->empty(), "/sys/class/mdev_bus")
                                 : probe.absent<bool>(reason_of(parents.error().kind), "/sys/class/mdev_bus",
                                                      parents.error().message);
  }
}

}  // namespace gpuwright::facts
