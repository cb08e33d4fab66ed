// The list, and the small functions that turn a request into a question to the content; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "server/routes.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "server/security_headers.h"

namespace gpuwright::server {

namespace {

using kit::HttpRequest;
using kit::HttpResponse;

constexpr std::string_view kApi = "/api/v1/";

HttpResponse metrics(Content& content, const HttpRequest& request) {
  const Wanted wanted = negotiate(request.header("accept"), request.header("accept-encoding"));
  HttpResponse response;
  response.body = content.metrics(wanted.format, wanted.gzip);
  response.headers.push_back({"Content-Type", report::content_type(wanted.format)});
  if (wanted.gzip) response.headers.push_back({"Content-Encoding", "gzip"});
  response.headers.push_back({"Vary", "Accept, Accept-Encoding"});
  add_security_headers(response, Keep::Nothing);
  return response;
}

HttpResponse said(const Health& health) {
  HttpResponse response = kit::text_response(health.good ? 200 : 503, health.text + "\n");
  add_security_headers(response, Keep::Nothing);
  return response;
}

HttpResponse health(Content& content, const HttpRequest&) {
  return said(content.health());
}
HttpResponse ready(Content& content, const HttpRequest&) {
  return said(content.ready());
}

HttpResponse events(Content& content, const HttpRequest& request) {
  HttpResponse response = content.events(request.header("last-event-id").value_or(""));
  add_security_headers(response, Keep::Nothing);
  return response;
}

HttpResponse api(Content& content, const HttpRequest& request) {
  HttpResponse response = content.api(request.path.substr(kApi.size()), request.query);
  add_security_headers(response, Keep::Nothing);
  return response;
}

HttpResponse act(Content& content, const HttpRequest& request) {
  HttpResponse response = content.act(request.path.substr(kApi.size()), request.body);
  add_security_headers(response, Keep::Nothing);
  return response;
}

HttpResponse page(Content& content, const HttpRequest& request) {
  const std::optional<Page> found = content.page(request.path);
  if (!found) return error_response(request.path, 404, "there is nothing here");
  const std::string tag = '"' + found->tag + '"';
  const bool gzip = found->gzip && accepts_gzip(request.header("accept-encoding"));
  HttpResponse response;
  response.headers.push_back({"ETag", tag});
  response.headers.push_back({"Vary", "Accept-Encoding"});
  add_security_headers(response, Keep::IfTheSame);
  if (request.header("if-none-match") == tag) {
    response.status = 304;
    return response;
  }
  response.headers.push_back({"Content-Type", found->content_type});
  if (gzip) response.headers.push_back({"Content-Encoding", "gzip"});
  response.body = gzip ? found->gzip : found->body;
  return response;
}

constexpr Route kRoutes[] = {
    {"GET", "/metrics", Need::Token, true, metrics}, {"GET", "/healthz", Need::Open, true, health},
    {"GET", "/readyz", Need::Open, true, ready},     {"GET", "/api/v1/events", Need::Token, false, events},
    {"GET", "/api/v1/*", Need::Token, false, api},   {"POST", "/api/v1/*", Need::WriteToken, false, act},
    {"GET", "/*", Need::Open, false, page},  // the page holds nothing of the machine: it asks for that
};

bool fits(std::string_view pattern, std::string_view path) {
  if (pattern.back() != '*') return pattern == path;
  pattern.remove_suffix(1);
  return path.substr(0, pattern.size()) == pattern;
}

}  // namespace

std::span<const Route> all_routes() {
  return kRoutes;
}

Routed find_route(std::string_view method, std::string_view path, bool metrics_only) {
  const std::string_view asked = method == "HEAD" ? "GET" : method;
  Routed routed;
  for (const Route& route : kRoutes) {
    if ((metrics_only && !route.with_metrics) || !fits(route.pattern, path)) continue;
    if (asked == route.method) return {&route, 200, {}};
    if (base::contains(routed.allowed, route.method)) continue;
    if (!routed.allowed.empty()) routed.allowed += ", ";
    routed.allowed += route.method;
    if (std::string_view(route.method) == "GET") routed.allowed += ", HEAD";
    routed.status = 405;
  }
  return routed;
}

kit::HttpResponse error_response(std::string_view path, int status, const std::string& text) {
  kit::HttpResponse response = kit::text_response(status, text + "\n");
  if (path.substr(0, 5) == "/api/") {
    base::JsonWriter json;
    json.begin_object();
    json.key("error").string(text);
    json.end_object();
    response = kit::text_response(status, json.text() + "\n");
    response.headers[0].value = "application/json";
  }
  add_security_headers(response, Keep::Nothing);
  return response;
}

}  // namespace gpuwright::server
