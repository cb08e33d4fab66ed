// Parsers of the tools that show RDMA ports. All add to `out.rdma_ports`, one entry per port and tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/rdma_report.h"
#include "parse/format.h"

#include <string>
#include <string_view>

namespace gpuwright::parse {

bool parse_ibstat(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                  model::Observations& out);
bool parse_ibstatus(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                    model::Observations& out);
bool parse_ibv_devinfo(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                       model::Observations& out);
/// Lines "mlx5_0/ports/1/counters/symbol_error<TAB>0": /sys/class/infiniband as `path<TAB>value` or
/// `path:value` (grep -r).
bool parse_rdma_sysfs(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                      model::Observations& out);
bool parse_perfquery(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                     model::Observations& out);
/// Lines "mlx5_0 port 1 ==> ibs10 (Up)": which network interface belongs to which RDMA device.
bool parse_ibdev2netdev(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                        model::Observations& out);
bool parse_rdma_link(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                     model::Observations& out);

/// Sets a fact of a port from any tool's spelling of key and value. Unknown keys are ignored.
void set_port_fact(std::string_view key, std::string_view value, const model::Evidence& evidence,
                   model::RdmaPort& port);
/// "4: ACTIVE", "PORT_ACTIVE (4)", "Active" -> "active"; "INITIALIZE" -> "init".
std::string port_state(std::string_view text);
/// "5: LinkUp", "LINK_UP (5)" -> "linkup".
std::string physical_state(std::string_view text);

}  // namespace gpuwright::parse
