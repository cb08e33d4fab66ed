// The list of nodes: what ssh would be told, and nothing that ssh or a shell could take for something else.
// SPDX-License-Identifier: Apache-2.0
#include "host/hosts_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpuwright::tests {
namespace {

using host::RemoteHost;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto hosts = host::parse_hosts(text, "nodes");
  return hosts ? "" : hosts.error().text();
}

TEST(HostsFile, KnowsEveryForm) {
  const auto hosts = host::parse_hosts(
      "# rack 1\n"
      "gpu-01\n"
      "  admin@gpu-02:2222   binary=/opt/gpuwright name=two # spare\r\n"
      "\n"
      "[2001:db8::7]:22 sysroot='/mnt/old disk'\n"
      "fe80::1%eth0\n"
      "ops@corp@jump_host\n"
      "root@[::1]\n",
      "nodes");
  ASSERT_TRUE(hosts.ok()) << hosts.error().text();
  ASSERT_EQ(hosts->size(), 6U);
  EXPECT_EQ((*hosts)[0].name, "gpu-01");
  EXPECT_EQ((*hosts)[0].port, 0);
  const RemoteHost& two = (*hosts)[1];
  EXPECT_EQ(two.name + "|" + two.user + "|" + two.host + "|" + two.binary, "two|admin|gpu-02|/opt/gpuwright");
  EXPECT_EQ(two.port, 2222);
  EXPECT_EQ(two.line, 3);
  EXPECT_EQ((*hosts)[2].host, "2001:db8::7");
  EXPECT_EQ((*hosts)[2].port, 22);
  EXPECT_EQ((*hosts)[2].sysroot, "/mnt/old disk");
  EXPECT_EQ((*hosts)[3].host, "fe80::1%eth0");
  EXPECT_EQ((*hosts)[4].user, "ops@corp");
  EXPECT_EQ((*hosts)[4].host, "jump_host");
  EXPECT_EQ((*hosts)[5].user + " " + (*hosts)[5].host, "root ::1");
}

TEST(HostsFile, RefusesWithFileAndLine) {
  EXPECT_THAT(error_of("a\n-oProxyCommand=id\n"), HasSubstr("nodes:2: host '-oProxyCommand=id' begins"));
  EXPECT_THAT(error_of("a\n\n-l@b\n"), HasSubstr("nodes:3: user '-l' begins"));
  EXPECT_THAT(error_of("[-oA]\n"), HasSubstr("address '-oA' begins"));
  EXPECT_THAT(error_of("a:0\n"), HasSubstr("nodes:1: port '0' is not 1 to 65535"));
  EXPECT_THAT(error_of("a:65536\n"), HasSubstr("65535"));
  EXPECT_THAT(error_of("a:+22\n"), HasSubstr("65535"));
  EXPECT_THAT(error_of("a colour=red\n"), HasSubstr("is not name=, sysroot= or binary="));
  EXPECT_THAT(error_of("a b\n"), HasSubstr("'b' is not name="));
  EXPECT_THAT(error_of("a binary=\n"), HasSubstr("binary= without a value"));
  EXPECT_THAT(error_of("a binary=-x\n"), HasSubstr("begins with '-'"));
  EXPECT_THAT(error_of("a sysroot=/x\x01y\n"), HasSubstr("no text"));
  EXPECT_THAT(error_of("a\nb\na\n"), HasSubstr("nodes:3: 'a' stands in line 1 already"));
  EXPECT_THAT(error_of("a 'b\n"), HasSubstr("nodes:1: a quote"));
  EXPECT_THAT(error_of("@a\n"), HasSubstr("no user"));
  EXPECT_THAT(error_of("a@\n"), HasSubstr("no host"));
  EXPECT_THAT(error_of("[::1\n"), HasSubstr("brackets"));
  EXPECT_THAT(error_of("# nothing\n\n"), HasSubstr("nodes: names no host"));
}

TEST(HostsFile, RefusesWhatMeansSomethingToAShell) {
  for (const char* host : {"a;id", "$(id)", "`id`", "a|b", "a&b", "a>b", "a'b", "a*", "a\\\\b", "a/b", "%h",
                           "\"a b\"", "a\x1b[31m", "\xc3\xa4"})
    EXPECT_NE(error_of(std::string(host) + "\n"), "") << host;
}

RC_GTEST_PROP(HostsFile, NoHostThatIsTakenIsAnOption, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('-', 'a', '@', ':', '[', ']', '2', '.', '%', '=', ' ', '\'', '$', '#', '\n'));
  const auto hosts = host::parse_hosts(text, "nodes");
  if (!hosts) return;
  for (const RemoteHost& one : *hosts) {
    RC_ASSERT(!one.host.empty());
    RC_ASSERT(!one.host.starts_with('-'));
    RC_ASSERT(!one.user.starts_with('-'));
    RC_ASSERT(one.host.find_first_of(" '$#=\n@[]") == std::string::npos);
    RC_ASSERT(one.port >= 0 && one.port <= 65535);
  }
}

}  // namespace
}  // namespace gpuwright::tests
