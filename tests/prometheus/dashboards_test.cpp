// Every expression of every dashboard, asked of a real Prometheus that scrapes a simulated node.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "artifacts/grafana.h"
#include "support/diagnose.h"
#include "support/prometheus.h"
#include "support/served.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

/// As Grafana fills it in where everything is chosen. The time shown is short, for the node is young.
std::string filled(std::string expr) {
  for (const char* choice : {"$node", "$gpu", "$job"}) expr = base::replace_all(expr, choice, ".*");
  expr = base::replace_all(expr, "[$__range:1m]", "[30s:1s]");
  expr = base::replace_all(expr, "$__rate_interval", "10s");
  expr = base::replace_all(expr, "$__range", "30s");
  return base::replace_all(expr, "$price", "2.5");
}

struct Asked {
  std::string panel;
  std::string expr;
  bool may_be_empty = false;
};

std::vector<Asked> all_expressions() {
  std::vector<Asked> all;
  for (const std::string& name : artifacts::dashboard_names(knowledge())) {
    for (const catalog::PanelRow& panel :
         artifacts::dashboard_panels(knowledge(), name, catalog::Language::English)) {
      for (const std::string& expr : panel.exprs)
        all.push_back({name + ": " + panel.title, filled(expr), !panel.empty.empty()});
    }
  }
  return all;
}

TEST(Dashboards, EachExpressionIsTakenAndAnswersSomething) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const TempFolder folder;
  const Background job({"sleep", "300"}, folder.path() + "/job");
  const Served node("boards 8 h100-sxm\nload 60\nprocess 2 " + std::to_string(job.pid()) + " sleep 40GiB\n",
                    {"--period", "500ms", "--whole-period", "1s"});
  const Prometheus prometheus(scrape_config({"127.0.0.1:" + std::to_string(node.port())}));
  ASSERT_TRUE(prometheus.becomes("sum(gpuwright_gpu_up)", "8")) << prometheus.said();
  ASSERT_TRUE(prometheus.becomes("count(gpuwright_gpu_user_info)", "1")) << prometheus.said();
  ASSERT_TRUE(prometheus.becomes("count(rate(gpuwright_node_disk_bytes_total[10s])) > bool 0", "1"));
  for (const Asked& asked : all_expressions()) {
    std::string last;
    const auto answers = [&] {
      const auto data = prometheus.query(asked.expr);
      last = data ? "nothing" : data.error().message;
      return data && (asked.may_be_empty || !(*data)["result"].items.empty());
    };
    bool good = answers();
    for (int i = 0; i < 50 && !good && last == "nothing"; ++i) {  // a rate needs two scrapes
      ::usleep(200'000);
      good = answers();
    }
    EXPECT_TRUE(good) << asked.panel << "\n  " << asked.expr << "\n  " << last;
  }
}

TEST(Dashboards, AnExpressionThatIsNoneWouldBeSeen) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus("global: {}\n");
  EXPECT_FALSE(prometheus.query("sum(gpuwright_gpu_up{gpu=~'.*')").ok());
  EXPECT_TRUE(prometheus.query("sum(gpuwright_gpu_up{gpu=~'.*'})").ok());
}

}  // namespace
}  // namespace gpuwright::tests
