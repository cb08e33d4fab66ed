// The real Prometheus scrapes the daemon on loopback.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/http_client.h"
#include "kit/json.h"

#include "support/background.h"
#include "support/run.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

namespace gpuwright::tests {
namespace {

class Scraped : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run({"prometheus", "--version"}).exit_code != 0) GTEST_SKIP() << "prometheus is not installed";
  }
  void scrape(int port) {
    port_ = free_port();
    const std::string config =
        folder_.write("prometheus.yml",
                      "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                      "scrape_configs:\n- job_name: gpu\n  static_configs: [{targets: ['127.0.0.1:" +
                          std::to_string(port) + "']}]\n");
    prometheus_ = std::make_unique<Background>(
        std::vector<std::string>{"prometheus", "--config.file=" + config,
                                 "--storage.tsdb.path=" + folder_.path() + "/data",
                                 "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
        folder_.path() + "/log");
  }
  /// The answer's first value; empty while there is none.
  std::string query(const std::string& expression) const {
    std::string encoded;
    for (const char letter : expression) {
      const bool plain =
          (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
      constexpr char kHex[] = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(letter);
      if (plain) {
        encoded += letter;
      } else {
        encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
      }
    }
    const auto answer =
        kit::http_get("http://127.0.0.1:" + std::to_string(port_) + "/api/v1/query?query=" + encoded,
                      std::chrono::seconds(5));
    if (!answer) return {};
    const auto json = kit::parse_json(answer->body, "prometheus");
    if (!json || (*json)["data"]["result"].items.empty()) return {};
    const auto& value = (*json)["data"]["result"].items.front()["value"].items;
    return value.size() == 2 ? value.back().text() : std::string();
  }
  bool becomes(const std::string& expression, const std::string& value) const {
    for (int i = 0; i < 250; ++i) {
      if (query(expression) == value) return true;
      ::usleep(100'000);
    }
    return false;
  }
  std::string said() const { return prometheus_->said(); }

 private:
  TempFolder folder_;
  int port_ = 0;
  std::unique_ptr<Background> prometheus_;
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

}  // namespace
}  // namespace gpuwright::tests
