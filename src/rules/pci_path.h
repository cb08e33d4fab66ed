// Which PCIe port leads to which device, as far as the addresses in the evidence tell. Buses are numbered
// depth first: what lies below a port has the numbers next above the port's own; bus 0 leads anywhere. An
// address alone proves little (people mask them), so it only decides between devices that all stand in the
// evidence. Source: PCI Local Bus Specification; Linux, drivers/pci/probe.c, pci_scan_bridge().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ids.h"
#include "model/event.h"

#include <set>
#include <vector>

namespace gpuwright::rules {

class PciPaths {
 public:
  explicit PciPaths(const std::vector<model::Event>& events);

  /// False when the two are known to lie on different links: two cards, or a port and a card while another
  /// card fits the port and this one does not.
  bool may_share(const model::Subject& a, const model::Subject& b) const;

 private:
  std::vector<base::PciAddress> cards_below(const base::PciAddress& port) const;
  bool leads_to(const base::PciAddress& port, const base::PciAddress& card) const;

  std::set<base::PciAddress> cards_;  ///< GPUs, adapters and disks of the evidence, without function
};

}  // namespace gpuwright::rules
