// Readers of devices: disks, network, RDMA, PCIe links. Only devices that are hardware: of layers above them
// (loop, device mapper, bonds, virtual ends) the same bytes would be counted twice.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "watch/host_series.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace gpuwright::watch {

namespace {

constexpr std::size_t kMostDevices = 256;

std::vector<std::string> names_in(HostLook& look, const std::string& folder) {
  auto names = look.files().list_directory(folder);
  if (!names) return {};
  names->resize(std::min(names->size(), kMostDevices * 4));
  return std::move(*names);
}

bool is_virtual(const HostLook& look, const std::string& path) {
  const auto target = look.files().read_link(path);
  return target && base::contains(*target, "/virtual/");
}

/// Hardware among the links of a folder; all but `never` where there is none: a container's own network.
std::vector<std::string> hardware(HostLook& look, const std::string& folder,
                                  std::vector<std::string_view> never) {
  std::vector<std::string> real, other;
  for (std::string& name : names_in(look, folder)) {
    const bool refused = std::any_of(never.begin(), never.end(),
                                     [&name](std::string_view prefix) { return name.starts_with(prefix); });
    if (refused) continue;
    auto& list = is_virtual(look, folder + "/" + name) ? other : real;
    if (list.size() < kMostDevices) list.push_back(std::move(name));
  }
  return real.empty() ? other : real;
}

std::vector<std::string> find_disks(HostLook& look) {
  return hardware(look, "/sys/block", {"loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd"});
}

std::vector<std::string> find_interfaces(HostLook& look) {
  return hardware(look, "/sys/class/net",
                  {"lo", "veth", "docker", "br-", "virbr", "cali", "cilium", "lxc", "flannel", "cni", "tap",
                   "tun", "vnet", "dummy", "ifb", "bond", "nodelocaldns", "kube-", "bonding_masters"});
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double number(std::string_view text) {
  return base::parse_double(base::trim(text)).value_or(0);
}

/// "mlx5_0/ports/1" of each port.
std::vector<std::string> find_ports(HostLook& look) {
  std::vector<std::string> ports;
  const std::string folder = "/sys/class/infiniband";
  for (const std::string& device : names_in(look, folder)) {
    for (const std::string& port : names_in(look, folder + "/" + device + "/ports")) {
      if (base::parse_int(port) && ports.size() < kMostDevices) ports.push_back(device + "/ports/" + port);
    }
  }
  return ports;
}

/// NVIDIA's GPUs (class 0x03) and network cards (class 0x02) that count errors.
std::vector<std::string> find_pcie(HostLook& look) {
  std::vector<std::string> found;
  const std::string folder = "/sys/bus/pci/devices/";
  for (const std::string& name : names_in(look, folder)) {
    const std::string kind = look.text(folder + name + "/class");
    const bool gpu = kind.starts_with("0x03") && look.text(folder + name + "/vendor").starts_with("0x10de");
    if (!gpu && !kind.starts_with("0x02")) continue;
    if (look.files().status_of(folder + name + "/aer_dev_correctable") && found.size() < kMostDevices)
      found.push_back(name);
  }
  return found;
}

}  // namespace

void read_disks(HostLook& look) {
  constexpr std::size_t kName = 2, kSectorsRead = 5, kSectorsWritten = 9, kBusy = 12, kFields = 14;
  constexpr double kSector = 512, kMilli = 1e-3;
  const auto& disks = look.devices("disks", find_disks);
  const std::string text = look.text("/proc/diskstats");
  for (const std::string_view line : base::lines(text)) {
    const auto words = base::words(line);
    if (words.size() < kFields || !has(disks, words[kName])) continue;
    const std::string disk = label_part("disk", words[kName]);
    look.add("gpuwright_node_disk_bytes", disk + ",direction=\"read\"",
             number(words[kSectorsRead]) * kSector);
    look.add("gpuwright_node_disk_bytes", disk + ",direction=\"written\"",
             number(words[kSectorsWritten]) * kSector);
    look.add("gpuwright_node_disk_busy_seconds", disk, number(words[kBusy]) * kMilli);
  }
}

void read_network(HostLook& look) {
  struct Column {
    std::size_t number;
    const char* family;
    const char* labels;
  };
  constexpr std::array<Column, 6> kColumns = {{
      {0, "gpuwright_node_network_bytes", "direction=\"received\""},
      {8, "gpuwright_node_network_bytes", "direction=\"sent\""},
      {2, "gpuwright_node_network_errors", "direction=\"received\",kind=\"errors\""},
      {3, "gpuwright_node_network_errors", "direction=\"received\",kind=\"dropped\""},
      {10, "gpuwright_node_network_errors", "direction=\"sent\",kind=\"errors\""},
      {11, "gpuwright_node_network_errors", "direction=\"sent\",kind=\"dropped\""},
  }};
  const auto& interfaces = look.devices("network", find_interfaces);
  const std::string text = look.text("/proc/net/dev");
  for (const std::string_view line : base::lines(text)) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = base::trim(line.substr(0, colon));
    const auto words = base::words(line.substr(colon + 1));
    if (words.size() < kColumns.back().number + 1 || !has(interfaces, name)) continue;
    for (const Column& column : kColumns)
      look.add(column.family, label_part("interface", name) + "," + column.labels,
               number(words[column.number]));
  }
}

void read_rdma(HostLook& look) {
  struct Counter {
    const char* file;
    const char* label;
  };
  constexpr std::array<Counter, 2> kData = {{{"port_rcv_data", "received"}, {"port_xmit_data", "sent"}}};
  constexpr std::array<Counter, 7> kErrors = {{{"symbol_error", "symbol"},
                                               {"link_downed", "link_downed"},
                                               {"link_error_recovery", "link_recovery"},
                                               {"local_link_integrity_errors", "link_integrity"},
                                               {"port_rcv_errors", "received"},
                                               {"port_xmit_discards", "discarded"},
                                               {"excessive_buffer_overrun_errors", "buffer_overrun"}}};
  constexpr double kLanes = 4;  // data counters count octets divided by four
  for (const std::string& port : look.devices("rdma", find_ports)) {
    const std::string folder = "/sys/class/infiniband/" + port + "/counters/";
    const std::string labels = label_part("device", port.substr(0, port.find('/'))) + "," +
                               label_part("port", port.substr(port.rfind('/') + 1)) + ",";
    for (const Counter& counter : kData) {
      const std::string text = look.text(folder + counter.file);
      if (!text.empty())
        look.add("gpuwright_node_rdma_bytes", labels + label_part("direction", counter.label),
                 number(text) * kLanes);
    }
    for (const Counter& counter : kErrors) {
      const std::string text = look.text(folder + counter.file);
      if (!text.empty())
        look.add("gpuwright_node_rdma_errors", labels + label_part("kind", counter.label), number(text));
    }
  }
}

void read_pcie_errors(HostLook& look) {
  struct Severity {
    const char* file;
    const char* total;
    const char* label;
  };
  constexpr std::array<Severity, 3> kSeverities = {{{"aer_dev_correctable", "TOTAL_ERR_COR", "correctable"},
                                                    {"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", "nonfatal"},
                                                    {"aer_dev_fatal", "TOTAL_ERR_FATAL", "fatal"}}};
  for (const std::string& device : look.devices("pcie", find_pcie)) {
    for (const Severity& severity : kSeverities) {
      const std::string text = look.text("/sys/bus/pci/devices/" + device + "/" + severity.file);
      const auto words = base::words(text);  // names and counts in turns
      const auto total = std::find(words.begin(), words.end(), severity.total);
      if (words.end() - total >= 2)
        look.add("gpuwright_node_pcie_aer_errors",
                 label_part("pci", device) + "," + label_part("severity", severity.label),
                 number(*std::next(total)));
    }
  }
}

}  // namespace gpuwright::watch
