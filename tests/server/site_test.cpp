// The doors with real clients, over a content that says what it was asked.
// SPDX-License-Identifier: Apache-2.0
#include "server/site.h"

#include "base/text.h"
#include "kit/compress.h"
#include "kit/event_stream.h"
#include "kit/http_client.h"
#include "server/routes.h"

#include "support/http_site.h"
#include "support/run.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>
#include <set>
#include <thread>

namespace gpuwright::tests {
namespace {

using namespace std::chrono_literals;

class FakeContent final : public server::Content {
 public:
  std::shared_ptr<const std::string> metrics(report::MetricsFormat format, bool gzip) override {
    const std::string text = format == report::MetricsFormat::OpenMetrics ? "open\n# EOF\n" : "text\n";
    return std::make_shared<const std::string>(gzip ? kit::gzip(text) : text);
  }
  server::Health health() override { return {true, "fine"}; }
  server::Health ready() override { return {false, "no sample yet"}; }
  kit::HttpResponse api(const std::string& path, const base::Parameters& query) override {
    if (path == "later") {
      kit::HttpResponse response;
      response.later = std::make_shared<kit::HttpLater>();
      response.later->answer(kit::text_response(200, "at last"));
      return response;
    }
    return kit::text_response(200, path + " " + std::to_string(query.size()));
  }
  kit::HttpResponse act(const std::string& path, const std::string& body) override {
    return kit::text_response(200, "did " + path + " " + body);
  }
  kit::HttpResponse events(const std::string& last_id) override {
    kit::HttpResponse response;
    response.body = std::make_shared<const std::string>(kit::event_text("hello", "after " + last_id));
    response.events = stream;
    return response;
  }
  std::optional<server::Page> page(const std::string& path) override {
    if (path != "/") return std::nullopt;
    return server::Page{"text/html; charset=utf-8", "v1", std::make_shared<const std::string>("<p>page"),
                        std::make_shared<const std::string>(kit::gzip("<p>page"))};
  }
  std::shared_ptr<kit::EventStream> stream = std::make_shared<kit::EventStream>();
};

/// Serves with these settings, on free ports.
class Doors {
 public:
  explicit Doors(server::Settings settings) {
    settings.listen.port = 0;
    if (settings.metrics_listen) settings.metrics_listen->port = 0;
    auto opened = server::Site::open(loop_, settings, content_);
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    if (!opened.ok()) return;
    site = std::move(opened).value();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Doors() {
    if (!thread_.joinable()) return;
    loop_.soon([this] { loop_.stop(); });
    thread_.join();
  }
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(site->port()) + path;
  }
  std::string metrics_url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(site->metrics_port()) + path;
  }
  /// As the loop's thread sees them.
  kit::HttpCounts counts() {
    std::promise<kit::HttpCounts> seen;
    loop_.soon([&] { seen.set_value(site->counts()); });
    return seen.get_future().get();
  }

 private:
  kit::EventLoop loop_;
  FakeContent content_;

 public:
  std::unique_ptr<server::Site> site;

 private:
  std::thread thread_;
};

kit::HttpAnswer ask(const std::string& url, kit::HttpHeaders headers = {},
                    const std::string& method = "GET") {
  kit::HttpCall call;
  call.url = url;
  call.method = method;
  call.headers = std::move(headers);
  if (method == "POST") call.body = "body";
  auto answer = kit::http_call(call);
  EXPECT_TRUE(answer.ok()) << answer.error().text();
  return answer.ok() ? std::move(answer).value() : kit::HttpAnswer{};
}

std::string header(const kit::HttpAnswer& answer, const char* name) {
  return kit::find_header(answer.headers, name).value_or("");
}

TEST(Routes, AreEachFoundAndTheWriteOnesNeedTheirToken) {
  std::set<std::string> seen;
  for (const server::Route& route : server::all_routes()) {
    EXPECT_TRUE(seen.insert(std::string(route.method) + route.pattern).second) << route.pattern;
    EXPECT_EQ(route.need == server::Need::WriteToken, std::string(route.method) != "GET") << route.pattern;
    std::string path = route.pattern;
    if (path.back() == '*') path.back() = 'x';
    EXPECT_EQ(server::find_route(route.method, path, false).route, &route) << route.pattern;
    EXPECT_EQ(server::find_route(route.method, path, true).route, route.with_metrics ? &route : nullptr);
  }
}

TEST(Site, ServesEachRouteOnLoopback) {
  const Doors doors({});
  EXPECT_EQ(ask(doors.url("/metrics")).body, "text\n");
  EXPECT_EQ(header(ask(doors.url("/metrics")), "content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ask(doors.url("/metrics"), {{"Accept", "application/openmetrics-text;version=1.0.0"}}).body,
            "open\n# EOF\n");
  EXPECT_EQ(ask(doors.url("/healthz")).body, "fine\n");
  EXPECT_EQ(ask(doors.url("/readyz")).status, 503);
  EXPECT_EQ(ask(doors.url("/api/v1/gpus/0?a=1&b=2")).body, "gpus/0 2");
  EXPECT_EQ(ask(doors.url("/api/v1/later")).body, "at last");
  EXPECT_EQ(ask(doors.url("/")).body, "<p>page");
  EXPECT_EQ(ask(doors.url("/none")).status, 404);
  EXPECT_EQ(ask(doors.url("/metrics"), {}, "HEAD").status, 200);
}

TEST(Site, GivesCurlWhatItAsksFor) {
  const Doors doors({});
  const Ran packed = run(
      {"curl", "-sSi", "--compressed", "-H", "Accept: application/openmetrics-text", doors.url("/metrics")});
  EXPECT_TRUE(base::contains(packed.out, "Content-Encoding: gzip")) << packed.out;
  EXPECT_TRUE(base::contains(packed.out, "open\n# EOF\n")) << packed.out;
  const Ran live =
      run({"curl", "-sSN", "--max-time", "0.3", "-H", "Last-Event-ID: 41", doors.url("/api/v1/events")});
  EXPECT_EQ(live.out, "event: hello\ndata: after 41\n\n");
}

TEST(Site, SaysWhichMethodsAPathHas) {
  const Doors doors({});
  const auto options = ask(doors.url("/metrics"), {}, "OPTIONS");
  EXPECT_EQ(options.status, 405);
  EXPECT_EQ(header(options, "allow"), "GET, HEAD");
  EXPECT_EQ(header(ask(doors.url("/api/v1/x"), {}, "DELETE"), "allow"), "GET, HEAD, POST");
  EXPECT_EQ(ask(doors.url("/metrics"), {}, "TRACE").status, 405);
}

TEST(Site, DressesEveryAnswer) {
  const Doors doors({});
  for (const char* path : {"/metrics", "/healthz", "/api/v1/x", "/api/v1/later", "/", "/none"}) {
    const auto answer = ask(doors.url(path));
    EXPECT_EQ(header(answer, "x-content-type-options"), "nosniff") << path;
    EXPECT_EQ(header(answer, "referrer-policy"), "no-referrer") << path;
    const std::string policy = header(answer, "content-security-policy");
    EXPECT_TRUE(base::contains(policy, "frame-ancestors 'none'")) << path;
    EXPECT_FALSE(base::contains(policy, "http")) << path;
    EXPECT_FALSE(base::contains(policy, "unsafe")) << path;
    EXPECT_EQ(header(answer, "cache-control"), std::string(path) == "/" ? "no-cache" : "no-store") << path;
    EXPECT_EQ(header(answer, "access-control-allow-origin"), "") << path;
  }
}

TEST(Site, SendsThePageOnce) {
  const Doors doors({});
  const auto first = ask(doors.url("/"));
  EXPECT_EQ(header(first, "etag"), "\"v1\"");
  const auto again = ask(doors.url("/"), {{"If-None-Match", "\"v1\""}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(header(ask(doors.url("/"), {{"Accept-Encoding", "gzip"}}), "content-encoding"), "gzip");
}

TEST(Site, AnswersNoStrangersNameOnLoopback) {
  server::Settings settings;
  settings.names = {"gpu07"};
  const Doors doors(settings);
  const auto with_host = [&](const std::string& host) {
    RawClient client(doors.site->port());
    client.say("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return client.hear_all();
  };
  EXPECT_TRUE(base::contains(with_host("localhost:9400"), "200 OK"));
  EXPECT_TRUE(base::contains(with_host("gpu07"), "200 OK"));
  const std::string refused = with_host("evil.example:9400");
  EXPECT_TRUE(base::contains(refused, "HTTP/1.1 421 Misdirected Request")) << refused;
  EXPECT_FALSE(base::contains(refused, "text\n# ")) << refused;
  RawClient proxied(doors.site->port());
  proxied.say("GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(base::contains(proxied.hear_all(), "421 "));
}

TEST(Site, AsksForTheTokenWhereOneIsSet) {
  const TempFolder folder;
  server::Settings settings;
  settings.token_file = folder.write("read", "read-token-000000\n");
  settings.write_token_file = folder.write("write", "write-token-00000\n");
  ::chmod(settings.token_file.c_str(), 0600);
  ::chmod(settings.write_token_file.c_str(), 0600);
  const Doors doors(settings);
  const kit::HttpHeaders reader = {{"Authorization", "Bearer read-token-000000"}};
  const kit::HttpHeaders writer = {{"Authorization", "Bearer write-token-00000"}};
  const auto nobody = ask(doors.url("/api/v1/x"));
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(header(nobody, "www-authenticate"), "Bearer realm=\"gpuwright\"");
  EXPECT_EQ(header(nobody, "content-type"), "application/json");
  EXPECT_EQ(ask(doors.url("/metrics")).status, 401);
  EXPECT_EQ(ask(doors.url("/api/v1/events")).status, 401);
  EXPECT_EQ(ask(doors.url("/healthz")).status, 200);
  EXPECT_EQ(ask(doors.url("/")).status, 200);
  EXPECT_EQ(ask(doors.url("/metrics"), reader).status, 200);
  EXPECT_EQ(ask(doors.url("/api/v1/silence"), reader, "POST").status, 403);
  EXPECT_EQ(ask(doors.url("/api/v1/silence"), {}, "POST").status, 401);
  EXPECT_EQ(ask(doors.url("/api/v1/silence"), writer, "POST").body, "did silence body");
}

TEST(Site, HasNothingToWriteWithoutAToken) {
  const Doors doors({});
  const auto answer = ask(doors.url("/api/v1/silence"), {}, "POST");
  EXPECT_EQ(answer.status, 403);
  EXPECT_TRUE(base::contains(answer.body, "--write-token-file")) << answer.body;
}

TEST(Site, GivesEverybodyTheMetricsAloneWhereTheOperatorSaysSo) {
  const TempFolder folder;
  server::Settings settings;
  settings.metrics_listen = server::ListenAddress{"0.0.0.0", 0};
  settings.token_file = folder.write("read", "read-token-000000\n");
  ::chmod(settings.token_file.c_str(), 0600);
  Doors doors(settings);
  ASSERT_EQ(doors.site->notes().size(), 2U);
  EXPECT_TRUE(base::contains(doors.site->notes()[1], "alone, to everybody")) << doors.site->notes()[1];
  EXPECT_EQ(ask(doors.metrics_url("/metrics")).body, "text\n");
  EXPECT_EQ(ask(doors.metrics_url("/healthz")).status, 200);
  EXPECT_EQ(ask(doors.metrics_url("/metrics"), {{"X", "y"}}, "OPTIONS").status, 405);
  for (const char* path : {"/", "/api/v1/x", "/api/v1/events"})
    EXPECT_EQ(ask(doors.metrics_url(path)).status, 404) << path;
  EXPECT_EQ(ask(doors.metrics_url("/api/v1/x"), {}, "POST").status, 404);
  EXPECT_EQ(ask(doors.url("/metrics")).status, 401);
  EXPECT_GE(doors.counts().answered, 7);
}

TEST(Site, RefusesToLetEverybodyIn) {
  kit::EventLoop loop;
  FakeContent content;
  server::Settings settings;
  settings.listen = {"0.0.0.0", 0};
  EXPECT_EQ(server::Site::open(loop, settings, content).error().kind, base::ErrorKind::Denied);
  settings.token_file = "/nowhere";
  EXPECT_EQ(server::Site::open(loop, settings, content).error().kind, base::ErrorKind::NotFound);
}

TEST(Site, KnowsPeersByTheirCertificates) {
  const Certificates made;
  server::Settings settings;
  settings.listen.address = "0.0.0.0";
  settings.tls = kit::TlsFiles{made.path("server.pem"), made.path("server.key"), made.path("authority.pem")};
  const Doors doors(settings);
  const std::string url = "https://127.0.0.1:" + std::to_string(doors.site->port()) + "/metrics";
  const Ran known = run({"curl", "-sS", "--cacert", made.path("authority.pem"), "--cert",
                         made.path("client.pem"), "--key", made.path("client.key"), url});
  EXPECT_EQ(known.out, "text\n") << known.err;
  const Ran stranger = run({"curl", "-sS", "--cacert", made.path("authority.pem"), url});
  EXPECT_NE(stranger.exit_code, 0);
  EXPECT_EQ(stranger.out, "");
}

}  // namespace
}  // namespace gpuwright::tests
