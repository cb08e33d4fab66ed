// Addresses, good and bad.
// SPDX-License-Identifier: Apache-2.0
#include "base/url.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(HostPort, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(base::parse_host_port("LocalHost:9400"), (base::HostPort{"localhost", 9400}));
  EXPECT_EQ(base::parse_host_port("gpu_07.rack-2"), (base::HostPort{"gpu_07.rack-2", std::nullopt}));
  EXPECT_EQ(base::parse_host_port("[::1]:0"), (base::HostPort{"::1", 0}));
  EXPECT_EQ(base::parse_host_port("[FE80::1]"), (base::HostPort{"fe80::1", std::nullopt}));
  EXPECT_EQ(base::parse_host_port("::"), (base::HostPort{"::", std::nullopt}));
  EXPECT_EQ(base::host_port_text("::1", 80), "[::1]:80");
  EXPECT_EQ(base::host_port_text("127.0.0.1", 80), "127.0.0.1:80");
}

TEST(HostPort, OfOtherTextIsNone) {
  for (const char* text : {"", ":80", "a b", "host:", "host:x", "host:65536", "host:-1", "host:+1", "[::1",
                           "[::1]x", "[host]", "user@host", "a/b", "host:1:2", "évil", "host\r\n", "~"})
    EXPECT_FALSE(base::parse_host_port(text).has_value()) << text;
}

TEST(Url, IsTakenApart) {
  const auto url = base::parse_url("HTTPS://Alerts.example:9093/api/v2/alerts?a=b#part");
  ASSERT_TRUE(url.ok()) << url.error().text();
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "alerts.example");
  EXPECT_EQ(url->port, 9093);
  EXPECT_EQ(url->target, "/api/v2/alerts?a=b");
  EXPECT_EQ(base::parse_url("http://h")->target, "/");
  EXPECT_EQ(base::parse_url("http://h")->port, 80);
  EXPECT_EQ(base::parse_url("https://[::1]")->port, 443);
  EXPECT_EQ(base::parse_url("http://h?q=1")->target, "/?q=1");
}

TEST(Url, ThatCannotBeCalledSaysWhy) {
  for (const char* text : {"", "ftp://h/", "h:80", "http://", "http://user:pass@h/", "http://h/a b",
                           "http://h/\r\nX: y", "http://h:99999/", "http://h/\xc3\xa9"}) {
    const auto url = base::parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().kind, base::ErrorKind::Malformed);
  }
}

TEST(Percent, IsDecodedAndEncoded) {
  EXPECT_EQ(base::percent_decode("a%20b%2Fc%c3%a9"), "a b/c\xc3\xa9");
  EXPECT_EQ(base::percent_decode("a+b"), "a+b");
  for (const char* text : {"%", "%4", "%4g", "100%"})
    EXPECT_FALSE(base::percent_decode(text).has_value()) << text;
  const std::string all = "a b/c?&=%\x01\xff~-._";
  EXPECT_EQ(base::percent_decode(base::percent_encode(all)), all);
  EXPECT_EQ(base::percent_encode("a b~"), "a%20b~");
}

TEST(Query, GivesItsParametersInOrder) {
  const auto query = base::parse_query("gpu=0&gpu=1&empty=&flag&name=a+b%26c&&");
  const base::Parameters expected = {
      {"gpu", "0"}, {"gpu", "1"}, {"empty", ""}, {"flag", ""}, {"name", "a b&c"}};
  EXPECT_EQ(query, expected);
  EXPECT_EQ(base::parse_query(""), base::Parameters());
  EXPECT_FALSE(base::parse_query("a=%zz").has_value());
}

}  // namespace
}  // namespace gpuwright::tests
