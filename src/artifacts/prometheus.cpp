// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "artifacts/prometheus.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "base/url.h"

#include "artifacts/alert_text.h"
#include <fmt/core.h>

namespace gpuwright::artifacts {

namespace {

/// A double-quoted scalar of YAML, which reads the escapes of JSON.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter == '\n') {
      out += "\\n";
    } else {
      out += letter;
    }
  }
  return out + "\"";
}

}  // namespace

namespace {

constexpr const char* kRecords = "metrics/records";  ///< data/metrics/records.csv

/// What dashboards of large fleets would compute again and again.
std::string records(const catalog::Catalog& catalog) {
  const base::CsvTable* table = catalog.table(kRecords);
  if (table == nullptr || table->rows.empty()) return {};
  std::string text = "- name: gpuwright-records\n  rules:\n";
  for (const base::CsvTable::Row& row : table->rows)
    text += fmt::format("  - record: {}\n    expr: {}\n", table->cell(row, "name"),
                        quoted(with_limits(catalog, table->cell(row, "expr"))));
  return text;
}

}  // namespace

std::string prometheus_rules(const catalog::Catalog& catalog, catalog::Language language) {
  const catalog::Metrics& metrics = catalog.metrics();
  std::string text = "# Rules for gpuwright serve; `gpuwright render prometheus-rules` made them.\ngroups:\n";
  text += records(catalog);
  text += "- name: gpuwright\n  rules:\n";
  for (const catalog::AlertRow& row : metrics.alerts) {
    const std::string& summary = language == catalog::Language::Chinese ? row.summary_zh : row.summary;
    text += fmt::format("  - alert: {}\n    expr: {}\n    for: {}\n", row.name,
                        quoted(alert_expression(metrics, row)), row.hold);
    text += fmt::format("    labels: {{severity: {}}}\n", row.severity);
    text += fmt::format("    annotations:\n      summary: {}\n      runbook: {}\n", quoted(summary),
                        quoted(runbook(catalog, row, language)));
  }
  return text;
}

namespace {

std::string input_series(const std::string& series_text, const std::string& values) {
  std::string text = "  interval: 1m\n  input_series:\n";
  const auto series = base::split(series_text, ';');
  const auto all = base::split(values, ';');
  for (std::size_t at = 0; at < series.size() && at < all.size(); ++at) {
    text += fmt::format("  - series: {}\n    values: {}\n", quoted(std::string(series[at])),
                        quoted(std::string(all[at])));
  }
  return text;
}

/// Each recording rule gives the value that its row expects, and one series.
std::string record_tests(const catalog::Catalog& catalog) {
  const base::CsvTable* table = catalog.table(kRecords);
  std::string text;
  if (table == nullptr) return text;
  for (const base::CsvTable::Row& row : table->rows) {
    const std::string name = table->cell(row, "name");
    text += fmt::format("- name: {}\n", quoted(name)) +
            input_series(table->cell(row, "series"), table->cell(row, "values"));
    text += fmt::format("  promql_expr_test:\n  - expr: \"sum({0}) and count({0}) == 1\"\n", name);
    text += fmt::format("    eval_time: 30m\n    exp_samples: [{{labels: '{{}}', value: {}}}]\n",
                        table->cell(row, "expected"));
  }
  return text;
}

std::string test_case(const catalog::AlertRow& row, const std::string& values, bool rings) {
  std::string text = fmt::format("- name: {} {}\n", row.name, rings ? "rings" : "is quiet") +
                     input_series(row.series, values);
  // How often it rings is told; labels and texts are those of the rule itself.
  text += fmt::format(
      "  promql_expr_test:\n  - expr: count(ALERTS{{alertname='{}',alertstate='firing'}}) or vector(0)\n",
      row.name);
  return text +
         fmt::format("    eval_time: 30m\n    exp_samples: [{{labels: '{{}}', value: {}}}]\n", rings ? 1 : 0);
}

}  // namespace

std::string prometheus_rule_tests(const catalog::Catalog& catalog, catalog::Language /*language*/,
                                  const std::string& rules_file) {
  std::string text = fmt::format("rule_files: [{}]\nevaluation_interval: 1m\ntests:\n", quoted(rules_file));
  for (const catalog::AlertRow& row : catalog.metrics().alerts) {
    text += test_case(row, row.fires, true);
    text += test_case(row, row.quiet, false);
  }
  return text + record_tests(catalog);
}

namespace {

/// Nodes keep their name when their address changes, so that is what series are told by.
constexpr const char* kOfNodes =
    "  - source_labels: [__meta_kubernetes_node_label_nvidia_com_gpu_present]\n"
    "    regex: \"true\"\n    action: keep\n"
    "  - source_labels: [__meta_kubernetes_node_address_InternalIP]\n"
    "    replacement: \"$1:9400\"\n    target_label: __address__\n"
    "  - source_labels: [__meta_kubernetes_node_name]\n    target_label: node\n"
    "  - source_labels: [__meta_kubernetes_node_name]\n    target_label: instance\n";
constexpr const char* kOfPods =
    "  - source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name]\n"
    "    regex: gpuwright\n    action: keep\n"
    "  - source_labels: [__meta_kubernetes_pod_container_port_name]\n"
    "    regex: metrics\n    action: keep\n"
    "  - source_labels: [__meta_kubernetes_pod_phase]\n"
    "    regex: Succeeded|Failed\n    action: drop\n"
    "  - source_labels: [__meta_kubernetes_pod_node_name]\n    target_label: node\n"
    "  - source_labels: [__meta_kubernetes_pod_node_name]\n    target_label: instance\n";

}  // namespace

std::string prometheus_config(const ScrapeOptions& options) {
  std::string text = "global: {scrape_interval: 15s, evaluation_interval: 15s}\n";
  text += fmt::format("rule_files: [{}]\n", quoted(options.rules_file));
  if (!options.alertmanager.empty()) {
    text += fmt::format("alerting:\n  alertmanagers:\n  - static_configs:\n    - targets: [{}]\n",
                        quoted(options.alertmanager));
  }
  text += "scrape_configs:\n- job_name: gpuwright\n";
  if (options.discovery == Discovery::Static) {
    text += "  static_configs:\n  - targets:\n";
    for (const std::string& target : options.targets) text += fmt::format("    - {}\n", quoted(target));
    return text;
  }
  if (options.discovery == Discovery::File)
    return text + fmt::format("  file_sd_configs:\n  - files: [{}]\n", quoted(options.target_file));
  const bool pods = options.discovery == Discovery::KubernetesPods;
  text += fmt::format("  kubernetes_sd_configs:\n  - role: {}\n  relabel_configs:\n", pods ? "pod" : "node");
  return text + (pods ? kOfPods : kOfNodes);
}

std::string prometheus_targets(const std::vector<ScrapeTarget>& targets) {
  base::JsonWriter json;
  json.begin_array();
  for (const ScrapeTarget& target : targets) {
    json.begin_object().key("targets").begin_array();
    json.string(base::host_port_text(target.address, target.port)).end_array();
    json.key("labels").begin_object();
    json.key("instance").string(target.name).key("node").string(target.name);
    if (!target.partitions.empty()) json.key("slurm_partitions").string(base::join(target.partitions, ","));
    json.end_object().end_object();
  }
  json.end_array();
  return json.text() + "\n";
}

std::string service_monitor(const std::string& kubernetes_namespace) {
  return fmt::format(
      "# For pods with the label app.kubernetes.io/name: gpuwright and a port of the name \"metrics\" "
      "(9400).\n"
      "apiVersion: v1\nkind: Service\nmetadata:\n  name: gpuwright\n  namespace: {0}\n"
      "  labels: {{app.kubernetes.io/name: gpuwright}}\n"
      "spec:\n  clusterIP: None\n  selector: {{app.kubernetes.io/name: gpuwright}}\n"
      "  ports:\n  - {{name: metrics, port: 9400, targetPort: metrics}}\n"
      "---\n"
      "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: gpuwright\n"
      "  namespace: {0}\n  labels: {{app.kubernetes.io/name: gpuwright}}\n"
      "spec:\n  selector:\n    matchLabels: {{app.kubernetes.io/name: gpuwright}}\n"
      "  endpoints:\n  - port: metrics\n    interval: 15s\n    scrapeTimeout: 10s\n"
      "    relabelings:\n"
      "    - {{sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: node}}\n"
      "    - {{sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: instance}}\n",
      quoted(kubernetes_namespace));
}

std::string alertmanager_config(const std::string& webhook) {
  return fmt::format(
      "route:\n  receiver: operators\n  group_by: [alertname, instance]\n  group_wait: 30s\n"
      "  group_interval: 5m\n  repeat_interval: 4h\n"
      "  routes:\n  - matchers: ['severity=\"critical\"']\n    receiver: operators\n    group_wait: 5s\n"
      "    repeat_interval: 1h\n"
      "inhibit_rules:\n- source_matchers: ['alertname=\"GpuDown\"']\n"
      "  target_matchers: ['alertname=\"GpuSamplesStale\"']\n  equal: [instance, gpu]\n"
      "receivers:\n- name: operators\n  webhook_configs:\n  - url: {}\n    send_resolved: true\n",
      quoted(webhook));
}

}  // namespace gpuwright::artifacts
