// Quoting for a shell at the far end: whatever the word holds, the shell reads that word.
// SPDX-License-Identifier: Apache-2.0
#include "base/shell_words.h"

#include "base/process.h"
#include "base/text.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kNasty = {
    "",      "a b",     "it's",   "$HOME", "`id`", "$(id)", "a;b",       "a&&b",  "a|b",  ">x",
    "#x",    "~root",   "=ls",    "a!b",   "!!",   "\\",    "a\\'b",     "\\\\n", "*",    "?x",
    "{a,b}", "[a]",     "\"q\"",  "-n",    "--",   "%1",    "中文 节点", "a\tb",  "'",    "''",
    "^x^y",  "x\\!'\\", "(true)", "a=b",   "@x",   "\x7f",  "%s%n",      "$'x'",  "\\'!", "a\"b'c"};

std::vector<std::string> pieces(const std::string& text, char separator) {
  std::vector<std::string> result;
  for (const auto piece : base::split(text, separator)) result.emplace_back(piece);
  return result;
}

/// What the shell makes of the words, one a line.
std::vector<std::string> read_by(const std::string& shell, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"/usr/bin/printf", "[%s]\\n"};
  argv.insert(argv.end(), words.begin(), words.end());
  const Ran ran = run({shell, "-c", base::quote_words(argv)});
  EXPECT_EQ(ran.exit_code, 0) << shell << ": " << ran.err;
  std::vector<std::string> lines = pieces(ran.out, '\n');
  lines.pop_back();
  return lines;
}

std::vector<std::string> bracketed(const std::vector<std::string>& words) {
  std::vector<std::string> lines;
  for (const std::string& word : words) lines.push_back("[" + word + "]");
  return lines;
}

TEST(QuoteWord, LeavesPlainWordsPlain) {
  EXPECT_EQ(base::quote_word("/opt/gpuwright/bin"), "/opt/gpuwright/bin");
  EXPECT_EQ(base::quote_word("gpuwright-1.0_x,y:z@w"), "gpuwright-1.0_x,y:z@w");
  EXPECT_EQ(base::quote_word(""), "''");
  EXPECT_EQ(base::quote_word("it's"), R"('it'\''s')");
  EXPECT_EQ(base::quote_word("a!"), R"('a'\!)");
}

TEST(QuoteWord, IsReadBackByEveryShellHere) {
  int tried = 0;
  for (const char* shell : {"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox"}) {
    if (!base::find_tool(shell) || std::string(shell) == "busybox") continue;
    EXPECT_EQ(read_by(shell, kNasty), bracketed(kNasty)) << shell;
    ++tried;
  }
  EXPECT_GE(tried, 2);
}

RC_GTEST_PROP(QuoteWord, IsReadBackBySplit, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::element('a', ' ', '\'', '"', '\\', '$', '!', '`', '~', '-')));
  const auto back = base::split_words(base::quote_words(words));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == words);
}

TEST(SplitWords, KnowsQuotesAndBackslashes) {
  const auto words = base::split_words(R"(ssh  -F 'my file' -o "A=\"b\" c" x\ y '' "\n")");
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(*words, ElementsAre("ssh", "-F", "my file", "-o", "A=\"b\" c", "x y", "", "\\n"));
}

TEST(SplitWords, RefusesWhatStaysOpen) {
  for (const char* text : {"'a", "\"a", "a\\", "\"a\\\""}) {
    const auto words = base::split_words(text);
    EXPECT_FALSE(words.ok()) << text;
  }
  EXPECT_THAT(base::split_words("'a").error().message, HasSubstr("stays open"));
}

TEST(CompareNaturally, CountsNumbers) {
  EXPECT_LT(base::compare_naturally("n9", "n10"), 0);
  EXPECT_GT(base::compare_naturally("n10a", "n10"), 0);
  EXPECT_EQ(base::compare_naturally("n01", "n1"), 0);
  EXPECT_LT(base::compare_naturally("rack1-n10", "rack2-n1"), 0);
  EXPECT_LT(base::compare_naturally("n99999999999999999998", "n99999999999999999999"), 0);
}

RC_GTEST_PROP(CompareNaturally, IsAnOrder, ()) {
  const auto name = rc::gen::container<std::string>(rc::gen::element('0', '1', '9', 'a', '-'));
  const std::string a = *name, b = *name, c = *name;
  const auto sign = [](int value) { return (value > 0) - (value < 0); };
  RC_ASSERT(sign(base::compare_naturally(a, b)) == -sign(base::compare_naturally(b, a)));
  if (base::compare_naturally(a, b) <= 0 && base::compare_naturally(b, c) <= 0)
    RC_ASSERT(base::compare_naturally(a, c) <= 0);
}

}  // namespace
}  // namespace gpuwright::tests
