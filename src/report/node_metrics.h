// The state of a node as metrics: under our own names, and under DCGM's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/node_state.h"
#include "report/metrics_text.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// Names of families whose values are computed, not read off one answer of the driver's library; sorted.
std::vector<std::string> computed_families();

struct OwnMetrics {
  const catalog::Metrics* metrics = nullptr;
  const std::vector<catalog::PlannedSeries>* series = nullptr;
  double stale_after_s = 3;         ///< values older than this are not printed
  double whole_stale_after_s = 15;  ///< those that are not asked often
  std::string version;              ///< of gpuwright
};
/// A GPU that does not answer has gpuwright_gpu_up 0 and its age, and no value that is not fresh.
void write_own_metrics(MetricsText& text, const model::NodeState& state, const OwnMetrics& how);

struct DcgmMetrics {
  const std::vector<catalog::PlannedField>* fields = nullptr;
  std::string host_label = "Hostname";  ///< dcgm-exporter 4.x changed it to "hostname"
  double stale_after_s = 15;
  /// Adds pod, namespace, container and hpc_job, where a GPU has just one user. One with several has none of
  /// these labels: a series for each of them, as dcgm-exporter makes, is one that sum() counts several times.
  bool user_labels = false;
};
/// One family a field, in their order, labelled as dcgm-exporter does; fields of kind "label" become labels.
void write_dcgm_metrics(MetricsText& text, const model::NodeState& state, const DcgmMetrics& how);

}  // namespace gpuwright::report
