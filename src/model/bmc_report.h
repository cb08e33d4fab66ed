// What the baseboard management controller recorded: entries of its event log, and sensor readings. The BMC
// sees what the operating system cannot: lost supply power, fans, bus errors that reset the host. Source:
// IPMI 2.0 specification, table 42-3; Redfish LogEntry schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"

#include <string>

namespace gpuwright::model {

struct BmcLogEntry {
  std::string sensor;       ///< "Power Supply PSU2", "Memory #0x20"; Redfish: the origin or message id
  std::string description;  ///< "Power Supply AC lost"
  std::string severity;     ///< Redfish: "OK", "Warning", "Critical"; empty for IPMI
  bool asserted = true;     ///< false: the condition ended
  EventTime time;
  Evidence evidence;
};

struct BmcSensor {
  std::string name;
  std::string reading;  ///< "91 degrees C", "Presence detected, Failure detected"
  std::string status;   ///< "ok", "ns", "nc", "cr", "nr"
  Evidence evidence;
};

}  // namespace gpuwright::model
