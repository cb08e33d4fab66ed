// A server of one static text, for perf/http.sh: http_perf BYTES [CERTIFICATE KEY] says its port, and serves
// until it is told to end.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/event_loop.h"
#include "kit/http.h"

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace kit = gpuwright::kit;

namespace {

/// Lines as a scrape has them.
std::string exposition(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i)
    text += fmt::format("gpuwright_memory_used_bytes{{uuid=\"GPU-{:08x}\",gpu=\"{}\"}} {}\n", i * 2654435761U,
                        i % 8, i);
  text.resize(bytes);
  text.back() = '\n';
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const auto bytes = gpuwright::base::parse_int(argc > 1 ? argv[1] : "60000").value_or(60000);
  kit::EventLoop loop;
  kit::HttpOptions options;
  if (argc > 3) options.tls = kit::TlsFiles{argv[2], argv[3], ""};
  const auto body = std::make_shared<const std::string>(exposition(static_cast<std::size_t>(bytes)));
  const auto server = kit::HttpServer::listen(loop, options, [&](const kit::HttpRequest&) {
    kit::HttpResponse response;
    response.headers.push_back({"Content-Type", "text/plain; version=0.0.4; charset=utf-8"});
    response.body = body;
    return response;
  });
  const auto signals = loop.on_signal({SIGTERM, SIGINT}, [&](int) { loop.stop(); });
  if (!server.ok() || !signals.ok()) return 2;
  fmt::print("{}\n", server.value()->port());
  std::fflush(stdout);
  loop.run();
  return 0;
}
