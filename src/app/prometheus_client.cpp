// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/prometheus_client.h"

#include "base/text.h"
#include "base/url.h"
#include "kit/http_client.h"
#include "kit/json.h"

#include <fmt/core.h>

namespace gpuwright::app {

using base::ErrorKind;
using base::make_error;
using parse::PrometheusAnswer;

PrometheusClient::PrometheusClient(Options options) : options_(std::move(options)) {
  while (options_.url.ends_with('/')) options_.url.pop_back();
}

base::Result<PrometheusAnswer> PrometheusClient::ask(const std::string& what, const std::string& form) const {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  constexpr int kUnauthorized = 401, kForbidden = 403;
  kit::HttpCall call;
  call.url = options_.url + "/api/v1/" + what;
  call.method = "POST";
  call.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  if (!options_.token.empty()) call.headers.push_back({"Authorization", "Bearer " + options_.token});
  call.body = form;
  call.deadline = options_.deadline;
  call.answer_limit = kMostBytes;
  GPUWRIGHT_TRY(const kit::HttpAnswer answer, kit::http_call(call));
  if (answer.status == kUnauthorized || answer.status == kForbidden)
    return make_error(ErrorKind::Denied,
                      fmt::format("not let in (HTTP {}); give --token-file", answer.status), options_.url);
  const auto json = kit::parse_json(answer.body, options_.url);
  if (!json)
    return make_error(ErrorKind::Malformed,
                      fmt::format("no Prometheus answers there (HTTP {})", answer.status), options_.url);
  auto read = parse::read_prometheus_answer(*json);
  if (!read) return make_error(read.error().kind, read.error().message, options_.url);
  return read;
}

base::Result<PrometheusAnswer> PrometheusClient::query(const std::string& expression,
                                                       std::int64_t time) const {
  return ask("query", fmt::format("query={}&time={}", base::percent_encode(expression), time));
}

base::Result<PrometheusAnswer> PrometheusClient::query_range(const std::string& expression,
                                                             const TimeWindow& window) const {
  return ask("query_range", fmt::format("query={}&start={}&end={}&step={}", base::percent_encode(expression),
                                        window.begin, window.end - window.step, window.step));
}

base::Result<PrometheusAnswer> PrometheusClient::series(const std::string& selector,
                                                        const TimeWindow& window) const {
  return ask("series", fmt::format("match%5B%5D={}&start={}&end={}", base::percent_encode(selector),
                                   window.begin, window.end));
}

}  // namespace gpuwright::app
