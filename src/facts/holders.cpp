// Processes that hold the driver's devices. Source: host/holders.h.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <map>

namespace gpuwright::facts {

namespace {

/// The table of `fuser -v`, which a person may have written down, as lines of host/holders.h:
///                      USER        PID ACCESS COMMAND
/// /dev/nvidia0:        root       4711 F...m python3
///                      root       4712 F.... nv-hostengine
std::optional<std::string> holders_of_fuser(host::Source& source) {
  if (source.live()) return std::nullopt;
  const auto answer = source.run({"fuser", "-v", "/dev/nvidia*"}, std::chrono::seconds(5));
  if (!answer) return std::nullopt;
  std::map<std::int64_t, std::pair<std::string, std::string>> processes;  // command, devices
  std::string device;
  const std::string table = answer->errors + "\n" + answer->output;  // the table goes to stderr
  for (const std::string_view line : base::lines(table)) {
    auto parts = base::words(line);
    if (!parts.empty() && parts.front().starts_with("/dev/") && parts.front().ends_with(':')) {
      device = parts.front().substr(0, parts.front().size() - 1);
      parts.erase(parts.begin());
    }
    const auto number = parts.size() < 4 || device.empty() ? std::nullopt : base::parse_int(parts[1]);
    if (!number) continue;
    auto& process = processes[*number];
    process.first = parts[3];
    process.second += (process.second.empty() ? "" : " ") + device;
  }
  std::string text;
  for (const auto& [number, process] : processes)
    text += std::to_string(number) + "\t" + process.first + "\t\t" + process.second + "\n";
  return text;
}

}  // namespace

void collect_holders(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  using Holders = std::vector<model::GpuHolder>;
  auto text = probe.source().device_holders();
  if (!text) {
    if (auto table = holders_of_fuser(probe.source())) text = std::move(*table);
  }
  if (!text) {
    machine.driver.holders =
        probe.absent<Holders>(reason_of(text.error().kind), "/proc/*/fd", text.error().message);
    return;
  }
  Holders holders;
  for (const std::string_view line : base::lines(*text)) {
    const auto parts = base::split(line, '\t');
    if (parts.size() != 4) continue;
    const std::int32_t place = probe.note("/proc/*/fd", line);
    model::GpuHolder holder;
    if (const auto number = base::parse_int(parts[0])) holder.pid = Field<std::int64_t>(*number, place);
    holder.command = Field<std::string>(base::printable(parts[1], 100), place);
    holder.control_group = Field<std::string>(base::printable(parts[2], 200), place);
    std::vector<std::string> devices;
    for (const std::string_view device : base::words(parts[3])) devices.emplace_back(device);
    holder.devices = Field<std::vector<std::string>>(std::move(devices), place);
    if (holder.pid.known()) holders.push_back(std::move(holder));
  }
  const bool partly = base::contains(*text, "denied\t");
  machine.driver.holders =
      probe.found(std::move(holders), "/proc/*/fd", partly ? "processes of other users may be missing" : "");
}

}  // namespace gpuwright::facts
