// The client against servers that answer, that answer nonsense, and that do not answer.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_client.h"

#include "base/text.h"

#include "support/http_site.h"
#include "support/sanitizer.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using namespace std::chrono_literals;
using base::ErrorKind;

kit::HttpResponse echo(const kit::HttpRequest& request) {
  kit::HttpResponse response =
      kit::text_response(request.path == "/missing" ? 404 : 200,
                         request.method + " " + request.target + " " + request.host + " " +
                             request.header("content-type").value_or("-") + " " + request.body);
  if (request.path == "/later") response.later = std::make_shared<kit::HttpLater>();
  return response;
}

TEST(HttpClient, AsksAndGetsWhatIsSaid) {
  HttpSite site({}, echo);
  const std::string host = "127.0.0.1:" + std::to_string(site.port());
  const auto got = kit::http_get(site.url("/a?b=c"), 5s);
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "GET /a?b=c " + host + " - ");
  EXPECT_EQ(kit::find_header(got->headers, "content-type"), "text/plain; charset=utf-8");
  const auto posted = kit::http_post(site.url("/alerts"), "[]", "application/json", 5s);
  ASSERT_TRUE(posted.ok()) << posted.error().text();
  EXPECT_EQ(posted->body, "POST /alerts " + host + " application/json []");
  EXPECT_EQ(kit::http_get(site.url("/missing"), 5s)->status, 404);
  if (!kNamesCanBeLookedUp) GTEST_SKIP() << "names cannot be looked up under this sanitizer";
  EXPECT_EQ(kit::http_get("http://localhost:" + std::to_string(site.port()) + "/", 5s)->status, 200);
}

TEST(HttpClient, NeverWaitsBeyondItsDeadline) {
  HttpSite site({}, echo);
  const auto later = kit::http_get(site.url("/later"), 100ms);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().kind, ErrorKind::TimedOut);
  EXPECT_EQ(later.error().where, "127.0.0.1:" + std::to_string(site.port()));
}

TEST(HttpClient, SaysWhatWentWrong) {
  HttpSite site({}, echo);
  const auto kind = [](const std::string& url) {
    const auto answer = kit::http_get(url, 2s);
    return answer.ok() ? ErrorKind::Internal : answer.error().kind;
  };
  EXPECT_EQ(kind("gopher://h"), ErrorKind::Malformed);
  EXPECT_EQ(kind("http://127.0.0.1:1/"), ErrorKind::Io);
  if (kNamesCanBeLookedUp) {
    EXPECT_EQ(kind("http://no-such-host.invalid/"), ErrorKind::NotFound);
  }
  kit::HttpCall large;
  large.url = site.url("/" + std::string(2000, 'x'));
  large.answer_limit = 1000;
  EXPECT_EQ(kit::http_call(large).error().kind, ErrorKind::Malformed);
  kit::HttpCall split;
  split.url = site.url("/");
  split.headers.push_back({"X", "a\r\nY: b"});
  EXPECT_EQ(kit::http_call(split).error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace gpuwright::tests
