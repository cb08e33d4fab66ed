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

/// Kubernetes: the nodes that have GPUs, at port 9400; KubernetesPods: the pods of gpuwright, wherever they
/// listen.
enum class Discovery { Static, File, Kubernetes, KubernetesPods };

struct ScrapeOptions {
  Discovery discovery = Discovery::Static;
  std::vector<std::string> targets;  ///< host:port, with Static
  std::string target_file;           ///< with File
  std::string rules_file = "gpuwright-rules.yml";
  std::string alertmanager;  ///< host:port; empty: none
};
/// A prometheus.yml.
std::string prometheus_config(const ScrapeOptions& options);

/// A node to scrape, for file_sd.
struct ScrapeTarget {
  std::string name;     ///< what the series shall call it
  std::string address;  ///< host or address
  int port = 9400;
  std::vector<std::string> partitions;  ///< of Slurm
};
/// The JSON that `file_sd_configs` reads: one group a node, labels instance, node and slurm_partitions.
std::string prometheus_targets(const std::vector<ScrapeTarget>& targets);

/// A Service and a ServiceMonitor of the Prometheus operator, for pods of gpuwright.
/// Source: https://prometheus-operator.dev/docs/api-reference/api/ (monitoring.coreos.com/v1).
std::string service_monitor(const std::string& kubernetes_namespace);

/// An alertmanager.yml that sends what is critical at once and the rest after a while to `webhook`.
std::string alertmanager_config(const std::string& webhook);

}  // namespace gpuwright::artifacts
