// What holds a GPU's clocks, and which of its errors have been counted, in words. The page says the same
// (web/src/judge.ts).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/cause.h"
#include "catalog/gpu_values.h"
#include "model/node_state.h"
#include "report/layout.h"

#include <optional>
#include <string>
#include <vector>

namespace gpuwright::report {

struct Sign {
  std::string text;
  Style style = Style::Plain;
};

/// Why the clocks are held, the worst first.
std::vector<Sign> clocks_held_by(const catalog::GpuValues& values, const model::GpuState& gpu,
                                 catalog::Language language);
/// Errors that have been counted, the worst first.
std::vector<Sign> faults_of(const catalog::GpuValues& values, const model::GpuState& gpu,
                            catalog::Language language);
/// Degrees Celsius to the temperature at which this board slows itself down.
std::optional<double> thermal_headroom(const catalog::GpuValues& values, const model::GpuState& gpu);

}  // namespace gpuwright::report
