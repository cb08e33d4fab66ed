// Incidents told to others: a webhook of the test's own, and a real Alertmanager.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_client.h"
#include "kit/json.h"

#include "artifacts/prometheus.h"
#include "support/background.h"
#include "support/http_site.h"
#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kLostAndBack = "boards 4 h100-sxm\nat 4s gpu 3 lost\nat 16s gpu 3 reset\n";

TEST(ServeReceivers, AWebhookIsToldWhenAnIncidentBeginsAndEnds) {
  std::mutex mutex;
  std::vector<std::string> bodies;
  std::string key;
  HttpSite site{kit::HttpOptions(), [&](const kit::HttpRequest& request) {
                  const std::lock_guard<std::mutex> lock(mutex);
                  bodies.push_back(request.body);
                  key = request.header("x-key").value_or("");
                  return kit::text_response(200, "thanks\n");
                }};
  const TempFolder folder;
  const std::string header = folder.write("header", "X-Key: hush-hush\n");
  Served node(kLostAndBack, {"--look-period", "1s", "--webhook", site.url("/hook/secret-path"),
                             "--webhook-header-file", header});
  const auto of_gpu = [&](const char* event) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const std::string& body : bodies) {
      if (body.find("gpu-lost-to-driver") != std::string::npos && body.find(event) != std::string::npos)
        return body;
    }
    return std::string();
  };
  for (int i = 0; i < 600 && of_gpu("\"event\":\"ended\"").empty(); ++i) ::usleep(100'000);
  const std::string begun = of_gpu("\"event\":\"begun\""), ended = of_gpu("\"event\":\"ended\"");
  EXPECT_THAT(begun, HasSubstr("\"subject\":\"0000:61:00\",\"gpu\":3"));
  EXPECT_THAT(begun, HasSubstr("\"now_zh\":["));
  EXPECT_THAT(ended, HasSubstr("\"ended_by_zh\":\""));
  const std::string schema = read_file(source_dir() + "/docs/schema/webhook.schema.json");
  EXPECT_THAT(schema_breaches(begun, schema), IsEmpty());
  EXPECT_THAT(schema_breaches(ended, schema), IsEmpty());
  const auto key_of = [](const std::string& body) {
    const auto json = kit::parse_json(body, "webhook");
    return json ? (*json)["incident"]["key"].text() : std::string();
  };
  EXPECT_EQ(key_of(begun), key_of(ended));
  EXPECT_EQ(key, "hush-hush");
  EXPECT_TRUE(node.metrics_tell("gpuwright_receiver_up{receiver=\"webhook\"} 1\n"));
  EXPECT_NE(node.value("gpuwright_notices_delivered_total{receiver=\"webhook\"}"), "0");
  EXPECT_EQ(node.value("gpuwright_notices_dropped_total{receiver=\"webhook\"}"), "0");
  EXPECT_THAT(node.get("/api/v1/node").body, HasSubstr("\"receivers\":[{\"name\":\"webhook\""));
  const std::string told = node.said() + node.get("/api/v1/node").body + node.get("/metrics").body;
  EXPECT_EQ(told.find("hush-hush"), std::string::npos);
  EXPECT_EQ(told.find("secret-path"), std::string::npos);
}

TEST(ServeReceivers, AReceiverThatIsAwayHoldsUpNobody) {
  const std::string url = "http://127.0.0.1:" + std::to_string(free_port()) + "/";
  const Served node("boards 2 h100-sxm\ngpu 1 lost\n", {"--look-period", "1s", "--webhook", url});
  ASSERT_TRUE(node.metrics_tell("gpuwright_receiver_up{receiver=\"webhook\"} 0\n", std::chrono::seconds(40)));
  EXPECT_TRUE(node.metrics_tell("gpuwright_notices_waiting{receiver=\"webhook\"} 1\n"));
  EXPECT_TRUE(node.tells("/api/v1/node", "\"receivers\":[{\"name\":\"webhook\",\"where\":\"" +
                                             url.substr(0, url.size() - 1) + "\",\"up\":false"));
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_up{gpu=\"0\""));
}

class WithAlertmanager : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run({"prometheus-alertmanager", "--version"}).exit_code != 0)
      GTEST_SKIP() << "prometheus-alertmanager is not installed";
    const std::string config =
        folder_.write("am.yml", artifacts::alertmanager_config("http://127.0.0.1:9/nobody"));
    program_ = std::make_unique<Background>(
        std::vector<std::string>{"prometheus-alertmanager", "--config.file=" + config,
                                 "--storage.path=" + folder_.path() + "/data", "--cluster.listen-address=",
                                 "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
        folder_.path() + "/log");
    for (int i = 0; i < 200 && !asked("/-/ready").ok(); ++i) ::usleep(50'000);
  }
  base::Result<kit::HttpAnswer> asked(const std::string& path) const {
    return kit::http_get(url() + path, std::chrono::seconds(5));
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The alerts of that name that ring now.
  std::vector<kit::Node> ringing(const std::string& name) const {
    const auto answer = asked("/api/v2/alerts?active=true");
    const auto json =
        answer ? kit::parse_json(answer->body, "alerts") : base::Result<kit::Node>(answer.error());
    std::vector<kit::Node> all;
    if (!json) return all;
    for (const kit::Node& alert : json->items) {
      if (alert["labels"]["alertname"].text() == name) all.push_back(alert);
    }
    return all;
  }
  bool becomes(const std::string& name, std::size_t count) const {
    for (int i = 0; i < 600; ++i) {
      if (ringing(name).size() == count) return true;
      ::usleep(100'000);
    }
    return false;
  }

  TempFolder folder_;
  int port_ = free_port();
  std::unique_ptr<Background> program_;
};

TEST_F(WithAlertmanager, AnAlertRingsIsSentAgainBeforeItExpiresAndIsResolved) {
  const std::string name = "GpuLostToDriver";
  const Served node("boards 4 h100-sxm\nat 4s gpu 3 lost\nat 30s gpu 3 reset\n",
                    {"--look-period", "1s", "--alertmanager", url() + "/", "--alert-resend", "1s"});
  ASSERT_TRUE(becomes(name, 1)) << program_->said() << node.said();
  const kit::Node alert = ringing(name).front();
  EXPECT_EQ(alert["labels"]["gpu"].text(), "3");
  EXPECT_EQ(alert["labels"]["uuid"].text(), "GPU-fa4e0000-2330-4000-8000-000000000003");
  EXPECT_EQ(alert["labels"]["severity"].text(), "critical");
  EXPECT_EQ(alert["labels"]["simulated"].text(), "true");
  EXPECT_THAT(alert["annotations"]["description"].text(), ::testing::Not(IsEmpty()));
  EXPECT_THAT(alert["annotations"]["summary_zh"].text(), HasSubstr("GPU"));
  ::usleep(8'000'000);  // twice as long as one sending holds
  EXPECT_EQ(ringing(name).size(), 1U);
  EXPECT_TRUE(becomes(name, 0)) << "it is resolved when the GPU answers again";
  EXPECT_TRUE(node.metrics_tell("gpuwright_receiver_up{receiver=\"alertmanager\"} 1\n"));
}

TEST_F(WithAlertmanager, AnAlertOfADaemonThatDiedExpires) {
  Served node("boards 4 h100-sxm\nat 3s gpu 3 lost\n",
              {"--look-period", "1s", "--alertmanager", url(), "--alert-resend", "1s"});
  ASSERT_TRUE(becomes("GpuLostToDriver", 1));
  node.stop(SIGKILL);
  EXPECT_TRUE(becomes("GpuLostToDriver", 0));
}

TEST(ServeReceivers, WrongOnesAreOneLineThatHoldsNoSecret) {
  const TempFolder folder;
  struct {
    std::vector<std::string> options;
    const char* why;
  } cases[] = {
      {{"--webhook", "ftp://hush/"}, "--webhook"},
      {{"--alertmanager", "hush"}, "--alertmanager"},
      {{"--webhook-header-file", "/x"}, "needs --webhook"},
      {{"--webhook", "http://127.0.0.1:1/", "--webhook-header-file", folder.write("bad", "hush\n")},
       "no header"},
      {{"--webhook", "http://127.0.0.1:1/", "--webhook-header-file", "/no/such"}, "/no/such"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> argv = {"timeout", "10", program(), "serve", "--no-history"};
    argv.insert(argv.end(), one.options.begin(), one.options.end());
    const Ran ran = run(argv);
    EXPECT_EQ(ran.exit_code, 2) << one.why << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(one.why));
    EXPECT_EQ(ran.err.find("hush"), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace gpuwright::tests
