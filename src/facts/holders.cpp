// Processes that hold the driver's devices. Source: host/holders.h.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <map>

namespace gpuwright::facts {

namespace {

struct Process {
  std::string command, devices;
};
using Processes = std::map<std::int64_t, Process>;

void add(Processes& processes, std::int64_t number, std::string_view command, std::string_view device) {
  Process& process = processes[number];
  process.command = command;
  if (!base::contains(process.devices, device))
    process.devices += (process.devices.empty() ? "" : " ") + std::string(device);
}

/// The table of `fuser -v`:
///                      USER        PID ACCESS COMMAND
/// /dev/nvidia0:        root       4711 F...m python3
///                      root       4712 F.... nv-hostengine
void read_fuser(const std::string& table, Processes& processes) {
  std::string device;
  for (const std::string_view line : base::lines(table)) {
    auto parts = base::words(line);
    if (!parts.empty() && parts.front().starts_with("/dev/") && parts.front().ends_with(':')) {
      device = parts.front().substr(0, parts.front().size() - 1);
      parts.erase(parts.begin());
    }
    const auto number =
        parts.size() < 4 || !device.starts_with("/dev/nvidia") ? std::nullopt : base::parse_int(parts[1]);
    if (number) add(processes, *number, parts[3], device);
  }
}

/// The table of lsof:
/// COMMAND    PID USER   FD   TYPE  DEVICE SIZE/OFF NODE NAME
/// nvidia-pe 1322 root    2u   CHR 195,255      0t0  911 /dev/nvidiactl
/// It cuts commands to nine letters; the table of processes may hold the rest.
void read_lsof(const std::string& table, Processes& processes) {
  for (const std::string_view line : base::lines(table)) {
    const auto parts = base::words(line);
    const auto number = parts.size() < 8 || !parts.back().starts_with("/dev/nvidia")
                            ? std::nullopt
                            : base::parse_int(parts[1]);
    if (number) add(processes, *number, parts.front(), parts.back());
  }
}

/// "0::/system.slice/docker.service" without what stands before the path.
std::string path_of(const std::string& control_groups) {
  const std::string line = control_groups.substr(0, control_groups.find('\n'));
  const std::size_t at = line.find(":/");
  return at == std::string::npos ? line : line.substr(at + 1);
}

/// What a person may have written down, as lines of host/holders.h.
std::optional<std::string> written_holders(Probe& probe) {
  const std::string fuser = probe.written("fuser"), lsof = probe.written("lsof");
  if (fuser.empty() && lsof.empty()) return std::nullopt;
  Processes processes;
  read_fuser(fuser, processes);
  read_lsof(lsof, processes);
  std::string text;
  for (auto& [number, process] : processes) {
    const std::string folder = "/proc/" + std::to_string(number);
    const auto name = probe.text(folder + "/comm"), group = probe.text(folder + "/cgroup");
    text += std::to_string(number) + "\t" + (name.known() ? name.value() : process.command) + "\t" +
            (group.known() ? path_of(group.value()) : "") + "\t" + process.devices + "\n";
  }
  return text;
}

}  // namespace

void collect_holders(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  using Holders = std::vector<model::GpuHolder>;
  auto text = probe.source().device_holders();
  if (!text) {
    if (auto table = written_holders(probe)) text = std::move(*table);
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
