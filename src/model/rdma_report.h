// One RDMA port as ibstat, ibstatus, ibv_devinfo, sysfs, perfquery or `rdma link` show it. All of them read
// the same few registers and spell them differently; here they have one spelling. Source: InfiniBand
// Architecture Specification, PortInfo and PortCounters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <map>
#include <string>

namespace gpuwright::model {

struct RdmaCounter {
  std::int64_t value = 0;
  Evidence evidence;
};

struct RdmaPort {
  std::string device;  ///< "mlx5_0"; "lid 6" where only perfquery spoke; empty for counters without a path
  std::int64_t port = 1;
  Field<std::string> state;           ///< "active", "down", "init", "armed"
  Field<std::string> physical_state;  ///< "linkup", "polling", "disabled", "training", ...
  Field<std::string> link_layer;      ///< "infiniband", "ethernet"
  Field<double> rate_gbps;
  Field<std::int64_t> lanes;
  Field<std::string> adapter;  ///< "MT4129"
  Field<std::string> firmware;
  Field<std::string> netdev;
  Field<bool> netdev_up;
  std::map<std::string, RdmaCounter> counters;  ///< by the kernel's names: "symbol_error", "link_downed", ...
  Evidence evidence;                            ///< where the port is named
  Evidence state_evidence;
  Evidence physical_evidence;
  Evidence rate_evidence;
};

}  // namespace gpuwright::model
