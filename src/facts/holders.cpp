// Processes that hold the driver's devices. Source: host/holders.h.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

namespace gpuwright::facts {

void collect_holders(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  using Holders = std::vector<model::GpuHolder>;
  const auto text = probe.source().device_holders();
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
