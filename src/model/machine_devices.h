// What surrounds the GPUs: network, storage, management controller, DPUs, services, open ports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"
#include "model/machine_driver.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One network interface with a device behind it, or a bond.
struct NicFacts {
  Field<std::string> name;
  Field<std::string> pci;  ///< address of its function
  Field<std::string> driver;
  Field<std::string> state;  ///< "up" or "down"
  Field<std::int64_t> speed;
  Field<std::int64_t> mtu;
  Field<std::int64_t> numa_node;
  Field<std::string> bond;  ///< its bond
  Field<std::vector<std::string>> bond_members;
  Field<std::string> bond_mode;
  Field<std::int64_t> virtual_functions;
  Field<std::int64_t> virtual_functions_max;
  Field<std::int64_t> rx_errors;
  Field<std::int64_t> tx_errors;
  Field<std::int64_t> rx_dropped;
  Field<std::int64_t> carrier_changes;

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("pci", self.pci);
    visit("driver", self.driver);
    visit("state", self.state);
    visit("speed_mbitps", self.speed);
    visit("mtu", self.mtu);
    visit("numa_node", self.numa_node);
    visit("bond", self.bond);
    visit("bond_members", self.bond_members);
    visit("bond_mode", self.bond_mode);
    visit("virtual_functions", self.virtual_functions);
    visit("virtual_functions_max", self.virtual_functions_max);
    visit("rx_errors", self.rx_errors);
    visit("tx_errors", self.tx_errors);
    visit("rx_dropped", self.rx_dropped);
    visit("carrier_changes", self.carrier_changes);
  }
};

/// One port of an RDMA device.
struct RdmaFacts {
  Field<std::string> device;
  Field<std::int64_t> port;
  Field<std::string> pci;
  Field<std::string> state;  ///< "active"
  Field<std::string> physical_state;
  Field<std::string> link_layer;
  Field<double> rate;
  Field<std::string> firmware;
  Field<std::string> board;
  Field<std::string> netdev;
  Field<std::int64_t> mtu;
  Field<std::int64_t> gids;  ///< that are not zero
  Field<std::int64_t> link_downed;
  Field<std::int64_t> symbol_errors;
  Field<std::int64_t> numa_node;

  std::string key() const { return key_text(device) + "/" + key_text(port); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("device", self.device);
    visit("port", self.port);
    visit("pci", self.pci);
    visit("state", self.state);
    visit("physical_state", self.physical_state);
    visit("link_layer", self.link_layer);
    visit("rate_gbitps", self.rate);
    visit("firmware", self.firmware);
    visit("board", self.board);
    visit("netdev", self.netdev);
    visit("mtu", self.mtu);
    visit("gids", self.gids);
    visit("link_downed", self.link_downed);
    visit("symbol_errors", self.symbol_errors);
    visit("numa_node", self.numa_node);
  }
};

/// Network and RDMA.
struct NetworkFacts {
  Field<std::string> rdma_stack;  ///< "inbox" or "mlnx-ofed VERSION"
  Field<bool> peer_memory;        ///< nvidia_peermem is loaded
  Field<bool> dma_buf;  ///< the kernel can share device memory (CONFIG_DMABUF_MOVE_NOTIFY, CONFIG_PCI_P2PDMA)
  Field<std::vector<NicFacts>> interfaces;
  Field<std::vector<RdmaFacts>> rdma_ports;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("rdma_stack", self.rdma_stack);
    visit("peer_memory", self.peer_memory);
    visit("dma_buf", self.dma_buf);
    visit("interfaces", self.interfaces);
    visit("rdma_ports", self.rdma_ports);
  }
};

/// One block device.
struct DiskFacts {
  Field<std::string> name;
  Field<std::string> model;
  Field<std::string> firmware;
  Field<base::Bytes> size;
  Field<bool> rotational;
  Field<std::string> pci;
  Field<std::int64_t> numa_node;
  Field<std::string> transport;  ///< "nvme", "sata" ...

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("model", self.model);
    visit("firmware", self.firmware);
    visit("size_bytes", self.size);
    visit("rotational", self.rotational);
    visit("pci", self.pci);
    visit("numa_node", self.numa_node);
    visit("transport", self.transport);
  }
};

/// One software RAID.
struct RaidFacts {
  Field<std::string> name;
  Field<std::string> level;
  Field<std::string> state;  ///< "active", "inactive"
  Field<std::int64_t> members;
  Field<std::int64_t> members_wanted;
  Field<std::string> resync;

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("level", self.level);
    visit("state", self.state);
    visit("members", self.members);
    visit("members_wanted", self.members_wanted);
    visit("resync", self.resync);
  }
};

/// One mount of a real file system.
struct MountFacts {
  Field<std::string> point;
  Field<std::string> device;
  Field<std::string> type;
  Field<std::vector<std::string>> options;
  Field<base::Bytes> size;
  Field<base::Bytes> available;

  std::string key() const { return key_text(point); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("point", self.point);
    visit("device", self.device);
    visit("type", self.type);
    visit("options", self.options);
    visit("size_bytes", self.size);
    visit("available_bytes", self.available);
  }
};

/// A mount or an array that a file says should be there: /etc/fstab, mdadm.conf.
struct ExpectedStorage {
  Field<std::string> name;    ///< mount point, or "md1"
  Field<std::string> device;  ///< as the file has it; of an array its level, where told
  Field<std::string> options;
  Field<bool> present;  ///< mounted, or running

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("device", self.device);
    visit("options", self.options);
    visit("present", self.present);
  }
};

/// Storage.
struct StorageFacts {
  Field<std::vector<DiskFacts>> disks;
  Field<std::vector<RaidFacts>> raids;
  Field<std::vector<MountFacts>> mounts;
  Field<std::vector<ExpectedStorage>> expected;  ///< by /etc/fstab and mdadm.conf
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("disks", self.disks);
    visit("raids", self.raids);
    visit("mounts", self.mounts);
    visit("expected", self.expected);
  }
};

/// One sensor of the management controller or the mainboard.
struct SensorFacts {
  Field<std::string> name;
  Field<double> reading;
  Field<std::string> unit;
  Field<std::string> status;

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("reading", self.reading);
    visit("unit", self.unit);
    visit("status", self.status);
  }
};

/// The baseboard management controller.
struct BmcFacts {
  Field<bool> present;
  Field<std::string> firmware;
  Field<std::string> interface;  ///< driver that talks to it: "ipmi_si"
  Field<std::vector<SensorFacts>> sensors;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("present", self.present);
    visit("firmware", self.firmware);
    visit("interface", self.interface);
    visit("sensors", self.sensors);
  }
};

/// One BlueField DPU.
struct DpuFacts {
  Field<std::string> pci;
  Field<std::string> model;
  Field<std::string> mode;      ///< "DPU" or "NIC", where mlxconfig told
  Field<std::string> rshim;     ///< "attached", "not attached"
  Field<std::string> software;  ///< version that the DPU runs

  std::string key() const { return key_text(pci); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("pci", self.pci);
    visit("model", self.model);
    visit("mode", self.mode);
    visit("rshim", self.rshim);
    visit("software", self.software);
  }
};

/// One listening TCP port.
struct PortFacts {
  Field<std::int64_t> port;
  Field<std::string> address;
  Field<std::string> process;  ///< where it may be seen

  std::string key() const { return key_text(address) + ":" + key_text(port); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("port", self.port);
    visit("address", self.address);
    visit("process", self.process);
  }
};

/// Management and services.
struct ManagementFacts {
  BmcFacts bmc;
  Field<std::vector<DpuFacts>> dpus;
  Field<std::vector<ServiceFacts>> services;
  Field<std::vector<PortFacts>> listening;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("bmc", self.bmc);
    visit("dpus", self.dpus);
    visit("services", self.services);
    visit("listening", self.listening);
  }
};

}  // namespace gpuwright::model
