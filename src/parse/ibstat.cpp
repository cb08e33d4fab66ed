// `ibstat`: a CA per block, its ports indented below. `ibstatus`: a paragraph per port. Source:
// infiniband-diags, ibstat.c and ibstatus.in.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/rdma_formats.h"

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxPorts = 4'000;

/// The text between the first pair of quotes.
std::string_view quoted(std::string_view line) {
  const std::size_t open = line.find('\'');
  if (open == std::string_view::npos) return {};
  const std::string_view rest = line.substr(open + 1);
  return rest.substr(0, rest.find('\''));
}

/// "Infiniband device 'mlx5_0' port 1 status:"
model::RdmaPort named_port(std::string_view text) {
  model::RdmaPort port;
  port.device = base::printable(quoted(text), 60);
  const std::size_t at = text.find(" port ");
  if (at == std::string_view::npos) return port;
  const std::string_view number = text.substr(at + 6);
  port.port = base::parse_int(number.substr(0, number.find(' '))).value_or(1);
  return port;
}

}  // namespace

bool parse_ibstat(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                  model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  model::RdmaPort adapter;  // what the CA says, for each of its ports
  bool in_port = false;
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const std::string_view text = base::trim(line);
    if (out.rdma_ports.size() - before >= kMaxPorts) break;
    if (text.substr(0, 4) == "CA '") {
      adapter = model::RdmaPort();
      adapter.device = base::printable(quoted(text), 60);
      in_port = false;
      continue;
    }
    if (adapter.device.empty()) continue;
    const auto [key, value] = key_and_value(text);
    if (key.substr(0, 5) == "Port " && value.empty()) {
      const auto number = base::parse_int(key.substr(5));
      if (!number) continue;
      out.rdma_ports.push_back(adapter);
      out.rdma_ports.back().port = *number;
      out.rdma_ports.back().evidence = block_evidence(context, here, line);
      in_port = true;
      continue;
    }
    set_port_fact(key, value, block_evidence(context, here, line), in_port ? out.rdma_ports.back() : adapter);
  }
  return out.rdma_ports.size() > before;
}

bool parse_ibstatus(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                    model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const std::string_view text = base::trim(line);
    if (out.rdma_ports.size() - before >= kMaxPorts) break;
    if (text.substr(0, 19) == "Infiniband device '") {
      model::RdmaPort port = named_port(text);
      port.evidence = block_evidence(context, here, line);
      out.rdma_ports.push_back(std::move(port));
      continue;
    }
    if (out.rdma_ports.size() == before) continue;
    const auto [key, value] = key_and_value(text);
    set_port_fact(key, value, block_evidence(context, here, line), out.rdma_ports.back());
  }
  return out.rdma_ports.size() > before;
}

}  // namespace gpuwright::parse
