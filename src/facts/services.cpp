// Services that GPUs need or that watch the machine, and the ports that are taken. Source: systemctl(1),
// proc_net(5) (address and state 0A, listening).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gpuwright::facts {

namespace {

// In the order of their names. One argv for all: systemctl answers for units that are not installed too.
constexpr std::array<const char*, 28> kUnits = {"chrony",
                                                "containerd",
                                                "crio",
                                                "docker",
                                                "dcgm-exporter",
                                                "display-manager",
                                                "doca-telemetry",
                                                "dts",
                                                "irqbalance",
                                                "kubelet",
                                                "mdmonitor",
                                                "munge",
                                                "node_exporter",
                                                "node-exporter",
                                                "nvidia-cdi-refresh",
                                                "nvidia-dcgm",
                                                "nvidia-fabricmanager",
                                                "nvidia-imex",
                                                "nvidia-persistenced",
                                                "nvidia-powerd",
                                                "nvidia-mig-manager",
                                                "nvidia-vgpu-mgr",
                                                "openibd",
                                                "prometheus-node-exporter",
                                                "slurmd",
                                                "systemd-timesyncd",
                                                "telemetry",
                                                "tuned"};

Field<std::string> property(Probe& probe, std::string_view block, std::string_view key) {
  for (const std::string_view line : base::lines(block)) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=')
      return probe.found(base::printable(line.substr(key.size() + 1)), "systemctl show", line);
  }
  return probe.absent<std::string>(AbsentReason::NotFound, "systemctl show", fmt::format("has no {}", key));
}

model::ServiceFacts service_of(Probe& probe, std::string_view block) {
  model::ServiceFacts service;
  service.name = property(probe, block, "Id");
  service.load = property(probe, block, "LoadState");
  service.active = property(probe, block, "ActiveState");
  service.sub = property(probe, block, "SubState");
  service.result = property(probe, block, "Result");
  service.enabled = property(probe, block, "UnitFileState");
  return service;
}

/// "Active: failed (Result: exit-code) since ...", "Active: active (running) since ...".
void add_active(std::string_view rest, std::string& out) {
  const std::size_t open = rest.find('('), close = rest.find(')', open);
  const std::string_view state = base::trim(rest.substr(0, open));
  const std::string_view detail =
      close == std::string_view::npos ? std::string_view() : rest.substr(open + 1, close - open - 1);
  const bool result = detail.starts_with("Result: ");
  out += fmt::format("ActiveState={}\n{}={}\n", base::words(state).empty() ? "" : base::words(state).front(),
                     result ? "Result" : "SubState", result ? detail.substr(8) : detail);
}

/// "Loaded: loaded (/usr/lib/systemd/system/x.service; enabled; preset: enabled)".
void add_loaded(std::string_view rest, std::string& out) {
  const auto parts = base::split(rest, ';');
  const auto words = base::words(parts.front());
  if (words.empty()) return;
  out += fmt::format("LoadState={}\n", words.front());
  if (parts.size() > 1)
    out += fmt::format("UnitFileState={}\n", base::trim(parts[1].substr(0, parts[1].find(')'))));
}

/// What `systemctl status` shows to people, in the words of `systemctl show`.
std::string shown_of_status(std::string_view status) {
  std::string out;
  for (const std::string_view line : base::lines(status)) {
    const std::string_view text = base::trim(line);
    const auto words = base::words(text);
    const bool head =
        words.size() > 1 && line.front() != ' ' && words[0].size() <= 3 && base::contains(words[1], ".");
    if (head) out += fmt::format("\nId={}\n", words[1]);
    if (text.starts_with("Loaded: ")) add_loaded(text.substr(8), out);
    if (text.starts_with("Active: ")) add_active(text.substr(8), out);
  }
  return out;
}

/// Rows of `systemctl list-units` ("x.service loaded failed failed ...", perhaps behind a bullet) and of
/// `list-unit-files` ("x.service enabled enabled").
std::string shown_of_tables(std::string_view table) {
  std::string out;
  for (const std::string_view line : base::lines(table)) {
    auto words = base::words(line);
    if (!words.empty() && words[0].size() <= 3) words.erase(words.begin());
    if (words.size() < 2 || !words[0].ends_with(".service")) continue;
    const bool unit = words.size() > 3 && (words[1] == "loaded" || words[1] == "not-found");
    out += unit ? fmt::format("\nId={}\nLoadState={}\nActiveState={}\nSubState={}\n", words[0], words[1],
                              words[2], words[3])
                : fmt::format("\nId={}\nLoadState=loaded\nUnitFileState={}\n", words[0], words[1]);
  }
  return out;
}

/// `systemctl is-active a b` and `is-enabled`: a word for each unit, in their order.
std::string shown_of_words(Probe& probe) {
  std::map<std::string, std::string> units;
  for (const auto& [question, key] :
       {std::pair("is-active", "ActiveState"), std::pair("is-failed", "ActiveState"),
        std::pair("is-enabled", "UnitFileState")}) {
    const std::string begin = fmt::format("systemctl {}", question);
    for (const auto& [name, text] : probe.written_beside(begin)) {
      const auto answers = base::words(text);
      std::size_t at = 0;
      for (const std::string_view unit : base::split(std::string_view(name).substr(begin.size()), '_')) {
        if (unit.empty() || unit.starts_with('-') || at >= answers.size()) continue;
        const std::string id =
            unit.find('.') == std::string_view::npos ? fmt::format("{}.service", unit) : std::string(unit);
        units[id] += fmt::format("{}={}\n", key, answers[at++]);
      }
    }
  }
  std::string out;
  for (const auto& [id, lines] : units) out += fmt::format("\nId={}\nLoadState=loaded\n{}", id, lines);
  return out;
}

/// On a machine that a person wrote down, which asked in other words.
Field<std::string> written_services(Probe& probe, const Field<std::string>& not_told) {
  const std::string shown = probe.written("systemctl show") +
                            shown_of_status(probe.written("systemctl status")) + shown_of_words(probe) +
                            shown_of_tables(probe.written("systemctl")) +
                            shown_of_tables(probe.written("systemctl --failed"));
  return base::trim(shown).empty() ? not_told : probe.found(shown, "systemctl", base::trim(shown));
}

Field<std::vector<model::ServiceFacts>> services_of(Probe& probe) {
  std::vector<std::string> argv = {"systemctl", "show"};
  for (const char* unit : kUnits) argv.emplace_back(unit);
  argv.emplace_back("--property=Id,LoadState,ActiveState,SubState,Result,UnitFileState");
  auto told = probe.said(argv);
  if (!told.known()) told = written_services(probe, told);
  if (!told.known()) return Probe::as_absent<std::vector<model::ServiceFacts>>(told);
  std::vector<model::ServiceFacts> services;
  std::string_view rest = told.value();
  while (!base::trim(rest).empty()) {
    const std::size_t end = rest.find("\n\n");
    model::ServiceFacts service = service_of(probe, rest.substr(0, end));
    const bool installed = service.load.known() && service.load.value() != "not-found";
    const bool twice =
        std::any_of(services.begin(), services.end(),
                    [&service](const model::ServiceFacts& other) { return other.key() == service.key(); });
    if (service.name.known() && installed && !twice) services.push_back(std::move(service));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  return Probe::derived(std::move(services), told);
}

/// "0100007F:1F90" with the address in the machine's byte order.
std::string address_text(std::string_view hex) {
  if (hex.size() != 8) return hex.find_first_not_of('0') == std::string_view::npos ? "[::]" : "[IPv6]";
  const auto number = base::parse_hex(hex).value_or(0);
  return fmt::format("{}.{}.{}.{}", number & 255, number >> 8 & 255, number >> 16 & 255, number >> 24 & 255);
}

/// `ss -ltnp` and `netstat -ltnp`: "LISTEN 0 4096 0.0.0.0:9100 ...", "tcp 0 0 0.0.0.0:9100 0.0.0.0:* LISTEN
/// 811/dts".
Field<std::vector<model::PortFacts>> told_listening(Probe& probe, const std::string& table) {
  std::vector<model::PortFacts> ports;
  for (const std::string_view line : base::lines(table)) {
    if (!base::contains(line, "LISTEN")) continue;
    for (const std::string_view word : base::words(line)) {
      const std::size_t colon = word.rfind(':');
      const auto port =
          colon == std::string_view::npos ? std::nullopt : base::parse_int(word.substr(colon + 1));
      if (!port || ports.size() >= 4096) continue;
      const std::int32_t place = probe.note("ss -ltnp", line);
      model::PortFacts listening;
      listening.port = Field<std::int64_t>(*port, place);
      listening.address = Field<std::string>(base::printable(word.substr(0, colon), 60), place);
      listening.process = Field<std::string>(Absent{AbsentReason::Unsupported}, place);
      ports.push_back(std::move(listening));
      break;
    }
  }
  return probe.found(std::move(ports), "ss -ltnp");
}

Field<std::vector<model::PortFacts>> listening_of(Probe& probe) {
  std::vector<model::PortFacts> ports;
  std::set<std::string> seen;
  const std::string sockets = probe.written("ss") + probe.written("netstat");
  if (!sockets.empty()) return told_listening(probe, sockets);
  const auto first = probe.text("/proc/net/tcp", Probe::kLarge);
  const auto second = probe.text("/proc/net/tcp6", Probe::kLarge);
  if (!first.known() && !second.known()) return Probe::as_absent<std::vector<model::PortFacts>>(first);
  for (const auto* table : {&first, &second}) {
    if (!table->known()) continue;
    for (const std::string_view line : base::lines(table->value())) {
      const auto parts = base::words(line);
      constexpr std::string_view kListening = "0A";
      if (parts.size() < 4 || parts[3] != kListening) continue;
      const std::size_t colon = parts[1].rfind(':');
      const auto port = base::parse_hex(parts[1].substr(colon + 1));
      if (colon == std::string_view::npos || !port || ports.size() >= 4096) continue;
      model::PortFacts listening;
      listening.port = Probe::derived(static_cast<std::int64_t>(*port), *table);
      listening.address = Probe::derived(address_text(parts[1].substr(0, colon)), *table);
      listening.process = Field<std::string>(Absent{AbsentReason::Unsupported}, table->provenance());
      if (seen.insert(listening.key()).second) ports.push_back(std::move(listening));
    }
  }
  return Probe::derived(std::move(ports), first.known() ? first : second);
}

}  // namespace

void collect_services(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  machine.management.services = services_of(probe);
  machine.management.listening = listening_of(probe);
}

}  // namespace gpuwright::facts
