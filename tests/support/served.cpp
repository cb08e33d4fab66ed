// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/served.h"

#include "base/text.h"

#include "support/paths.h"
#include "support/sampling.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace gpuwright::tests {

Served::Served(const std::string& scenario, const std::vector<std::string>& options) : port_(free_port()) {
  use_scenario(folder_.write("scenario", scenario));
  std::vector<std::string> argv = {program(), "serve", "--listen", "127.0.0.1:" + std::to_string(port_)};
  argv.insert(argv.end(), options.begin(), options.end());
  // Many at once must not share the machine's file.
  if (std::find(options.begin(), options.end(), "--history") == options.end())
    argv.emplace_back("--no-history");
  program_ = std::make_unique<Background>(argv, folder_.path() + "/log");
  EXPECT_TRUE(program_->says("serving on")) << program_->said();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (get("/readyz").status != 200 && std::chrono::steady_clock::now() < end) ::usleep(20'000);
}

std::string Served::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

kit::HttpAnswer Served::get(const std::string& path, const kit::HttpHeaders& headers) const {
  kit::HttpCall call;
  call.url = url(path);
  call.headers = headers;
  auto answer = kit::http_call(call);
  if (answer) return *answer;
  kit::HttpAnswer none;
  none.body = answer.error().message;
  return none;
}

bool Served::metrics_tell(const std::string& text, std::chrono::seconds limit) const {
  return tells("/metrics", text, limit);
}

bool Served::tells(const std::string& path, const std::string& text, std::chrono::seconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    if (base::contains(get(path).body, text)) return true;
    ::usleep(100'000);
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

std::string Served::value(const std::string& series) const {
  const std::string body = get("/metrics").body;
  for (const std::string_view line : base::lines(body)) {
    if (line.starts_with(series) && line.size() > series.size() && line[series.size()] == ' ')
      return std::string(line.substr(series.size() + 1));
  }
  return {};
}

}  // namespace gpuwright::tests
