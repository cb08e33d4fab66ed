// Port counters: files of /sys/class/infiniband flattened to "path value" lines, and `perfquery`.
// Several counters of the standard block are narrow (link_downed has 8 bits) and stay at their maximum.
// Source: InfiniBand specification, PortCounters; infiniband-diags, perfquery.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/rdma_formats.h"

#include <algorithm>
#include <map>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxPorts = 4'000;
constexpr std::size_t kMaxCounters = 200;

/// The port entry of one device and port, made on first sight. A stable index, as the vector grows.
class PortTable {
 public:
  PortTable(model::Observations& out, std::size_t before) : out_(out), before_(before) {}
  model::RdmaPort* at(const std::string& device, std::int64_t port, const model::Evidence& evidence) {
    const auto found = index_.find({device, port});
    if (found != index_.end()) return &out_.rdma_ports[found->second];
    if (out_.rdma_ports.size() - before_ >= kMaxPorts) return nullptr;
    index_.emplace(std::make_pair(device, port), out_.rdma_ports.size());
    out_.rdma_ports.emplace_back();
    out_.rdma_ports.back().device = device;
    out_.rdma_ports.back().port = port;
    out_.rdma_ports.back().evidence = evidence;
    return &out_.rdma_ports.back();
  }

 private:
  model::Observations& out_;
  std::size_t before_;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> index_;
};

struct PathValue {
  std::vector<std::string_view> path;
  std::string_view value;
};

/// perfquery's names in the kernel's words.
const std::map<std::string_view, std::string_view>& perfquery_names() {
  static const std::map<std::string_view, std::string_view> names = {
      {"SymbolErrorCounter", "symbol_error"},
      {"LinkErrorRecoveryCounter", "link_error_recovery"},
      {"LinkDownedCounter", "link_downed"},
      {"PortRcvErrors", "port_rcv_errors"},
      {"PortRcvRemotePhysicalErrors", "port_rcv_remote_physical_errors"},
      {"PortXmitDiscards", "port_xmit_discards"},
      {"LocalLinkIntegrityErrors", "local_link_integrity_errors"},
      {"ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors"},
      {"VL15Dropped", "VL15_dropped"},
      {"PortXmitWait", "port_xmit_wait"},
  };
  return names;
}

/// A counter's file name without its folder, as `grep .` prints it there.
bool is_counter_name(std::string_view name) {
  const auto& names = perfquery_names();
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return entry.second == name; });
}

/// Splits "…/infiniband/mlx5_0/ports/1/state<TAB or colon or =>4: ACTIVE"; the path begins with the device,
/// or is a counter's name alone.
PathValue split_path(std::string_view line) {
  const std::size_t end = line.find_first_of("\t:= ");
  if (end == std::string_view::npos) return {};
  std::string_view path = line.substr(0, end);
  const std::size_t folder = path.find("/infiniband/");
  if (folder != std::string_view::npos) path.remove_prefix(folder + 12);
  PathValue out;
  if (path.size() > 200 || (!base::contains(path, "/") && !is_counter_name(path))) return out;
  out.path = base::split(path, '/');
  out.value = base::trim(line.substr(end + 1));
  return out;
}

void set_counter(std::string_view name, std::string_view value, const model::Evidence& evidence,
                 model::RdmaPort& port) {
  const auto number = base::parse_int(value);
  if (!number || port.counters.size() >= kMaxCounters) return;
  port.counters[base::printable(name, 60)] = model::RdmaCounter{*number, evidence};
}

}  // namespace

bool parse_rdma_sysfs(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                      model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  PortTable table(out, before);
  std::map<std::string, model::RdmaPort> adapters;
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const PathValue item = split_path(base::trim(line));
    if (item.path.empty()) continue;
    const model::Evidence evidence = block_evidence(context, here, line);
    if (item.path.size() == 1) {
      if (model::RdmaPort* port = table.at("", 1, evidence))
        set_counter(item.path[0], item.value, evidence, *port);
      continue;
    }
    const std::string device = base::printable(item.path[0], 60);
    if (item.path.size() == 2) {
      if (adapters.size() < kMaxPorts) set_port_fact(item.path[1], item.value, evidence, adapters[device]);
      continue;
    }
    const auto number = base::parse_int(item.path[2]);
    if (item.path[1] != "ports" || !number || item.path.size() < 4) continue;
    model::RdmaPort* port = table.at(device, *number, evidence);
    if (port == nullptr) continue;
    if (item.path.size() == 4) set_port_fact(item.path[3], item.value, evidence, *port);
    const bool counter =
        item.path.size() == 5 && (item.path[3] == "counters" || item.path[3] == "hw_counters");
    if (counter) set_counter(item.path[4], item.value, evidence, *port);
  }
  for (std::size_t at = before; at < out.rdma_ports.size(); ++at) {
    model::RdmaPort& port = out.rdma_ports[at];
    const auto adapter = adapters.find(port.device);
    if (adapter == adapters.end()) continue;
    port.adapter = adapter->second.adapter;
    port.firmware = adapter->second.firmware;
  }
  return out.rdma_ports.size() > before;
}

bool parse_perfquery(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                     model::Observations& out) {
  const std::size_t before = out.rdma_ports.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const std::size_t lid = line.find("counters: Lid ");
    if (lid != std::string_view::npos) {
      if (out.rdma_ports.size() - before >= kMaxPorts) break;
      const auto words = base::words(line.substr(lid + 10));
      model::RdmaPort port;
      if (words.size() >= 2) port.device = "lid " + base::printable(words[1], 20);
      if (words.size() >= 4) port.port = base::parse_int(words[3]).value_or(1);
      port.evidence = block_evidence(context, here, line);
      out.rdma_ports.push_back(std::move(port));
      continue;
    }
    if (out.rdma_ports.size() == before) continue;
    const auto [key, value] = key_and_value(line);
    const auto name = perfquery_names().find(key);
    if (name == perfquery_names().end()) continue;
    const std::size_t digits = value.find_first_not_of('.');
    if (digits == std::string_view::npos) continue;
    set_counter(name->second, value.substr(digits), block_evidence(context, here, line),
                out.rdma_ports.back());
  }
  return out.rdma_ports.size() > before;
}

}  // namespace gpuwright::parse
