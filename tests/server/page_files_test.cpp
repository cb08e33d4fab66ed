// The page that the build packed.
// SPDX-License-Identifier: Apache-2.0
#include "server/page_files.h"

#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::server {
namespace {

using ::testing::HasSubstr;

TEST(PageFiles, HaveOneFormAndStrongTags) {
  const auto page = page_file("/");
  ASSERT_TRUE(page);
  const auto index = page_file("/index.html");
  ASSERT_TRUE(index);
  EXPECT_EQ(*page->body, *index->body);
  EXPECT_FALSE(page_file("/no-such-file"));
  EXPECT_FALSE(page_file(""));
  EXPECT_FALSE(page_file("/../page.js"));
  if (page->tag == "no-page") GTEST_SKIP() << "this build has no page";
  EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
  EXPECT_THAT(*page->body, HasSubstr("<script src=\"/page.js\" defer>"));
  const auto script = page_file("/page.js");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->content_type, "text/javascript; charset=utf-8");
  EXPECT_NE(script->tag, page->tag);
  EXPECT_GT(script->tag.size(), 15U);
  ASSERT_TRUE(script->gzip);
  EXPECT_LT(script->gzip->size(), script->body->size() / 2);
  EXPECT_EQ(script->gzip->substr(0, 2), "\x1f\x8b");
}

/// Nothing of it asks another host or brings script and style into the markup, which our headers forbid.
TEST(PageFiles, KeepToTheirSecurityHeaders) {
  const auto page = page_file("/");
  ASSERT_TRUE(page);
  if (page->tag == "no-page") GTEST_SKIP() << "this build has no page";
  for (const char* word : {"style=", "onload", "onclick", "http://1", "https://"})
    EXPECT_EQ(page->body->find(word), std::string::npos) << word;
  EXPECT_EQ(page_file("/page.css")->body->find("url("), std::string::npos);
  EXPECT_EQ(page_file("/page.js")->body->find("eval("), std::string::npos);
}

TEST(PageFiles, ABinaryWithoutThePageSaysSo) {
  const auto files = unpack_page(tests::read_file(tests::source_dir() + "/web/no-page.pack"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "/");
  EXPECT_THAT(*files[0].page.body, HasSubstr("without its page"));
  EXPECT_EQ(files[0].page.gzip, nullptr);
}

TEST(PageFiles, OfAPackThatIsCutNothingIsTaken) {
  const std::string pack(packed_page());
  EXPECT_FALSE(unpack_page(pack).empty());
  EXPECT_TRUE(unpack_page("").empty());
  EXPECT_TRUE(unpack_page("gpuwright page 2\n").empty());
  EXPECT_TRUE(unpack_page("gpuwright page 1\n/a\ttext/plain\tt\t-1\t0\n\n").empty());
  EXPECT_TRUE(unpack_page(std::string_view(pack).substr(0, pack.size() - 1)).empty());
  EXPECT_TRUE(unpack_page(std::string_view(pack).substr(0, 40)).empty());
}

}  // namespace
}  // namespace gpuwright::server
