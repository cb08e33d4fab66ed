// Requests and answers, whole, in pieces, and wrong.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_message.h"

#include "kit/event_stream.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using kit::HttpProgress;

struct Read {
  HttpProgress progress = HttpProgress::NeedsMore;
  kit::HttpRequest request;
  int broken_status = 0;
  bool keep_alive = false;
  std::string left;
};

/// Gives the bytes in pieces of that size, as a connection would.
Read read_request(std::string_view bytes, std::size_t piece = 1000000) {
  kit::HttpRequestReader reader(16384, 65536);
  Read read;
  std::string input;
  for (std::size_t at = 0; at < bytes.size() && read.progress == HttpProgress::NeedsMore; at += piece) {
    input += bytes.substr(at, piece);
    std::string_view left = input;
    read.progress = reader.take(left);
    input.erase(0, input.size() - left.size());
  }
  read.left = input;
  if (read.progress == HttpProgress::Complete) {
    read.request = reader.request();
    read.keep_alive = reader.keep_alive();
  }
  if (read.progress == HttpProgress::Broken) read.broken_status = reader.broken_status();
  return read;
}

TEST(HttpRequest, IsUnderstoodInWhateverPiecesItComes) {
  constexpr std::string_view kBytes =
      "POST /api/v1/gpus%2F0/x?name=a+b&flag HTTP/1.1\r\nHost: localhost:9400\r\nAccept: "
      "text/plain\r\naccept: */*\r\n"
      "Content-Length: 5\r\n\r\nhello";
  for (const std::size_t piece : {1UL, 2UL, 7UL, 64UL, 1000UL}) {
    const Read read = read_request(kBytes, piece);
    ASSERT_EQ(read.progress, HttpProgress::Complete) << piece;
    EXPECT_EQ(read.request.method, "POST");
    EXPECT_EQ(read.request.path, "/api/v1/gpus/0/x");
    EXPECT_EQ(read.request.parameter("name"), "a b");
    EXPECT_EQ(read.request.parameter("flag"), "");
    EXPECT_EQ(read.request.parameter("none"), std::nullopt);
    EXPECT_EQ(read.request.host, "localhost:9400");
    EXPECT_EQ(read.request.header("ACCEPT"), "text/plain, */*");
    EXPECT_EQ(read.request.header("cookie"), std::nullopt);
    EXPECT_EQ(read.request.body, "hello");
    EXPECT_TRUE(read.keep_alive);
  }
}

TEST(HttpRequest, LeavesTheNextOneAlone) {
  const Read read = read_request("\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\n");
  ASSERT_EQ(read.progress, HttpProgress::Complete);
  for (const std::size_t piece : {1UL, 3UL})
    EXPECT_EQ(read_request("\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n", piece).request.path, "/a");
  EXPECT_EQ(read.request.path, "/a");
  EXPECT_EQ(read.left, "GET /b HTTP/1.1\r\n");
}

TEST(HttpRequest, MayComeInChunks) {
  constexpr std::string_view kBytes =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n "
      "world\r\n0\r\n\r\n";
  for (const std::size_t piece : {1UL, 3UL, 1000UL}) {
    const Read read = read_request(kBytes, piece);
    ASSERT_EQ(read.progress, HttpProgress::Complete) << piece;
    EXPECT_EQ(read.request.body, "hello world");
  }
}

TEST(HttpRequest, MayEndInChunksWithoutABodyOrWithTrailers) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* end : {"0\r\n\r\n", "000;x\r\n\r\n", "0\r\nA: b\r\n\r\n"}) {
    for (const std::size_t piece : {1UL, 2UL, 3UL, 4UL, 1000UL})
      EXPECT_EQ(read_request(start + end, piece).progress, HttpProgress::Complete) << end << piece;
  }
}

TEST(HttpRequest, SaysHowTheConnectionGoesOn) {
  EXPECT_FALSE(read_request("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").keep_alive);
  EXPECT_FALSE(read_request("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(read_request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

TEST(HttpRequest, WithAWholeUrlNamesItsHost) {
  const Read read = read_request("GET http://evil.example/metrics?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_EQ(read.progress, HttpProgress::Complete);
  EXPECT_EQ(read.request.host, "evil.example:80");
  EXPECT_EQ(read.request.path, "/metrics");
  EXPECT_EQ(read_request("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").request.path, "*");
}

TEST(HttpRequest, ThatIsNoneIsBroken) {
  const std::string host = "Host: h\r\n";
  const std::pair<std::string, int> wrong[] = {
      {"hello\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},  // no Host
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\n" + host + "\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET /%00 HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET /?a=% HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET x HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "X: a\x01" + "b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 400},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 65537\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(20000, 'a') + "\r\n\r\n", 431},
      {"GET /" + std::string(20000, 'a'), 431},
      {"\x16\x03\x01\x02\x01" + std::string(300, '\x01'), 400},  // TLS
  };
  for (const auto& [bytes, status] : wrong) {
    for (const std::size_t piece : {5UL, 1000000UL}) {
      const Read read = read_request(bytes, piece);
      EXPECT_EQ(read.progress, HttpProgress::Broken) << bytes.substr(0, 100);
      EXPECT_EQ(read.broken_status, status) << bytes.substr(0, 100);
    }
  }
}

TEST(HttpRequest, WithBareLineFeedsIsNeverComplete) {
  for (const std::size_t piece : {1UL, 5UL, 1000UL})
    EXPECT_NE(read_request("GET / HTTP/1.1\nHost: h\n\n", piece).progress, HttpProgress::Complete);
}

TEST(HttpRequest, OfTheGreatestSizeIsTaken) {
  const std::string body(65536, 'b');
  const Read read = read_request("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n" + body, 5000);
  ASSERT_EQ(read.progress, HttpProgress::Complete);
  EXPECT_EQ(read.request.body, body);
}

TEST(HttpResponse, IsReadToItsEnd) {
  const auto read = [](std::string_view bytes, bool head, bool end) {
    kit::HttpResponseReader reader(65536, 1000, head);
    HttpProgress progress = reader.take(bytes);
    if (progress == HttpProgress::NeedsMore && end) progress = reader.end();
    return std::make_tuple(progress, reader.status(), reader.body());
  };
  using Tuple = std::tuple<HttpProgress, int, std::string>;
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false, false),
            Tuple(HttpProgress::Complete, 200, "ok"));
  EXPECT_EQ(read("HTTP/1.1 500 No\r\n\r\nuntil the end", false, true),
            Tuple(HttpProgress::Complete, 500, "until the end"));
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, false),
            Tuple(HttpProgress::Complete, 200, ""));
  EXPECT_EQ(std::get<0>(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", false, true)),
            HttpProgress::Broken);
  EXPECT_EQ(std::get<0>(read("SSH-2.0-OpenSSH\r\n", false, true)), HttpProgress::Broken);
  EXPECT_EQ(std::get<0>(read("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", false, false)),
            HttpProgress::Broken);
}

TEST(HttpLater, AnswersOnce) {
  kit::HttpLater early;
  early.answer(kit::text_response(201, "early"));
  int status = 0;
  early.deliver_to([&](const kit::HttpResponse& response) { status = response.status; });
  EXPECT_EQ(status, 201);
  kit::HttpLater late;
  late.deliver_to([&](const kit::HttpResponse& response) { status = response.status; });
  late.answer(kit::text_response(202, "late"));
  late.answer(kit::text_response(203, "again"));
  EXPECT_EQ(status, 202);
}

TEST(EventText, KeepsEachLineOfItsData) {
  EXPECT_EQ(kit::event_text("tick", "{\"a\":1}"), "event: tick\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(kit::event_text("", "one\ntwo\n", "7"), "id: 7\ndata: one\ndata: two\ndata: \n\n");
  EXPECT_EQ(kit::event_text("a\nevent: b", "x\r\ny"), "event: a event: b\ndata: x \ndata: y\n\n");
}

}  // namespace
}  // namespace gpuwright::tests
