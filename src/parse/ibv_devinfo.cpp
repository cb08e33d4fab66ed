// `ibv_devinfo` and `ibv_devinfo -v`. The rate is printed only with -v, as lanes and speed of a lane.
// Source: rdma-core, libibverbs/examples/devinfo.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/rdma_formats.h"

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxPorts = 4'000;

/// "4X (2)" gives the lanes, "50.0 Gbps (64)" the speed of one lane; together the rate.
void set_rate_part(std::string_view key, std::string_view value, const model::Evidence& evidence,
                   double& lane_speed, model::RdmaPort& port) {
  if (key == "active_width") {
    const std::size_t cross = value.find('X');
    if (cross == std::string_view::npos) return;
    if (const auto lanes = base::parse_int(value.substr(0, cross))) port.lanes = *lanes;
  } else if (key == "active_speed") {
    if (const auto speed = base::parse_number_and_unit(value)) lane_speed = speed->number;
  } else {
    return;
  }
  if (lane_speed <= 0 || !port.lanes.known()) return;
  port.rate_gbps = lane_speed * static_cast<double>(port.lanes.value());
  port.rate_evidence = evidence;
}

}  // namespace

bool parse_ibv_devinfo(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                       model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  model::RdmaPort adapter;
  bool in_port = false;
  double lane_speed = 0;
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.rdma_ports.size() - before >= kMaxPorts) break;
    const auto [key, value] = key_and_value(line);
    if (key == "hca_id") {
      adapter = model::RdmaPort();
      adapter.device = base::printable(value, 60);
      in_port = false;
      continue;
    }
    if (adapter.device.empty()) continue;
    const model::Evidence evidence = block_evidence(context, here, line);
    if (key == "port" && base::parse_int(value)) {
      out.rdma_ports.push_back(adapter);
      out.rdma_ports.back().port = *base::parse_int(value);
      out.rdma_ports.back().evidence = evidence;
      in_port = true;
      lane_speed = 0;
      continue;
    }
    model::RdmaPort& target = in_port ? out.rdma_ports.back() : adapter;
    set_port_fact(key, value, evidence, target);
    if (in_port) set_rate_part(key, value, evidence, lane_speed, target);
  }
  return out.rdma_ports.size() > before;
}

}  // namespace gpuwright::parse
