// A diagnosis as conditions of a Kubernetes node. Like the kubelet's own pressure conditions, each is True
// when something is wrong. node-problem-detector runs a program and takes its exit code and one line. Source:
// node-problem-detector, docs/custom_plugin_monitor.md; Kubernetes API, NodeCondition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"

#include <string>
#include <vector>

namespace gpuwright::report {

enum class ConditionStatus { False, True, Unknown };

struct NodeCondition {
  std::string type;  ///< "GpuUnhealthy"
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason;   ///< one CamelCase word: the cause, "NoProblemFound" or "NotSeen"
  std::string message;  ///< one line, ASCII and bounded
};

/// The condition types, in the order in which node_conditions() returns them.
std::vector<std::string> condition_types();

/// One condition a type. `least`: severities below it raise none. `not_seen`: what could not be looked at and
/// is needed to call a node healthy; empty: all was seen. With it, what is not True is Unknown.
std::vector<NodeCondition> node_conditions(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                                           model::Severity least, const std::string& not_seen);

/// {"conditions": [{"type", "status", "reason", "message"}]} with a line end.
std::string render_conditions_json(const std::vector<NodeCondition>& conditions);

/// node-problem-detector's answer: 0 fine, 1 a problem, 2 unknown.
struct PluginAnswer {
  int exit_code = 2;
  std::string line;
};

/// The answer for one condition type, or for all of them when `type` is empty.
PluginAnswer plugin_answer(const std::vector<NodeCondition>& conditions, const std::string& type);

}  // namespace gpuwright::report
