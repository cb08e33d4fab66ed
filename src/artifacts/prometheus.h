// What Prometheus and Alertmanager are fed with, from the one table of metrics: alert rules with the text of
// what to do, the tests of these rules for promtool, scrape configurations, a first routing of alerts.
// Source: https://prometheus.io/docs/prometheus/latest/configuration/, .../unit_testing_rules/,
// https://prometheus.io/docs/alerting/latest/configuration/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <string>
#include <vector>

namespace gpuwright::artifacts {

/// Rules as YAML. `language`: of summaries and runbooks.
std::string prometheus_rules(const catalog::Catalog& catalog, catalog::Language language);

/// Tests of these rules: each rings on the values that its row names, and stays quiet on the others.
/// `rules_file`: where prometheus_rules() will stand.
std::string prometheus_rule_tests(const catalog::Catalog& catalog, catalog::Language language,
                                  const std::string& rules_file);

enum class Discovery { Static, File, Kubernetes };

struct ScrapeOptions {
  Discovery discovery = Discovery::Static;
  std::vector<std::string> targets;  ///< host:port, with Static
  std::string target_file;           ///< with File
  std::string rules_file = "gpuwright-rules.yml";
  std::string alertmanager;  ///< host:port; empty: none
};
/// A prometheus.yml.
std::string prometheus_config(const ScrapeOptions& options);

/// An alertmanager.yml that sends what is critical at once and the rest after a while to `webhook`.
std::string alertmanager_config(const std::string& webhook);

}  // namespace gpuwright::artifacts
