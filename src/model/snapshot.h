// All facts of one machine at one time as a plain list: what a machine is compared with (its peers, or itself
// at an earlier time) comes from bundles, disks and other programs alike, so only paths and texts remain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/field.h"

#include <map>
#include <string>

namespace gpuwright::model {

struct SnapshotValue {
  bool known = false;
  std::string value;                             ///< as JSON would write it, without quotes
  AbsentReason reason = AbsentReason::NotFound;  ///< where not known
  bool operator==(const SnapshotValue&) const = default;
};

struct Snapshot {
  std::string name;  ///< of the machine, or of the part of one ("GPU 0000:3b:00.0")
  /// By path: "driver.loaded_version", "gpus[0000:3b:00.0].power_limit_w".
  std::map<std::string, SnapshotValue> facts;
};

}  // namespace gpuwright::model
