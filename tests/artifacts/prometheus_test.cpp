// What Prometheus is fed with, as its own tools see it.
// SPDX-License-Identifier: Apache-2.0
#include "artifacts/prometheus.h"

#include "kit/json.h"
#include "kit/yaml.h"

#include "support/diagnose.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Rendered : public ::testing::TestWithParam<catalog::Language> {
 protected:
  void SetUp() override {
    if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
    rules_ = folder_.write("rules.yml", artifacts::prometheus_rules(knowledge(), GetParam()));
  }
  TempFolder folder_;
  std::string rules_;
};

TEST_P(Rendered, EachRuleRingsWhenItShouldAndIsQuietWhenItShould) {
  const Ran checked = run({"promtool", "check", "rules", rules_});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const std::string tests =
      folder_.write("tests.yml", artifacts::prometheus_rule_tests(knowledge(), GetParam(), rules_));
  const Ran tested = run({"promtool", "test", "rules", tests});
  EXPECT_EQ(tested.exit_code, 0) << tested.out << tested.err;
}

TEST_P(Rendered, TheTestsWouldSeeARuleThatNeverRings) {
  std::string rules = artifacts::prometheus_rules(knowledge(), GetParam());
  const std::string rule = "gpuwright_gpu_row_remap_pending == 1";
  ASSERT_THAT(rules, HasSubstr(rule));
  rules.replace(rules.find(rule), rule.size(), "gpuwright_gpu_row_remap_pending == 2");
  const std::string broken = folder_.write("broken.yml", rules);
  const std::string tests =
      folder_.write("tests.yml", artifacts::prometheus_rule_tests(knowledge(), GetParam(), broken));
  EXPECT_NE(run({"promtool", "test", "rules", tests}).exit_code, 0);
}

TEST_P(Rendered, TheTestsWouldSeeARecordOfAnotherValue) {
  std::string rules = artifacts::prometheus_rules(knowledge(), GetParam());
  const std::string rule = "sum by (instance) (gpuwright_gpu_power_watts)";
  ASSERT_THAT(rules, HasSubstr(rule));
  rules.replace(rules.find(rule), 3, "max");
  const std::string broken = folder_.write("broken.yml", rules);
  const std::string tests =
      folder_.write("tests.yml", artifacts::prometheus_rule_tests(knowledge(), GetParam(), broken));
  EXPECT_NE(run({"promtool", "test", "rules", tests}).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Languages, Rendered,
                         ::testing::Values(catalog::Language::English, catalog::Language::Chinese));

TEST(PrometheusRules, EachRowIsWhole) {
  std::set<std::string> names;
  for (const catalog::AlertRow& row : knowledge().metrics().alerts) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.cause.empty() || knowledge().cause(row.cause) != nullptr) << row.cause;
    EXPECT_FALSE(row.summary.empty() || row.summary_zh.empty() || row.fires.empty() || row.quiet.empty())
        << row.name;
    EXPECT_THAT(row.expr, Not(HasSubstr("\""))) << row.name;
  }
}

TEST(PrometheusConfig, IsTaken) {
  if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
  const TempFolder folder;
  artifacts::ScrapeOptions options;
  options.targets = {"node1:9400", "[::1]:9400"};
  options.alertmanager = "127.0.0.1:9093";
  options.rules_file =
      folder.write("rules.yml", artifacts::prometheus_rules(knowledge(), catalog::Language::English));
  for (const auto discovery : {artifacts::Discovery::Static, artifacts::Discovery::File}) {
    options.discovery = discovery;
    options.target_file = folder.write("targets.json", "[{\"targets\": [\"node1:9400\"]}]");
    const Ran ran = run({"promtool", "check", "config",
                         folder.write("prometheus.yml", artifacts::prometheus_config(options))});
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
}

/// Every file that file_sd reads is read by promtool, too: nodes of Slurm, one with an address of its own.
TEST(PrometheusTargets, AreTaken) {
  const std::string json = artifacts::prometheus_targets(
      {{"gpu-01", "gpu-01", 9400, {"train", "debug"}}, {"gpu-02", "fd00::2", 9401, {}}});
  const auto read = kit::parse_json(json, "targets");
  ASSERT_TRUE(read.ok()) << json;
  ASSERT_EQ(read->items.size(), 2U);
  EXPECT_EQ(read->items[0]["targets"].items.at(0).text(), "gpu-01:9400");
  EXPECT_EQ(read->items[0]["labels"]["slurm_partitions"].text(), "train,debug");
  EXPECT_EQ(read->items[1]["targets"].items.at(0).text(), "[fd00::2]:9401");
  EXPECT_EQ(read->items[1]["labels"]["instance"].text(), "gpu-02");
  if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
  const TempFolder folder;
  artifacts::ScrapeOptions options;
  options.discovery = artifacts::Discovery::File;
  options.rules_file =
      folder.write("rules.yml", artifacts::prometheus_rules(knowledge(), catalog::Language::English));
  options.target_file = folder.write("targets.json", json);
  const std::string config = folder.write("prometheus.yml", artifacts::prometheus_config(options));
  EXPECT_EQ(run({"promtool", "check", "config", config}).exit_code, 0);
  (void)folder.write("targets.json", "[{\"targets\": \"gpu-01\"}]");
  EXPECT_NE(run({"promtool", "check", "config", config}).exit_code, 0) << "promtool reads that file";
}

/// The Service and the ServiceMonitor mean the same pods and the same port.
TEST(ServiceMonitor, FindsItsService) {
  const std::string text = artifacts::service_monitor("gpu-monitoring");
  const std::size_t border = text.find("---\n");
  ASSERT_NE(border, std::string::npos);
  const auto service = kit::parse_yaml(text.substr(0, border), "service");
  const auto monitor = kit::parse_yaml(text.substr(border + 4), "monitor");
  ASSERT_TRUE(service.ok() && monitor.ok()) << text;
  EXPECT_EQ((*service)["kind"].text(), "Service");
  EXPECT_EQ((*monitor)["kind"].text(), "ServiceMonitor");
  EXPECT_EQ((*monitor)["apiVersion"].text(), "monitoring.coreos.com/v1");
  for (const kit::Node* one : {&*service, &*monitor})
    EXPECT_EQ((*one)["metadata"]["namespace"].text(), "gpu-monitoring");
  const std::string label = "app.kubernetes.io/name";
  EXPECT_EQ((*monitor)["spec"]["selector"]["matchLabels"][label].text(),
            (*service)["metadata"]["labels"][label].text());
  const kit::Node& endpoint = (*monitor)["spec"]["endpoints"].items.at(0);
  EXPECT_EQ(endpoint["port"].text(), (*service)["spec"]["ports"].items.at(0)["name"].text());
  EXPECT_EQ(endpoint["relabelings"].items.at(1)["targetLabel"].text(), "instance");
}

TEST(AlertmanagerConfig, IsTaken) {
  if (run({"amtool", "--version"}).exit_code != 0) GTEST_SKIP() << "amtool is not installed";
  const TempFolder folder;
  const Ran ran = run({"amtool", "check-config",
                       folder.write("am.yml", artifacts::alertmanager_config("http://127.0.0.1:5001/hook"))});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace gpuwright::tests
