// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "artifacts/alert_text.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::artifacts {

namespace {

std::string codes(const catalog::Metrics& metrics, const char* severity) {
  std::string all;
  for (const catalog::PagedXidRow& row : metrics.xids) {
    if (row.severity == severity) all += (all.empty() ? "" : "|") + std::to_string(row.code);
  }
  return all;
}

}  // namespace

std::string alert_expression(const catalog::Metrics& metrics, const catalog::AlertRow& row) {
  std::string text = base::replace_all(row.expr, "@critical_xids@", codes(metrics, "critical"));
  return base::replace_all(text, "@warning_xids@", codes(metrics, "warning"));
}

std::string with_limits(const catalog::Catalog& catalog, const std::string& expression) {
  const std::string load = fmt::format("{}", catalog.threshold("fleet.idle_utilization") / 100);
  const std::string hold = fmt::format("{}m", catalog.threshold("fleet.idle_minutes"));
  return base::replace_all(base::replace_all(expression, "@idle_load@", load), "@idle_hold@", hold);
}

std::string runbook(const catalog::Catalog& catalog, const catalog::AlertRow& row,
                    catalog::Language language) {
  const catalog::Cause* cause = row.cause.empty() ? nullptr : catalog.cause(row.cause);
  if (cause == nullptr) return "gpuwright doctor (on the node)";
  std::string text = cause->why.in(language);
  for (const std::string& step : cause->now.in(language)) text += "\n- " + step;
  text += "\ngpuwright explain " + row.cause;
  return base::replace_all(base::replace_all(text, "{", "<"), "}", ">");
}

const catalog::AlertRow* alert_of(const catalog::Metrics& metrics, const std::string& name) {
  const auto at = std::find_if(metrics.alerts.begin(), metrics.alerts.end(),
                               [&](const catalog::AlertRow& row) { return row.name == name; });
  return at == metrics.alerts.end() ? nullptr : &*at;
}

std::optional<Limit> limit_of(const catalog::AlertRow& row) {
  const auto words = base::words(row.expr);
  if (words.size() < 3) return std::nullopt;
  const auto number = base::parse_double(words.back());
  if (!number) return std::nullopt;
  const std::string_view comparison = words[words.size() - 2];
  Limit limit;
  limit.value = *number;
  limit.below = comparison == "<" || comparison == "<=" || (comparison == "==" && *number == 0);
  limit.severity = row.severity;
  return limit;
}

}  // namespace gpuwright::artifacts
