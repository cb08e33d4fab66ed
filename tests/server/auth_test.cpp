// Tokens in files, and what they open.
// SPDX-License-Identifier: Apache-2.0
#include "server/auth.h"

#include "kit/hash.h"

#include "support/run.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using server::judge;
using server::Need;
using server::Verdict;

TEST(Token, IsReadFromAFileThatOthersCannotRead) {
  const TempFolder folder;
  const std::string path = folder.write("token", "0123456789abcdef\n");
  const auto with_mode = [&](unsigned mode) {
    ::chmod(path.c_str(), mode);
    const auto token = server::load_token(path);
    return token.ok() ? token.value() : std::string(base::kind_name(token.error().kind));
  };
  EXPECT_EQ(with_mode(0600), "0123456789abcdef");
  EXPECT_EQ(with_mode(0400), "0123456789abcdef");
  EXPECT_EQ(with_mode(0640), "0123456789abcdef");
  for (const unsigned mode : {0644U, 0604U, 0602U, 0620U, 0777U})
    EXPECT_EQ(with_mode(mode), "denied") << mode;
}

TEST(Token, IsLongAndOnOneLine) {
  const TempFolder folder;
  for (const char* text : {"", "\n", "short", "0123456789abcde", "0123456789 abcdef",
                           "0123456789abcdef\n0123456789abcdef", "0123456789abcde\xc3\xa9"}) {
    const std::string path = folder.write("token", text);
    ::chmod(path.c_str(), 0600);
    const auto token = server::load_token(path);
    ASSERT_FALSE(token.ok()) << text;
    EXPECT_EQ(token.error().kind, ErrorKind::Malformed);
    EXPECT_EQ(token.error().where, path);
  }
  EXPECT_EQ(server::load_token(folder.path() + "/none").error().kind, ErrorKind::NotFound);
}

TEST(Judge, OpensWhatATokenIsGoodFor) {
  const server::Tokens none, reads{"read-token-000000", ""}, both{"read-token-000000", "write-token-00000"};
  const std::string reader = "Bearer read-token-000000", writer = "bearer  write-token-00000 ";
  EXPECT_EQ(judge(Need::Open, both, std::nullopt), Verdict::Allowed);
  EXPECT_EQ(judge(Need::Token, none, std::nullopt), Verdict::Allowed);
  EXPECT_EQ(judge(Need::Token, reads, std::nullopt), Verdict::WhoAreYou);
  EXPECT_EQ(judge(Need::Token, reads, reader), Verdict::Allowed);
  EXPECT_EQ(judge(Need::Token, both, writer), Verdict::Allowed);
  EXPECT_EQ(judge(Need::Token, reads, writer), Verdict::WhoAreYou);
  for (const char* wrong : {"", "Bearer", "Bearer ", "read-token-000000", "Basic read-token-000000",
                            "Bearer read-token-00000", "Bearer read-token-0000000"})
    EXPECT_EQ(judge(Need::Token, reads, wrong), Verdict::WhoAreYou) << wrong;
}

TEST(Judge, LetsNobodyWriteWithoutTheTokenForIt) {
  const server::Tokens none, reads{"read-token-000000", ""}, both{"read-token-000000", "write-token-00000"};
  EXPECT_EQ(judge(Need::WriteToken, none, std::nullopt), Verdict::NotYou);
  EXPECT_EQ(judge(Need::WriteToken, none, "Bearer "), Verdict::NotYou);
  EXPECT_EQ(judge(Need::WriteToken, reads, "Bearer read-token-000000"), Verdict::NotYou);
  EXPECT_EQ(judge(Need::WriteToken, both, std::nullopt), Verdict::WhoAreYou);
  EXPECT_EQ(judge(Need::WriteToken, both, "Bearer read-token-000000"), Verdict::NotYou);
  EXPECT_EQ(judge(Need::WriteToken, both, "Bearer write-token-00000"), Verdict::Allowed);
}

TEST(Secrets, AreComparedWhole) {
  EXPECT_TRUE(kit::equal_secrets("", ""));
  EXPECT_TRUE(kit::equal_secrets("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcd", "Abc"})
    EXPECT_FALSE(kit::equal_secrets("abc", other)) << other;
}

}  // namespace
}  // namespace gpuwright::tests
