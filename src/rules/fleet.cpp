// SPDX-License-Identifier: Apache-2.0
#include "rules/fleet.h"

#include "base/text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpuwright::rules {

using model::NodeReport;
using model::NodeVerdict;
using model::Severity;

namespace {

NodeVerdict verdict_of(const NodeReport& report) {
  if (report.no_answer) return NodeVerdict::Unknown;
  Severity worst = Severity::Harmless;
  for (const model::NodeFinding& finding : report.findings) worst = std::max(worst, finding.severity);
  switch (worst) {
    case Severity::Critical:
      return NodeVerdict::Critical;
    case Severity::Error:
      return NodeVerdict::Error;
    case Severity::Warning:
      return NodeVerdict::Warning;
    case Severity::Info:
      return NodeVerdict::Info;
    case Severity::Harmless:
      break;
  }
  return NodeVerdict::Fine;
}

bool worse(const NodeReport& a, const NodeReport& b) {
  const auto key = [](const NodeReport& report) {
    const std::int64_t sure = report.findings.empty() ? 0 : report.findings.front().sure;
    return std::tuple(report.verdict, -sure, -static_cast<std::int64_t>(report.findings.size()));
  };
  if (key(a) != key(b)) return key(a) < key(b);
  const int names = base::compare_naturally(a.node, b.node);
  return names != 0 ? names < 0 : a.node < b.node;
}

}  // namespace

model::FleetReport judge_fleet(std::vector<NodeReport> nodes) {
  model::FleetReport fleet;
  for (NodeReport& node : nodes) {
    node.verdict = verdict_of(node);
    ++fleet.counts[node.verdict];
  }
  std::sort(nodes.begin(), nodes.end(), worse);
  fleet.nodes = std::move(nodes);
  return fleet;
}

}  // namespace gpuwright::rules
