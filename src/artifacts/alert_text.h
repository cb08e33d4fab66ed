// What rules and dashboards share of an alert: its expression, its limit, and what to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <optional>
#include <string>

namespace gpuwright::artifacts {

/// The expression with the codes of paged_xids.csv in it.
std::string alert_expression(const catalog::Metrics& metrics, const catalog::AlertRow& row);

/// An expression with the limits of thresholds.csv in the places "@idle_load@" and "@idle_hold@".
std::string with_limits(const catalog::Catalog& catalog, const std::string& expression);

/// What to do, of the cause's text. Braces mean something to Prometheus, so those of our places go.
std::string runbook(const catalog::Catalog& catalog, const catalog::AlertRow& row,
                    catalog::Language language);

/// The alert of that name; null if there is none.
const catalog::AlertRow* alert_of(const catalog::Metrics& metrics, const std::string& name);

/// What a value is compared with.
struct Limit {
  double value = 0;
  bool below = false;  ///< bad is what lies below it, or at it
  std::string severity;
};
/// The limit at the end of an alert's expression ("... > 0.05"); nothing where it ends in none.
std::optional<Limit> limit_of(const catalog::AlertRow& row);

}  // namespace gpuwright::artifacts
