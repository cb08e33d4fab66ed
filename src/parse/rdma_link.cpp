// `rdma link` (iproute2): one line per port, "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev
// ens6f0np0". The netdev tells an Ethernet port from an InfiniBand one: IPoIB devices are not shown here.
// `ibdev2netdev` (MLNX_OFED) shows both kinds, "mlx5_0 port 1 ==> ib0 (Up)"; the word in parentheses is the
// network interface's state, which an InfiniBand port can do without.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/rdma_formats.h"

#include <algorithm>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxPorts = 4'000;

}  // namespace

bool parse_rdma_link(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                     model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.rdma_ports.size() - before >= kMaxPorts) break;
    const auto words = base::words(line.substr(0, 1'000));
    if (words.size() < 4 || words[0] != "link") continue;
    const std::size_t slash = words[1].find('/');
    if (slash == std::string_view::npos) continue;
    model::RdmaPort port;
    port.device = base::printable(words[1].substr(0, slash), 60);
    const auto number = base::parse_int(words[1].substr(slash + 1));
    if (!number) continue;
    port.port = *number;
    port.evidence = block_evidence(context, here, line);
    for (std::size_t at = 2; at + 1 < words.size(); at += 2)
      set_port_fact(words[at], words[at + 1], port.evidence, port);
    if (!port.state.known()) continue;
    if (port.netdev.known()) port.link_layer = std::string("ethernet");
    if (base::contains(line, "subnet_prefix")) port.link_layer = std::string("infiniband");
    out.rdma_ports.push_back(std::move(port));
  }
  return out.rdma_ports.size() > before;
}

bool parse_ibdev2netdev(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                        model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.rdma_ports.size() - before >= kMaxPorts) break;
    const auto words = base::words(line.substr(0, 1'000));
    // "mlx5_0 port 1 ==> ibs10 (Up)"; -v: "0000:c1:00.0 mlx5_0 (MT4129 - ...) fw ... port 1 (ACTIVE) ==> ib0
    // (Up)"
    const auto arrow = std::find(words.begin(), words.end(), "==>");
    const auto named = std::find(words.begin(), arrow, "port");
    if (words.end() - arrow < 3 || arrow - named < 2 || named == words.begin()) continue;
    const auto number = base::parse_int(*(named + 1));
    const std::size_t device = base::PciAddress::parse(words[0]) ? 1 : 0;
    if (!number || words[device] == "port") continue;
    model::RdmaPort port;
    port.device = base::printable(words[device], 60);
    port.port = *number;
    port.evidence = block_evidence(context, here, line);
    port.netdev = base::printable(*(arrow + 1), 60);
    port.link_layer = std::string(port.netdev.value().rfind("ib", 0) == 0 ? "infiniband" : "ethernet");
    port.netdev_up = base::contains(line, "(Up)");
    out.rdma_ports.push_back(std::move(port));
  }
  return out.rdma_ports.size() > before;
}

}  // namespace gpuwright::parse
