// The PCI bus as sysfs shows it. Source: PCI Code and ID Assignment Specification; Linux
// Documentation/ABI/testing/sysfs-bus-pci.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One function of those that matter to GPUs: display, NVSwitch, network, storage controllers, and the
/// bridges above them.
struct PciFunction {
  Field<std::string> address;     ///< "0000:3b:00.0"
  Field<std::string> vendor;      ///< "10de"
  Field<std::string> device;      ///< "2330"
  Field<std::string> class_code;  ///< "0302", class and subclass
  Field<std::string> subsystem;   ///< "10de:16c1"
  Field<std::string> driver;      ///< bound driver; "none" where none is bound
  Field<std::string> parent;      ///< address of the port above; "none" at a root
  Field<std::int64_t> numa_node;  ///< -1: the firmware did not say
  Field<std::string> iommu_group;
  Field<std::vector<std::string>> group_members;  ///< "0000:3b:00.1 snd_hda_intel": of GPUs and NVSwitches
  Field<double> speed;
  Field<double> speed_max;
  Field<std::int64_t> width;
  Field<std::int64_t> width_max;
  Field<base::Bytes> largest_bar;
  Field<base::Bytes> bars;  ///< all memory BARs together
  Field<std::int64_t> unassigned_bars;
  Field<std::int64_t> aer_corrected;  ///< errors since boot
  Field<std::int64_t> aer_nonfatal;
  Field<std::int64_t> aer_fatal;
  Field<bool> acs_redirect;  ///< requests or completions between devices below are sent up to the root
  Field<std::int64_t> virtual_functions;
  Field<std::int64_t> virtual_functions_max;
  Field<std::string> reset_methods;
  Field<std::string> power_state;  ///< "D0"

  std::string key() const { return key_text(address); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("address", self.address);
    visit("vendor", self.vendor);
    visit("device", self.device);
    visit("class", self.class_code);
    visit("subsystem", self.subsystem);
    visit("driver", self.driver);
    visit("parent", self.parent);
    visit("numa_node", self.numa_node);
    visit("iommu_group", self.iommu_group);
    visit("group_members", self.group_members);
    visit("speed_gtps", self.speed);
    visit("speed_max_gtps", self.speed_max);
    visit("width", self.width);
    visit("width_max", self.width_max);
    visit("largest_bar_bytes", self.largest_bar);
    visit("bars_bytes", self.bars);
    visit("unassigned_bars", self.unassigned_bars);
    visit("aer_corrected", self.aer_corrected);
    visit("aer_nonfatal", self.aer_nonfatal);
    visit("aer_fatal", self.aer_fatal);
    visit("acs_redirect", self.acs_redirect);
    visit("virtual_functions", self.virtual_functions);
    visit("virtual_functions_max", self.virtual_functions_max);
    visit("reset_methods", self.reset_methods);
    visit("power_state", self.power_state);
  }
};

}  // namespace gpuwright::model
