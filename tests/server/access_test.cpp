// Where one may listen, and who is kept out.
// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include "base/text.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using server::ListenAddress;
using server::parse_listen;

TEST(ListenAddress, IsReadAsOperatorsWriteIt) {
  EXPECT_EQ(*parse_listen("127.0.0.1:9500"), (ListenAddress{"127.0.0.1", 9500}));
  EXPECT_EQ(*parse_listen("[::1]:1"), (ListenAddress{"::1", 1}));
  EXPECT_EQ(*parse_listen("0.0.0.0"), (ListenAddress{"0.0.0.0", 9400}));
  EXPECT_EQ(*parse_listen("::"), (ListenAddress{"::", 9400}));
  EXPECT_EQ(*parse_listen(":9500"), (ListenAddress{"::", 9500}));
  EXPECT_EQ(*parse_listen("9500"), (ListenAddress{"127.0.0.1", 9500}));
  EXPECT_EQ(*parse_listen("localhost:0"), (ListenAddress{"localhost", 0}));
  for (const char* text : {"", ":", "a b", "host:port", "host:1:2"})
    EXPECT_FALSE(parse_listen(text).ok()) << text;
}

TEST(Loopback, IsKnown) {
  for (const char* text : {"127.0.0.1", "127.8.9.10", "::1", "localhost", "::ffff:127.0.0.1"})
    EXPECT_TRUE(server::is_loopback(text)) << text;
  for (const char* text : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::ffff:10.0.0.1", "",
                           "localhost.example", "127.0.0.1.example"})
    EXPECT_FALSE(server::is_loopback(text)) << text;
}

TEST(MayListen, OnlyWhereStrangersAreKeptOut) {
  server::Settings settings;
  EXPECT_TRUE(server::may_listen(settings).ok());
  settings.listen.address = "0.0.0.0";
  const auto refused = server::may_listen(settings);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, base::ErrorKind::Denied);
  EXPECT_TRUE(base::contains(refused.error().text(), "--token-file")) << refused.error().text();
  settings.tls = kit::TlsFiles{"cert", "key", ""};
  EXPECT_FALSE(server::may_listen(settings).ok());  // encrypted, but for everybody
  settings.tls->client_authorities = "ca";
  EXPECT_TRUE(server::may_listen(settings).ok());
  settings.tls.reset();
  settings.write_token_file = "w";
  EXPECT_FALSE(server::may_listen(settings).ok());  // all may read
  settings.token_file = "t";
  EXPECT_TRUE(server::may_listen(settings).ok());
}

TEST(OurNames, AreNotThoseOfAStrangersPage) {
  const std::vector<std::string> names = {"GPU07.rack"};
  for (const char* host : {"localhost", "LOCALHOST:9400", "127.0.0.1:1", "[::1]:9400", "gpu07.rack:9400", ""})
    EXPECT_TRUE(server::is_our_name(host, names)) << host;
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "127.0.0.2", "gpu07",
                           "local host", "[::1", "localhost:x", "0.0.0.0", "2130706433"})
    EXPECT_FALSE(server::is_our_name(host, names)) << host;
}

}  // namespace
}  // namespace gpuwright::tests
