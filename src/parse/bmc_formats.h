// Parsers of what a BMC exports: the IPMI event log and sensors as ipmitool prints them, and Redfish log
// entries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// `ipmitool sel list`, `sel elist`: adds to `out.bmc_log`.
bool parse_ipmi_sel(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                    model::Observations& out);
/// `ipmitool sdr list`, `sdr elist`, `sensor`: adds to `out.bmc_sensors`.
bool parse_ipmi_sensors(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);
/// A Redfish LogEntry or a collection of them (`Members`), pretty printed or not: adds to `out.bmc_log`.
bool parse_redfish_log(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                       model::Observations& out);

}  // namespace gpuwright::parse
