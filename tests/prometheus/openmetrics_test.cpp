// OpenMetrics, proven by the real Prometheus: it asks for that form, takes our answer, and refuses the same
// answer without its last line. Between the two stands a copyist that can leave the line out.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/http_client.h"

#include "support/http_site.h"
#include "support/prometheus.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

/// Hands each scrape on to the node with the headers that Prometheus sent, and the answer back.
class Copyist {
 public:
  explicit Copyist(const Served& node)
      : node_(node), site_({}, [this](const kit::HttpRequest& request) { return copy(request); }) {}

  std::string target() const { return "127.0.0.1:" + std::to_string(site_.port()); }
  void leave_out_the_end() { cut_ = true; }
  void say_all() { cut_ = false; }
  std::string content_type() {
    std::string text;
    site_.on_loop([&] { text = content_type_; });
    return text;
  }
  std::string body() {
    std::string text;
    site_.on_loop([&] { text = body_; });
    return text;
  }

 private:
  kit::HttpResponse copy(const kit::HttpRequest& request) {
    kit::HttpHeaders asked;
    if (const auto accept = request.header("Accept")) asked.push_back({"Accept", *accept});
    const kit::HttpAnswer answer = node_.get("/metrics", asked);
    content_type_ = kit::find_header(answer.headers, "Content-Type").value_or("");
    body_ = answer.body;
    if (cut_ && body_.ends_with("# EOF\n")) body_.resize(body_.size() - 6);
    kit::HttpResponse response = kit::text_response(answer.status, body_);
    response.headers = {{"Content-Type", content_type_}};
    return response;
  }

  const Served& node_;
  std::atomic<bool> cut_{false};
  std::string content_type_;
  std::string body_;
  HttpSite site_;
};

TEST(OpenMetrics, IsAskedForTakenAndRefusedWithoutItsEnd) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const Served node("boards 8 h100-sxm\nload 50\n", {"--compat", "dcgm"});
  Copyist copyist(node);
  const Prometheus prometheus(scrape_config({copyist.target()}));
  ASSERT_TRUE(prometheus.becomes("up", "1")) << prometheus.said();
  EXPECT_THAT(copyist.content_type(), HasSubstr("application/openmetrics-text"));
  EXPECT_TRUE(copyist.body().ends_with("# EOF\n"));
  EXPECT_TRUE(prometheus.becomes("count(gpuwright_gpu_energy_joules_total)", "8"));
  copyist.leave_out_the_end();
  EXPECT_TRUE(prometheus.becomes("up", "0")) << "the answer ends anywhere";
  copyist.say_all();
  EXPECT_TRUE(prometheus.becomes("up", "1")) << prometheus.said();
}

}  // namespace
}  // namespace gpuwright::tests
