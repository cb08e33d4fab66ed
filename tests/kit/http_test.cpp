// The server with clients that behave, and with clients that do not.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http.h"

#include "base/text.h"
#include "kit/event_stream.h"
#include "kit/http_client.h"

#include "support/http_site.h"
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

namespace gpuwright::tests {
namespace {

using namespace std::chrono_literals;
using kit::HttpRequest;
using kit::HttpResponse;
using Clock = std::chrono::steady_clock;

const std::string kGet = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n";

/// Says what it was asked; "/big" has 8 MiB, "/none" is 204.
HttpResponse echo(const HttpRequest& request) {
  static const auto big = std::make_shared<const std::string>(std::size_t{8} << 20, 'b');
  if (request.path == "/none") return HttpResponse{204, {}, nullptr, nullptr, nullptr};
  HttpResponse response = kit::text_response(200, request.method + " " + request.path + " " + request.body);
  if (request.path == "/big") response.body = big;
  if (request.path == "/header") response.headers.push_back({"X-Test", "one\r\nX-Evil: two"});
  return response;
}

kit::HttpOptions with(const kit::HttpLimits& limits) {
  kit::HttpOptions options;
  options.limits = limits;
  return options;
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.say(kGet));
    const std::string answer = client.hear("GET /hello ");
    EXPECT_TRUE(base::contains(answer, "HTTP/1.1 200 OK\r\nDate: ")) << answer;
    EXPECT_TRUE(base::contains(answer, "Content-Length: 11\r\n\r\nGET /hello ")) << answer;
  }
  EXPECT_EQ(site.counts().accepted, 1);
  EXPECT_EQ(site.counts().answered, 3);
}

TEST(HttpServer, AnswersWhatWasSentAtOnceInOrder) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  std::string all;
  constexpr int kCount = 200;
  for (int i = 0; i < kCount; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_TRUE(client.say(all));
  const std::string heard = client.hear("GET /199 ");
  std::size_t at = 0;
  for (int i = 0; i < kCount; ++i) {
    at = heard.find("GET /" + std::to_string(i) + " ", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(HttpServer, LeavesTheBodyOutWhereNoneBelongs) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  ASSERT_TRUE(
      client.say("HEAD /hello HTTP/1.1\r\nHost: h\r\n\r\nGET /none HTTP/1.1\r\nHost: h\r\n\r\n" + kGet));
  const std::string heard = client.hear("GET /hello ");
  EXPECT_TRUE(base::contains(heard, "Content-Length: 12\r\n\r\nHTTP/1.1 204 No Content\r\n")) << heard;
  EXPECT_FALSE(base::contains(heard, "HEAD /hello")) << heard;
  EXPECT_EQ(heard.find("Content-Length: 0"), std::string::npos);
}

TEST(HttpServer, PutsNoHeaderInTwo) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  ASSERT_TRUE(client.say("GET /header HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(base::contains(client.hear("/header "), "X-Test: one  X-Evil: two\r\n"));
}

TEST(HttpServer, ClosesWhereTheClientWantsIt) {
  HttpSite site({}, echo);
  RawClient asks(site.port());
  ASSERT_TRUE(asks.say("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(base::contains(asks.hear_all(), "Connection: close\r\n"));
  RawClient old(site.port());
  ASSERT_TRUE(old.say("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(base::contains(old.hear_all(), "HTTP/1.1 200 OK"));
  RawClient half(site.port());
  ASSERT_TRUE(half.say(kGet));
  half.stop_saying();
  EXPECT_TRUE(base::contains(half.hear_all(), "GET /hello "));
}

TEST(HttpServer, RefusesWhatIsNoRequestAndCloses) {
  HttpSite site({}, echo);
  for (const auto& [said, status] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense\r\n\r\n", "400 Bad Request"},
           {"GET /" + std::string(40000, 'a'), "431 "},
           {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + kGet, "400 "},
           {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n", "413 "},
           {"GET / HTTP/3.0\r\n\r\n", "505 "}}) {
    RawClient client(site.port());
    ASSERT_TRUE(client.say(said));
    const std::string heard = client.hear_all();
    EXPECT_TRUE(base::contains(heard, "HTTP/1.1 " + status)) << heard;
    EXPECT_TRUE(base::contains(heard, "Connection: close\r\n")) << heard;
    EXPECT_EQ(heard.find("200 OK"), std::string::npos);
    EXPECT_TRUE(client.ended());
  }
  EXPECT_EQ(site.counts().malformed, 5);
}

TEST(HttpServer, TellsAClientThatWaitsToGoOn) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  ASSERT_TRUE(client.say("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.say("body"));
  EXPECT_TRUE(base::contains(client.hear("POST /x body"), "POST /x body"));
}

TEST(HttpServer, GivesABigAnswerToWhoTakesItSlowly) {
  HttpSite site({}, echo);
  RawClient client(site.port());
  ASSERT_TRUE(client.say("GET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  std::this_thread::sleep_for(50ms);
  const std::string heard = client.hear_all(20s);
  ASSERT_NE(heard.find("\r\n\r\n"), std::string::npos);
  EXPECT_EQ(heard.size() - heard.find("\r\n\r\n") - 4, std::size_t{8} << 20);
}

TEST(HttpServer, EndsWhoIsTooSlow) {
  kit::HttpLimits limits;
  limits.send = 100ms;
  limits.idle = 200ms;
  limits.take = 100ms;
  HttpSite site(with(limits), echo);
  RawClient silent(site.port()), slow(site.port()), idle(site.port()), greedy(site.port());
  greedy.read_little();
  ASSERT_TRUE(slow.say("GET / HT"));
  ASSERT_TRUE(idle.say(kGet));
  std::string many;
  for (int i = 0; i < 20; ++i) many += "GET /big HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_TRUE(greedy.say(many));
  EXPECT_EQ(silent.hear_all(), "");
  EXPECT_TRUE(base::contains(slow.hear_all(), "HTTP/1.1 408 Request Timeout"));
  EXPECT_TRUE(base::contains(idle.hear_all(), "200 OK"));
  for (int i = 0; i < 500 && site.counts().open > 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(site.counts().open, 0);
  EXPECT_EQ(site.counts().timed_out, 3);
}

TEST(HttpServer, ClosesAfterSoManyRequests) {
  kit::HttpLimits limits;
  limits.requests = 2;
  HttpSite site(with(limits), echo);
  RawClient client(site.port());
  ASSERT_TRUE(client.say(kGet + kGet + kGet));
  const std::string heard = client.hear_all();
  EXPECT_EQ(site.counts().answered, 2);
  EXPECT_TRUE(base::contains(heard, "Connection: close"));
}

TEST(HttpServer, MakesRoomByClosingWhoIsIdleThenWhoIsSlow) {
  kit::HttpLimits limits;
  limits.connections = 2;
  HttpSite site(with(limits), echo);
  RawClient idle(site.port()), slow(site.port());
  ASSERT_TRUE(idle.say(kGet));
  idle.hear("GET /hello ");
  ASSERT_TRUE(slow.say("GET /"));
  RawClient third(site.port());
  EXPECT_TRUE(idle.ended());
  RawClient fourth(site.port());
  EXPECT_TRUE(slow.ended());
  ASSERT_TRUE(third.say(kGet));
  EXPECT_TRUE(base::contains(third.hear("GET /hello "), "200 OK"));
  ASSERT_TRUE(fourth.say(kGet));
  EXPECT_TRUE(base::contains(fourth.hear("GET /hello "), "200 OK"));
  EXPECT_EQ(site.counts().made_room, 2);
}

TEST(HttpServer, TellsTheNewestWhenAllAreBeingServed) {
  kit::HttpLimits limits;
  limits.connections = 2;
  const auto later = std::make_shared<kit::HttpLater>();
  HttpSite site(with(limits), [&](const HttpRequest&) {
    return HttpResponse{200, {}, nullptr, nullptr, later};
  });
  RawClient first(site.port()), second(site.port());
  ASSERT_TRUE(first.say(kGet));
  ASSERT_TRUE(second.say(kGet));
  std::this_thread::sleep_for(50ms);
  RawClient third(site.port());
  third.say(kGet);
  const std::string heard = third.hear_all();
  EXPECT_TRUE(base::contains(heard, "HTTP/1.1 503 Service Unavailable")) << heard;
  EXPECT_TRUE(base::contains(heard, "Retry-After: 1")) << heard;
  EXPECT_EQ(site.counts().refused, 1);
}

TEST(HttpServer, WaitsForAnAnswerThatComesLater) {
  kit::HttpLimits limits;
  limits.later = 100ms;
  const auto later = std::make_shared<kit::HttpLater>();
  HttpSite site(with(limits), [&](const HttpRequest& request) {
    if (request.path == "/never")
      return HttpResponse{200, {}, nullptr, nullptr, std::make_shared<kit::HttpLater>()};
    return HttpResponse{200, {}, nullptr, nullptr, later};
  });
  RawClient client(site.port());
  ASSERT_TRUE(client.say(kGet + "GET /never HTTP/1.1\r\nHost: h\r\n\r\n"));
  site.on_loop([&] { later->answer(kit::text_response(200, "at last")); });
  EXPECT_TRUE(base::contains(client.hear("at last"), "HTTP/1.1 200 OK"));
  EXPECT_TRUE(base::contains(client.hear("in time"), "HTTP/1.1 504 Gateway Timeout"));
}

TEST(HttpServer, SendsEventsToWhoFollows) {
  kit::HttpLimits limits;
  limits.streams = 2;
  limits.stream_comment = 50ms;
  const auto events = std::make_shared<kit::EventStream>();
  HttpSite site(with(limits), [&](const HttpRequest&) {
    HttpResponse response;
    response.body = std::make_shared<const std::string>(kit::event_text("all", "first"));
    response.events = events;
    return response;
  });
  RawClient one(site.port()), two(site.port());
  ASSERT_TRUE(one.say(kGet) && two.say(kGet));
  const std::string head = one.hear("data: first\n\n");
  EXPECT_TRUE(base::contains(head, "Content-Type: text/event-stream")) << head;
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  two.hear("data: first\n\n");
  site.on_loop([&] { events->push("tick", "42", "7"); });
  EXPECT_TRUE(base::contains(one.hear("42\n\n"), "id: 7\nevent: tick\ndata: 42\n\n"));
  EXPECT_TRUE(base::contains(two.hear("42\n\n"), "data: 42\n\n"));
  EXPECT_TRUE(base::contains(one.hear(":\n\n"), ":\n\n"));
  RawClient three(site.port());
  ASSERT_TRUE(three.say(kGet));
  EXPECT_TRUE(base::contains(three.hear("again later"), "HTTP/1.1 503 "));
  two.stop_saying();
  EXPECT_TRUE(two.ended());
  EXPECT_EQ(site.counts().streams, 1);
  std::size_t clients = 0;
  site.on_loop([&] { clients = events->clients(); });
  EXPECT_EQ(clients, 1U);
}

TEST(HttpServer, DropsAStreamThatIsNotRead) {
  kit::HttpLimits limits;
  limits.stream_bytes = 100'000;
  const auto events = std::make_shared<kit::EventStream>();
  HttpSite site(with(limits), [&](const HttpRequest&) {
    HttpResponse response;
    response.events = events;
    return response;
  });
  RawClient slow(site.port()), good(site.port());
  slow.read_little();
  ASSERT_TRUE(slow.say(kGet) && good.say(kGet));
  good.hear("\r\n\r\n");
  const std::string data(10'000, 'x');
  std::size_t heard = 0;
  for (int i = 0; i < 1000 && site.counts().streams_dropped == 0; ++i) {
    site.on_loop([&] { events->push("", data + std::to_string(i)); });
    heard += good.hear("x" + std::to_string(i) + "\n\n").size();
  }
  EXPECT_GT(heard, data.size());
  EXPECT_EQ(site.counts().streams_dropped, 1);
  EXPECT_EQ(site.counts().streams, 1);
  site.on_loop([&] { events->push("", "still here"); });
  EXPECT_TRUE(base::contains(good.hear("still here"), "still here"));
}

TEST(HttpServer, SaysThatAPortIsTaken) {
  HttpSite site({}, echo);
  kit::EventLoop loop;
  kit::HttpOptions options;
  options.port = site.port();
  const auto second = kit::HttpServer::listen(loop, options, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, base::ErrorKind::Conflict);
  EXPECT_EQ(second.error().text(), "127.0.0.1:" + std::to_string(site.port()) + ": port " +
                                       std::to_string(site.port()) +
                                       " is taken by another program; name another with --listen");
  options.address = "not an address";
  EXPECT_EQ(kit::HttpServer::listen(loop, options, echo).error().kind, base::ErrorKind::Malformed);
  options.address = "192.0.2.1";
  options.port = 0;
  EXPECT_EQ(kit::HttpServer::listen(loop, options, echo).error().kind, base::ErrorKind::NotFound);
}

TEST(HttpServer, ServesIpv6) {
  kit::HttpOptions options;
  options.address = "::1";
  kit::EventLoop loop;
  const auto server = kit::HttpServer::listen(
      loop, options, [](const HttpRequest& request) { return kit::text_response(200, request.peer); });
  if (!server.ok()) GTEST_SKIP() << server.error().text();
  std::thread client([&, port = server.value()->port()] {
    const auto answer = kit::http_get("http://[::1]:" + std::to_string(port) + "/", 5s);
    EXPECT_TRUE(answer.ok() && answer->body == "::1") << (answer.ok() ? answer->body : answer.error().text());
    loop.soon([&] { loop.stop(); });
  });
  loop.run();
  client.join();
}

TEST(HttpServer, AnswersAGoodClientBesideAThousandBadOnes) {
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  ::setrlimit(RLIMIT_NOFILE, &files);
  kit::HttpLimits limits;
  limits.send = 2s;
  HttpSite site(with(limits), echo);
  std::vector<std::unique_ptr<RawClient>> bad;
  const std::string starts[] = {"",
                                "G",
                                "GET / HTTP/1.1\r\nHost: h\r\nX: ",
                                "nonsense\r\n\r\n",
                                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx",
                                std::string(5000, '\0'),
                                "GET /big HTTP/1.1\r\nHost: h\r\n\r\n"};
  const auto slowest = [&](int times) {
    Clock::duration worst{};
    for (int i = 0; i < times; ++i) {
      const auto before = Clock::now();
      const auto answer = kit::http_get(site.url("/good"), 5s);
      EXPECT_TRUE(answer.ok() && answer->status == 200) << (answer.ok() ? "not 200" : answer.error().text());
      worst = std::max(worst, Clock::now() - before);
    }
    return worst;
  };
  for (int i = 0; i < 1000; ++i) {
    bad.push_back(std::make_unique<RawClient>(site.port()));
    bad.back()->say(starts[static_cast<std::size_t>(i) % std::size(starts)]);
    if (i % 50 == 0) slowest(1);
  }
  const auto worst = slowest(100);
  for (auto& client : bad) client->say("x");  // one more byte of each
  slowest(100);
  const kit::HttpCounts counts = site.counts();
  EXPECT_LE(counts.open, 256 + 64);
  EXPECT_GT(counts.made_room, 0);
  RecordProperty("worst_us",
                 std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(worst).count()));
  bad.clear();
  for (int i = 0; i < 500 && site.counts().open > 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(site.counts().open, 0);
}

}  // namespace
}  // namespace gpuwright::tests
