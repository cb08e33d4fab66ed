// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/prometheus.h"

#include "base/url.h"
#include "kit/http_client.h"
#include "kit/json.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gpuwright::tests {

bool Prometheus::installed() {
  return run({"prometheus", "--version"}).exit_code == 0;
}

Prometheus::Prometheus(const std::string& config, const std::vector<std::string>& flags,
                       const std::string& data)
    : port_(free_port()) {
  std::vector<std::string> argv = {"prometheus", "--config.file=" + folder_.write("prometheus.yml", config),
                                   "--storage.tsdb.path=" + (data.empty() ? folder_.path() + "/data" : data),
                                   "--web.listen-address=127.0.0.1:" + std::to_string(port_)};
  argv.insert(argv.end(), flags.begin(), flags.end());
  program_ = std::make_unique<Background>(argv, folder_.path() + "/log");
  EXPECT_TRUE(program_->says("Server is ready to receive web requests")) << program_->said();
}

std::string Prometheus::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

base::Result<kit::Node> Prometheus::query(const std::string& expression, const std::string& time) const {
  std::string form = "query=" + base::percent_encode(expression);
  if (!time.empty()) form += "&time=" + time;
  GPUWRIGHT_TRY(const kit::HttpAnswer answer,
                kit::http_post(url("/api/v1/query"), form, "application/x-www-form-urlencoded",
                               std::chrono::seconds(20)));
  GPUWRIGHT_TRY(const kit::Node json, kit::parse_json(answer.body, "prometheus"));
  if (json["status"].text() != "success")
    return base::make_error(base::ErrorKind::Malformed, json["error"].text());
  return json["data"];
}

std::string Prometheus::value(const std::string& expression) const {
  const auto data = query(expression);
  if (!data || (*data)["result"].items.empty()) return {};
  const auto& pair = (*data)["result"].items.front()["value"].items;
  return pair.size() == 2 ? pair.back().text() : std::string();
}

bool Prometheus::becomes(const std::string& expression, const std::string& wanted,
                         std::chrono::seconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    if (value(expression) == wanted) return true;
    ::usleep(100'000);
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

std::string scrape_config(const std::vector<std::string>& targets) {
  std::string config =
      "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
      "scrape_configs:\n- job_name: gpu\n  static_configs:\n  - targets:\n";
  for (const std::string& target : targets) config += "    - '" + target + "'\n";
  return config;
}

}  // namespace gpuwright::tests
