// The real Prometheus scrapes the daemon on loopback.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/http_client.h"
#include "kit/json.h"

#include "artifacts/prometheus.h"
#include "support/background.h"
#include "support/diagnose.h"
#include "support/prometheus.h"
#include "support/run.h"
#include "support/served.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

class Scraped : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  }
  /// Alerts go to the Alertmanager, where there is one; they do not have to hold for long here.
  void scrape(int port) {
    std::string rules = artifacts::prometheus_rules(knowledge(), catalog::Language::English);
    for (const char* hold : {"for: 1m", "for: 5m"}) rules = base::replace_all(rules, hold, "for: 0m");
    std::string config = scrape_config({"127.0.0.1:" + std::to_string(port)});
    config += "rule_files: ['" + folder_.write("rules.yml", rules) + "']\n";
    if (alertmanager_) {
      config += "alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:" +
                std::to_string(alertmanager_port_) + "']}]}]}\n";
    }
    prometheus_ = std::make_unique<Prometheus>(config);
  }
  void start_alertmanager() {
    alertmanager_port_ = free_port();
    const std::string config =
        folder_.write("am.yml", artifacts::alertmanager_config("http://127.0.0.1:9/nobody"));
    alertmanager_ = std::make_unique<Background>(
        std::vector<std::string>{"prometheus-alertmanager", "--config.file=" + config,
                                 "--storage.path=" + folder_.path() + "/amdata", "--cluster.listen-address=",
                                 "--web.listen-address=127.0.0.1:" + std::to_string(alertmanager_port_)},
        folder_.path() + "/am.log");
  }
  /// The alerts that ring now, as "name gpu: summary / runbook".
  std::vector<std::string> ringing() const {
    std::vector<std::string> all;
    const auto answer =
        kit::http_get("http://127.0.0.1:" + std::to_string(alertmanager_port_) + "/api/v2/alerts?active=true",
                      std::chrono::seconds(5));
    const auto json =
        answer ? kit::parse_json(answer->body, "alerts") : base::Result<kit::Node>(answer.error());
    if (!json) return all;
    for (const kit::Node& alert : json->items) {
      all.push_back(alert["labels"]["alertname"].text() + " " + alert["labels"]["gpu"].text() + ": " +
                    alert["annotations"]["summary"].text() + " / " + alert["annotations"]["runbook"].text());
    }
    return all;
  }
  template <class Matcher>
  bool alerts_become(const Matcher& matcher) const {
    for (int i = 0; i < 400; ++i) {
      if (::testing::Value(ringing(), matcher)) return true;
      ::usleep(100'000);
    }
    return false;
  }
  bool becomes(const std::string& expression, const std::string& value) const {
    return prometheus_->becomes(expression, value);
  }
  std::string query(const std::string& expression) const { return prometheus_->value(expression); }
  std::string said() const { return prometheus_->said(); }

 private:
  TempFolder folder_;
  int alertmanager_port_ = 0;
  std::unique_ptr<Background> alertmanager_;
  std::unique_ptr<Prometheus> prometheus_;
};

TEST_F(Scraped, EightGpusAreUpAndTheLostOneIsNot) {
  const Served node("boards 8 h100-sxm\nload 50\nat 8s gpu 5 lost\n", {"--compat", "dcgm"});
  scrape(node.port());
  EXPECT_TRUE(becomes("up", "1")) << said();
  EXPECT_TRUE(becomes("sum(gpuwright_gpu_up)", "8")) << said();
  EXPECT_TRUE(becomes("count(DCGM_FI_DEV_GPU_TEMP)", "8")) << said();
  EXPECT_TRUE(becomes("sum(gpuwright_gpu_up)", "7")) << said();
  EXPECT_TRUE(becomes("gpuwright_gpu_up == 0", "0"));
  EXPECT_TRUE(becomes("count(DCGM_FI_DEV_GPU_TEMP)", "7")) << "what is gone has no old values";
  // Prometheus asks for OpenMetrics first; a scrape of it that does not end in "# EOF" fails.
  EXPECT_EQ(query("count(up == 1)"), "1");
  EXPECT_TRUE(becomes("count(gpuwright_gpu_energy_joules_total)", "7"));
}

TEST_F(Scraped, AlertsReachAlertmanagerWithWhatToDoAndEnd) {
  if (run({"prometheus-alertmanager", "--version"}).exit_code != 0)
    GTEST_SKIP() << "prometheus-alertmanager is not installed";
  const TempFolder folder;
  const std::string log = folder.path() + "/kmsg";
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const int feed = ::open(log.c_str(), O_RDWR);
  const Served node(
      "boards 4 h100-sxm\nat 8s gpu 1 remap pending\nat 8s gpu 3 lost\nat 25s gpu 1 reset\nat 25s gpu 3 "
      "reset\n",
      {"--kernel-log", log, "--look-period", "5s"});
  start_alertmanager();
  scrape(node.port());
  ASSERT_TRUE(becomes("sum(gpuwright_gpu_up)", "4")) << said();
  const std::string xid =
      "4,1,5000000,-;NVRM: Xid (PCI:0000:61:00): 79, pid=1, GPU has fallen off the bus.\n";
  ASSERT_EQ(::write(feed, xid.data(), xid.size()), static_cast<ssize_t>(xid.size()));
  EXPECT_TRUE(alerts_become(::testing::Contains(HasSubstr("GpuXid 3: Xid 79 on GPU 3"))));
  EXPECT_TRUE(alerts_become(
      ::testing::Contains(::testing::AllOf(HasSubstr("GpuRowRemapPending 1: GPU 1 waits for a reset"),
                                           HasSubstr("gpuwright explain gpu-row-remap-pending")))));
  EXPECT_TRUE(alerts_become(::testing::Contains(HasSubstr("GpuDown 3: GPU 3 does not answer"))));
  EXPECT_TRUE(alerts_become(::testing::Not(::testing::Contains(HasSubstr("GpuRowRemapPending")))));
  EXPECT_TRUE(alerts_become(::testing::Not(::testing::Contains(HasSubstr("GpuDown")))))
      << ::testing::PrintToString(ringing()) << node.get("/metrics").body.substr(0, 4000);
  ::close(feed);
}

}  // namespace
}  // namespace gpuwright::tests
