// A replay repeats a packet that the link garbled. How many are normal grows with speed and width. The driver
// counts since it was loaded: taking the time since boot instead can only hide a little, never accuse.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_rates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace gpuwright::rules {

model::Verdict check_pcie_replay_rate(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  if (model::each(machine.gpus).empty()) return look.not_applicable();
  const std::int64_t* uptime = look.need(machine.os.uptime);
  if (uptime == nullptr) return look.conclude();
  const double minutes = std::max(1.0, static_cast<double>(*uptime) / 60.0);
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    const model::GpuReport& report = gpu.report;
    const bool complete = report.pcie_replays.known() && report.pcie_generation_max.known() &&
                          report.pcie_width_max.known() && report.pcie_width_max.value() > 0;
    if (!complete) continue;
    const double lane_rate = situation.catalog.threshold(
        fmt::format("gpu.pcie_replays_lane_minute_gen{}", report.pcie_generation_max.value()));
    const double allowed = std::ceil(lane_rate * static_cast<double>(report.pcie_width_max.value()));
    const double rate = static_cast<double>(report.pcie_replays.value()) / minutes;
    if (!(rate > allowed)) continue;
    look.fails("gpu.pcie_replay_rate")
        .on(model::SubjectKind::Gpu, gpu_id(report))
        .with("count", std::to_string(report.pcie_replays.value()))
        .with("per_minute", fmt::format("{:.0f}", rate))
        .with("allowed", fmt::format("{:.0f}", allowed))
        .proof_at(report.line_of(report.pcie_replays));
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
