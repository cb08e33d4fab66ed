// What lspci says about one PCI function. A link runs at the width and speed that both ends agreed on when it
// trained; "capability" is what this end could do. Source: PCI Express Base Specification, link capabilities
// and status registers; the words are those of pciutils.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One end of a link. Speeds are in GT/s, widths in lanes.
struct PciLink {
  Field<double> capable_speed;
  Field<std::int64_t> capable_width;
  Field<double> speed;
  Field<std::int64_t> width;
  bool speed_downgraded = false;  ///< lspci's own word
  bool width_downgraded = false;
  Evidence evidence;  ///< the status line
};

/// One PCI function as lspci shows it. What the listing does not show is absent.
struct PciDevice {
  std::string address;         ///< "0000:3b:00.0"; empty where the text begins below the device's own line
  std::string class_name;      ///< "3D controller"
  std::string name;            ///< vendor and device as printed
  std::string vendor_id;       ///< "10de" where printed
  std::string device_id;       ///< "2330" where printed
  bool gone = false;           ///< the device answers with all ones
  bool access_denied = false;  ///< capabilities were not readable: lspci ran without root
  Field<std::string> driver;   ///< "Kernel driver in use"; empty text: the listing shows that none is bound
  PciLink link;
  Field<std::int64_t> secondary_bus;  ///< bridges only
  Field<std::int64_t> subordinate_bus;
  Field<bool> acs_redirect;                ///< request or completion redirect is switched on
  std::vector<std::string> uncorrectable;  ///< latched AER status bits, e.g. "SDES"
  std::vector<std::string> correctable;
  std::vector<Evidence> unassigned_regions;
  Evidence evidence;  ///< the device's own line
  Evidence acs_evidence;
  Evidence error_evidence;

  bool is_nvidia() const { return vendor_id == "10de" || name.rfind("NVIDIA", 0) == 0; }
  bool is_gpu() const {
    return is_nvidia() && (class_name == "3D controller" || class_name == "VGA compatible controller" ||
                           class_name == "Display controller");
  }
  bool is_nvswitch() const { return is_nvidia() && class_name == "Bridge"; }
  bool is_nic() const {
    return class_name == "Infiniband controller" || class_name == "Ethernet controller" ||
           class_name == "Network controller";
  }
};

}  // namespace gpuwright::model
