// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/fleet_tables.h"

#include <fmt/core.h>

namespace gpuwright::catalog {

const std::vector<std::string>& usage_class_ids() {
  static const std::vector<std::string> kIds = {"unknown", "sick",       "used",       "throttled",
                                                "idle",    "fragmented", "unallocated"};
  return kIds;
}

base::Status check_fleet(const FleetTables& tables) {
  for (const FleetQueryRow& row : tables.queries) {
    if (row.naming != "own" && row.naming != "dcgm")
      return base::make_error(base::ErrorKind::Malformed, fmt::format("'{}' is no naming", row.naming));
  }
  std::vector<std::string> ids;
  for (const UsageClassRow& row : tables.classes) {
    if (row.counts != "used" && row.counts != "lost" && row.counts != "partly" && row.counts != "none")
      return base::make_error(base::ErrorKind::Malformed,
                              fmt::format("'{}' says not how time counts", row.counts));
    ids.push_back(row.id);
  }
  if (!ids.empty() && ids != usage_class_ids())
    return base::make_error(base::ErrorKind::Malformed,
                            "fleet/classes.csv: not the classes that the code knows");
  return base::Done{};
}

}  // namespace gpuwright::catalog
