// Doors and checks; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "server/site.h"

#include "base/text.h"
#include "server/routes.h"

#include <fmt/core.h>

#include <utility>

namespace gpuwright::server {

namespace {

kit::HttpResponse refusal(Verdict verdict, const Tokens& tokens, std::string_view path) {
  if (verdict == Verdict::WhoAreYou) {
    kit::HttpResponse response = error_response(path, 401, "this needs a token: Authorization: Bearer TOKEN");
    response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"gpuwright\""});
    return response;
  }
  return error_response(path, 403,
                        tokens.write.empty() ? "nothing can be changed here: no --write-token-file is set"
                                             : "this needs the token for writing");
}

kit::HttpOptions options_for(const Settings& settings, const ListenAddress& listen) {
  kit::HttpOptions options;
  options.address = listen.address;
  options.port = listen.port;
  options.limits = settings.limits;
  return options;
}

base::Result<Tokens> load_tokens(const Settings& settings) {
  Tokens tokens;
  if (!settings.token_file.empty()) {
    GPUWRIGHT_TRY(tokens.read, load_token(settings.token_file));
  }
  if (!settings.write_token_file.empty()) {
    GPUWRIGHT_TRY(tokens.write, load_token(settings.write_token_file));
  }
  return tokens;
}

}  // namespace

kit::HttpResponse Door::answer(Content& content, const kit::HttpRequest& request) const {
  if (loopback && !is_our_name(request.host, names))
    return error_response(request.path, 421,
                          fmt::format("{} is none of this machine's names here; --name adds one",
                                      base::printable(request.host, 100)));
  const Routed routed = find_route(request.method, request.path, metrics_only);
  if (routed.route == nullptr) {
    kit::HttpResponse response = error_response(
        request.path, routed.status,
        routed.status == 405
            ? "the method is not for this path"
            : (metrics_only ? "only /metrics, /healthz and /readyz are here" : "there is nothing here"));
    if (routed.status == 405) response.headers.push_back({"Allow", routed.allowed});
    return response;
  }
  const Need need = metrics_only ? Need::Open : routed.route->need;
  const Verdict verdict = judge(need, tokens, request.header("authorization"));
  if (verdict != Verdict::Allowed) return refusal(verdict, tokens, request.path);
  return routed.route->answer(content, request);
}

base::Result<std::unique_ptr<Site>> Site::open(kit::EventLoop& loop, const Settings& settings,
                                               Content& content) {
  GPUWRIGHT_TRY([[maybe_unused]] auto allowed, may_listen(settings));
  GPUWRIGHT_TRY(Tokens tokens, load_tokens(settings));
  std::unique_ptr<Site> site(new Site());
  const auto serve = [&](const kit::HttpOptions& options, Door door) {
    return kit::HttpServer::listen(loop, options,
                                   [&content, door = std::move(door)](const kit::HttpRequest& request) {
                                     return door.answer(content, request);
                                   });
  };
  const bool loopback = is_loopback(settings.listen.address);
  kit::HttpOptions options = options_for(settings, settings.listen);
  options.tls = settings.tls;
  GPUWRIGHT_TRY(auto all, serve(options, {false, loopback, tokens, settings.names}));
  site->notes_.push_back(fmt::format("serving on {}://{}", settings.tls ? "https" : "http",
                                     base::host_port_text(settings.listen.address, all->port())));
  if (!loopback && !settings.tls)
    site->notes_.emplace_back(
        "the token and all answers can be read on their way; add --tls-cert and --tls-key");
  site->servers_.push_back(std::move(all));
  if (!settings.metrics_listen) return site;
  const ListenAddress& metrics = *settings.metrics_listen;
  GPUWRIGHT_TRY(auto alone, serve(options_for(settings, metrics),
                                  {true, is_loopback(metrics.address), {}, settings.names}));
  site->notes_.push_back(
      fmt::format("serving /metrics, /healthz and /readyz alone, to everybody, on http://{}",
                  base::host_port_text(metrics.address, alone->port())));
  site->servers_.push_back(std::move(alone));
  return site;
}

kit::HttpCounts Site::counts() const {
  kit::HttpCounts all;
  for (const auto& server : servers_) {
    const kit::HttpCounts one = server->counts();
    all.open += one.open;
    all.streams += one.streams;
    all.accepted += one.accepted;
    all.refused += one.refused;
    all.made_room += one.made_room;
    all.answered += one.answered;
    all.malformed += one.malformed;
    all.timed_out += one.timed_out;
    all.streams_dropped += one.streams_dropped;
  }
  return all;
}

}  // namespace gpuwright::server
