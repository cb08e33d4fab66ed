// Virtual machines on this host and what is prepared for them: passthrough, vGPU, confidential computing.
// Source of terms: libvirt domain XML, Linux Documentation/driver-api/vfio-mediated-device, NVIDIA vGPU user
// guide.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One guest as libvirt or Proxmox VE defines it.
struct GuestFacts {
  Field<std::string> path;  ///< the file of its definition
  Field<std::string> name;
  Field<base::Bytes> memory;
  Field<std::string> machine;                        ///< "pc-q35-8.2"
  Field<std::string> firmware;                       ///< "efi" or "bios"
  Field<std::string> address_bits;                   ///< "host", "default" or a number
  Field<std::int64_t> window_mib;                    ///< X-PciMmio64Mb; absent: the firmware's own
  Field<std::vector<std::string>> devices;           ///< addresses of passed PCI functions
  Field<std::vector<std::string>> mediated_devices;  ///< UUIDs of mdev devices

  std::string key() const { return key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("name", self.name);
    visit("memory_bytes", self.memory);
    visit("machine", self.machine);
    visit("firmware", self.firmware);
    visit("address_bits", self.address_bits);
    visit("window_mib", self.window_mib);
    visit("devices", self.devices);
    visit("mediated_devices", self.mediated_devices);
  }
};

/// One virtual function of a GPU that can carry a vGPU.
struct VgpuFacts {
  Field<std::string> pci;
  Field<std::string> type;       ///< number of the vGPU type; "0": none is set
  Field<std::string> type_name;  ///< "NVIDIA H100XM-80C", where a list tells

  std::string key() const { return key_text(pci); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("pci", self.pci);
    visit("type", self.type);
    visit("type_name", self.type_name);
  }
};

struct VirtualFacts {
  Field<std::string> confidential;  ///< "tdx host", "sev-snp host", "guest" or "none"
  Field<bool> mediated_devices;     ///< the kernel has a bus of mediated devices with a parent on it
  Field<std::vector<GuestFacts>> guests;
  Field<std::vector<VgpuFacts>> vgpus;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("confidential", self.confidential);
    visit("mediated_devices", self.mediated_devices);
    visit("guests", self.guests);
    visit("vgpus", self.vgpus);
  }
};

}  // namespace gpuwright::model
