// Judges RDMA ports. A port of the compute fabric is an InfiniBand port; Ethernet ports (cloud management
// ports, bonds) may be slow or down by design and only RoCE counters are looked at there. link_downed is 8
// bits wide and stays at 255. Source: InfiniBand Architecture Specification, PortInfo.PortState and
// PortCounters.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_rdma.h"

#include "model/rdma_report.h"
#include "rules/net_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace gpuwright::rules {
namespace {

using model::Event;
using model::EventLevel;
using model::RdmaPort;
using model::SubjectKind;

constexpr const char* kId = "rdma";
constexpr std::int64_t kSaturated = 255;

/// A counter is worth a word from this value on. Error counters grow over a machine's whole life: a few are
/// normal.
struct CounterLimit {
  const char* counter;
  std::int64_t least;
  const char* signal;
};
constexpr std::array<CounterLimit, 12> kLimits = {{
    {"link_downed", 10, "ib.link_flapping"},
    {"link_error_recovery", 10, "ib.link_recovering"},
    {"symbol_error", 1'000, "ib.symbol_errors"},
    {"local_link_integrity_errors", 10, "ib.symbol_errors"},
    {"excessive_buffer_overrun_errors", 10, "ib.receive_errors"},
    {"port_rcv_errors", 1'000, "ib.receive_errors"},
    {"port_xmit_discards", 10'000, "ib.discards"},
    {"packet_seq_err", 10'000, "ib.retransmits"},
    {"out_of_sequence", 100'000, "ib.retransmits"},
    {"local_ack_timeout_err", 1'000, "ib.retransmits"},
    {"rnr_nak_retry_err", 1'000, "ib.retransmits"},
    {"roce_slow_restart", 100'000, "ib.retransmits"},
}};

std::string port_name(const RdmaPort& port) {
  return port.device.empty() ? std::string("the port") : fmt::format("{}/{}", port.device, port.port);
}

/// What commands take for the device: perfquery tells only the LID, bare counters nothing.
std::string name_for_commands(const RdmaPort& port) {
  const bool named = !port.device.empty() && port.device.find(' ') == std::string::npos;
  return named ? port.device : "<device>";
}

Event port_event(const std::string& signal, const RdmaPort& port, const model::Evidence& evidence) {
  Event event = derived_event(signal, kId, device_subject(SubjectKind::Nic, port.device), evidence);
  if (port.evidence.line != evidence.line) event.evidence.insert(event.evidence.begin(), port.evidence);
  event.params["nic"] = name_for_commands(port);
  event.params["port"] = port_name(port);
  if (port.physical_state.known()) event.params["physical_state"] = port.physical_state.value();
  return event;
}

bool is_bond(const RdmaPort& port) {
  return port.device.find("bond") != std::string::npos;
}

/// Ethernet is known to be Ethernet; where the tool does not say, only the state is judged, not the rate.
bool is_ethernet(const RdmaPort& port) {
  return port.link_layer.known() && port.link_layer.value() == "ethernet";
}
bool is_infiniband(const RdmaPort& port) {
  return port.link_layer.known() && port.link_layer.value() == "infiniband";
}

std::string state_signal(const RdmaPort& port) {
  if (port.state.value() == "init") return "ib.port_initializing";
  if (port.state.value() == "armed") return "ib.port_initializing";
  const std::string physical = port.physical_state.known() ? port.physical_state.value() : std::string();
  if (physical == "polling" || physical == "sleep") return "ib.port_polling";
  if (physical == "disabled") return "ib.port_disabled";
  if (physical == "training" || physical == "linkerrorrecovery") return "ib.port_training";
  return "ib.port_down";
}

void judge_state(const RdmaPort& port, std::vector<Event>& events) {
  if (!port.state.known() || port.state.value() == "active") return;
  static const std::array<const char*, 4> kStates = {"down", "init", "armed", "nop"};
  const auto is_state = [&](const char* state) { return port.state.value() == state; };
  if (std::none_of(kStates.begin(), kStates.end(), is_state)) return;
  if (is_bond(port) || is_ethernet(port)) {
    events.push_back(port_event("ib.ethernet_port_down", port, port.state_evidence));
    events.back().level = EventLevel::Context;
    return;
  }
  events.push_back(port_event(state_signal(port), port, port.state_evidence));
  if (port.physical_evidence.line > 0) events.back().evidence.push_back(port.physical_evidence);
}

/// The interface of an InfiniBand port: IPoIB may be down while RDMA works, so it only points at the port.
void judge_interface(const RdmaPort& port, std::vector<Event>& events) {
  if (!port.netdev_up.known() || port.netdev_up.value()) return;
  events.push_back(port_event("ib.interface_down", port, port.evidence));
  events.back().params["interface"] = port.netdev.known() ? port.netdev.value() : std::string();
  if (!is_infiniband(port)) events.back().level = EventLevel::Context;
}

void judge_counters(const RdmaPort& port, std::vector<Event>& events) {
  std::map<std::string, bool> raised;
  for (const CounterLimit& limit : kLimits) {
    const auto counter = port.counters.find(limit.counter);
    if (counter == port.counters.end() || counter->second.value < limit.least || raised[limit.signal])
      continue;
    raised[limit.signal] = true;
    const bool saturated = std::string(limit.counter) == "link_downed" && counter->second.value == kSaturated;
    Event event =
        port_event(saturated ? "ib.link_downed_saturated" : limit.signal, port, counter->second.evidence);
    event.params["counter"] = limit.counter;
    event.params["value"] = fmt::format("{}", counter->second.value);
    events.push_back(std::move(event));
  }
}

bool rate_counts(const RdmaPort& port) {
  const bool active = port.state.known() && port.state.value() == "active";
  return active && is_infiniband(port) && !is_bond(port) && port.rate_gbps.known();
}

/// Ports that should run alike: the same input and, where known, the same adapter model.
std::string peer_group(const RdmaPort& port) {
  return port.evidence.input + "\n" + (port.adapter.known() ? port.adapter.value() : std::string());
}

/// A port slower than most of its peers. Without a model the slower ones must be few: storage adapters differ
/// from compute ones.
void judge_rates(const std::vector<RdmaPort>& ports, std::vector<Event>& events) {
  std::map<std::string, std::map<double, std::int64_t>> rates;
  for (const RdmaPort& port : ports) {
    if (rate_counts(port)) ++rates[peer_group(port)][port.rate_gbps.value()];
  }
  for (const RdmaPort& port : ports) {
    if (!rate_counts(port)) continue;
    const auto& group = rates[peer_group(port)];
    const auto best = *group.rbegin();
    const bool lower = port.rate_gbps.value() < best.first;
    const std::int64_t alike = group.find(port.rate_gbps.value())->second;
    const bool enough =
        port.adapter.known() ? alike <= best.second : best.second >= 3 && alike * 2 < best.second;
    const bool narrow = port.lanes.known() && port.lanes.value() == 1;
    if (!(lower && enough) && !narrow) continue;
    Event event = port_event(narrow ? "ib.width_reduced" : "ib.rate_low", port, port.rate_evidence);
    event.params["rate"] = fmt::format("{:g}", port.rate_gbps.value());
    event.params["expected_rate"] = fmt::format("{:g}", best.first);
    events.push_back(std::move(event));
  }
}

}  // namespace

std::vector<Event> judge_rdma(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> events;
  for (const RdmaPort& port : observations.rdma_ports) {
    judge_state(port, events);
    judge_interface(port, events);
    judge_counters(port, events);
  }
  judge_rates(observations.rdma_ports, events);
  return events;
}

}  // namespace gpuwright::rules
