// The state of a node as one screen of a terminal: GPUs at a glance, incidents, and who uses what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/gpu_values.h"
#include "model/node_state.h"
#include "model/recent.h"
#include "report/styled_line.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// What stands below the GPUs.
enum class TopPanel {
  Overview,   ///< incidents in short, and users
  Incidents,  ///< with their evidence and what to do
  Gpu         ///< all values of the chosen GPU
};

struct TopView {
  int width = 100;
  int height = 0;  ///< 0: as many lines as there are
  bool color = false;
  bool keys = false;  ///< with the line of keys, and the chosen GPU marked
  bool paused = false;
  catalog::Language language = catalog::Language::English;
  TopPanel panel = TopPanel::Overview;
  std::size_t chosen = 0;    ///< place among the GPUs
  std::size_t scrolled = 0;  ///< lines of the panel that are passed over
};

/// Lines without line feeds, each at most as wide as the view and never more than its height. A value that is
/// not known is "–"; a GPU that does not answer says why.
std::vector<std::string> render_top(const model::NodeState& state, const catalog::Catalog& catalog,
                                    const catalog::GpuValues& values, const model::RecentGpus& recent,
                                    const TopView& view);

/// The rows of the GPUs with their heading; part of render_top.
std::vector<std::string> top_gpu_lines(const model::NodeState& state, const catalog::GpuValues& values,
                                       const model::RecentGpus& recent, const TopView& view);

/// 1.5e9 bytes a second: "1.50 GB/s". "–": not known.
std::string rate_text(std::optional<double> bytes_per_s);
/// "34.2 GiB"; "–": not known.
std::string memory_text(std::optional<double> bytes);

}  // namespace gpuwright::report
