// Network interfaces and RDMA ports. Source: Documentation/ABI/testing/sysfs-class-net,
// sysfs-class-infiniband, sysfs-bus-pci (SR-IOV), Documentation/networking/bonding.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

std::optional<std::string> first_word(const std::string& text) {
  const auto parts = base::words(text);
  return parts.empty() ? std::nullopt : std::optional(base::printable(parts.front(), 60));
}

/// "4: ACTIVE" is "active".
std::optional<std::string> state_word(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return std::nullopt;
  return base::lower(base::printable(text.substr(colon + 2), 40));
}

/// "none" where nothing stands there; other absences stay.
Field<std::string> or_none(const Field<std::string>& field) {
  const bool none = !field.known() && field.reason() == AbsentReason::NotFound;
  return none ? Field<std::string>("none", field.provenance()) : field;
}

model::NicFacts nic_of(Probe& probe, const std::string& name) {
  const std::string folder = "/sys/class/net/" + name + "/";
  model::NicFacts nic;
  nic.name = probe.found(name, folder);
  nic.pci = or_none(probe.link_name(folder + "device"));
  nic.driver = or_none(probe.link_name(folder + "device/driver"));
  nic.state = probe.text(folder + "operstate");
  nic.speed = Probe::read_as<std::int64_t>(probe.integer(folder + "speed"), [](std::int64_t speed) {
    return speed < 0 ? std::nullopt : std::optional(speed);  // -1: unknown, the link is down
  });
  nic.mtu = probe.integer(folder + "mtu");
  nic.numa_node = probe.integer(folder + "device/numa_node");
  nic.bond = or_none(probe.link_name(folder + "master"));
  const auto members = probe.text(folder + "bonding/slaves");
  nic.bond_members = Probe::read_as<List>(members, [](const std::string& text) {
    List list;
    for (const std::string_view word : base::words(text)) list.emplace_back(word);
    return std::optional(list);
  });
  nic.bond_mode = Probe::read_as<std::string>(probe.text(folder + "bonding/mode"), first_word);
  nic.virtual_functions = probe.integer(folder + "device/sriov_numvfs");
  nic.virtual_functions_max = probe.integer(folder + "device/sriov_totalvfs");
  nic.rx_errors = probe.integer(folder + "statistics/rx_errors");
  nic.tx_errors = probe.integer(folder + "statistics/tx_errors");
  nic.rx_dropped = probe.integer(folder + "statistics/rx_dropped");
  nic.carrier_changes = probe.integer(folder + "carrier_changes");
  return nic;
}

Field<std::vector<model::NicFacts>> interfaces_of(Probe& probe) {
  constexpr std::size_t kMostInterfaces = 512;
  const auto names = probe.names("/sys/class/net");
  if (!names.known()) return Probe::as_absent<std::vector<model::NicFacts>>(names);
  std::vector<model::NicFacts> interfaces;
  for (const std::string& name : names.value()) {
    if (interfaces.size() >= kMostInterfaces || name == "lo") continue;
    const auto entries = probe.source().list_directory("/sys/class/net/" + name);
    const auto has = [&entries](const char* entry) {
      return entries && std::find(entries->begin(), entries->end(), entry) != entries->end();
    };
    if (has("device") || has("bonding")) interfaces.push_back(nic_of(probe, name));
  }
  return Probe::derived(std::move(interfaces), names);
}

/// GIDs that are not all zero: a port without any cannot do RoCE.
Field<std::int64_t> gids_of(Probe& probe, const std::string& folder) {
  const auto names = probe.names(folder + "gids");
  if (!names.known()) return Probe::as_absent<std::int64_t>(names);
  constexpr std::size_t kMostGids = 64;
  std::int64_t count = 0;
  for (std::size_t at = 0; at < names.value().size() && at < kMostGids; ++at) {
    const auto gid = probe.source().read_file(folder + "gids/" + names.value()[at], 128);
    count += gid && gid->find_first_not_of("0:\n") != std::string::npos ? 1 : 0;
  }
  return Probe::derived(count, names);
}

model::RdmaFacts port_of(Probe& probe, const std::string& device, const std::string& number) {
  const std::string top = "/sys/class/infiniband/" + device + "/";
  const std::string folder = top + "ports/" + number + "/";
  model::RdmaFacts port;
  port.device = probe.found(device, top);
  port.port = Probe::read_as<std::int64_t>(probe.found(number, folder),
                                           [](const std::string& text) { return base::parse_int(text); });
  port.pci = probe.link_name(top + "device");
  port.state = Probe::read_as<std::string>(probe.text(folder + "state"), state_word);
  port.physical_state = Probe::read_as<std::string>(probe.text(folder + "phys_state"), state_word);
  port.link_layer = probe.text(folder + "link_layer");
  port.rate = Probe::read_as<double>(probe.text(folder + "rate"),
                                     [](const std::string& text) -> std::optional<double> {
                                       const auto rate = base::parse_number_and_unit(text);
                                       return rate ? std::optional(rate->number) : std::nullopt;
                                     });
  port.firmware = probe.text(top + "fw_ver");
  port.board = probe.text(top + "board_id");
  port.netdev = probe.text(folder + "gid_attrs/ndevs/0");
  port.mtu = port.netdev.known() ? probe.integer("/sys/class/net/" + port.netdev.value() + "/mtu")
                                 : Probe::as_absent<std::int64_t>(port.netdev);
  port.gids = gids_of(probe, folder);
  port.link_downed = probe.integer(folder + "counters/link_downed");
  port.symbol_errors = probe.integer(folder + "counters/symbol_error");
  port.numa_node = probe.integer(top + "device/numa_node");
  return port;
}

Field<std::vector<model::RdmaFacts>> ports_of(Probe& probe) {
  const auto devices = probe.names("/sys/class/infiniband");
  if (!devices.known()) return Probe::as_absent<std::vector<model::RdmaFacts>>(devices);
  std::vector<model::RdmaFacts> ports;
  for (const std::string& device : devices.value()) {
    const auto numbers = probe.names("/sys/class/infiniband/" + device + "/ports");
    for (const std::string& number : model::each(numbers)) {
      if (ports.size() < 256) ports.push_back(port_of(probe, device, number));
    }
  }
  return Probe::derived(std::move(ports), devices);
}

/// The kernel can hand device memory to a NIC without nvidia_peermem. Source: kernel Kconfig of these
/// options.
Field<bool> dma_buf_of(Probe& probe, const model::OsFacts& os) {
  if (!os.kernel.known()) return Probe::as_absent<bool>(os.kernel);
  const auto options = probe.text("/boot/config-" + os.kernel.value(), Probe::kLarge);
  return Probe::read_as<bool>(options, [](const std::string& text) {
    return std::optional(base::contains(text, "CONFIG_DMABUF_MOVE_NOTIFY=y") &&
                         base::contains(text, "CONFIG_PCI_P2PDMA=y"));
  });
}

Field<std::string> stack_of(Probe& probe) {
  const auto told = probe.said({"ofed_info", "-s"});
  if (told.known())
    return Probe::derived(
        base::printable(base::trim(std::string_view(told.value()).substr(0, told.value().find('\n'))), 80),
        told);
  return told.reason() == AbsentReason::NotFound ? Field<std::string>("inbox", told.provenance()) : told;
}

}  // namespace

void collect_network(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::NetworkFacts& network = machine.network;
  network.interfaces = interfaces_of(probe);
  network.rdma_ports = ports_of(probe);
  network.rdma_stack = stack_of(probe);
  network.dma_buf = dma_buf_of(probe, machine.os);
  network.peer_memory =
      Probe::read_as<bool>(machine.driver.modules, [](const std::vector<model::ModuleFacts>& modules) {
        return std::optional(
            std::any_of(modules.begin(), modules.end(), [](const model::ModuleFacts& module) {
              return module.key() == "nvidia_peermem" || module.key() == "nv_peer_mem";
            }));
      });
}

}  // namespace gpuwright::facts
