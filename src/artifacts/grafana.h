// Dashboards for Grafana 10 and later, from the table of metrics: panels.csv says what stands where; what it
// does not name gets a panel of its own on the dashboard of the node. Limits are those of the alerts. Source:
// https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <string>
#include <vector>

namespace gpuwright::artifacts {

struct DashboardOptions {
  catalog::Language language = catalog::Language::English;
  std::string price_per_gpu_hour;  ///< where the dashboard begins with; a person changes it there
};

/// "fleet", "node", "job", "cost".
std::vector<std::string> dashboard_names(const catalog::Catalog& catalog);

/// What a dashboard, a group, a legend or a reason to be empty is called (panel_titles.csv); the id itself
/// where nothing is written.
std::string panel_title(const catalog::Catalog& catalog, const std::string& kind, const std::string& id,
                        catalog::Language language);

/// The panels of one dashboard, those included that stand there by themselves. Empty for an unknown name.
std::vector<catalog::PanelRow> dashboard_panels(const catalog::Catalog& catalog, const std::string& name,
                                                catalog::Language language);

/// One dashboard as JSON, to import or to provision; its uid is "gpuwright-NAME".
std::string grafana_dashboard(const catalog::Catalog& catalog, const std::string& name,
                              const DashboardOptions& options);

/// Whether the expression asks for series of that name.
bool asks_for(const std::string& expression, const std::string& series);

}  // namespace gpuwright::artifacts
