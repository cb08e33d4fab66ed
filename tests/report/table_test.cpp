// Tables and wrapped text, counted in the columns of a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using report::Style;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Wrap, BreaksAtSpacesAndBetweenWideCharacters) {
  EXPECT_THAT(report::wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(report::wrap("", 8), ElementsAre(""));
  EXPECT_THAT(report::wrap("abcdefghij kl", 4), ElementsAre("abcdefghij", "kl"));
  EXPECT_THAT(report::wrap("没有发现问题", 6), ElementsAre("没有发", "现问题"));
}

RC_GTEST_PROP(Wrap, KeepsEveryWordInOrder, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', ' '));
  std::string joined, wanted;
  for (const std::string& line : report::wrap(text, *rc::gen::inRange(1, 20))) joined += line;
  std::copy_if(text.begin(), text.end(), std::back_inserter(wanted), [](char c) { return c != ' '; });
  joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
  RC_ASSERT(joined == wanted);
}

TEST(Table, IsAsWideAsItNeedsAndWrapsOneColumn) {
  report::Table table({"node", "cause", "sure"}, 1);
  table.add({{"n1", "a long cause that does not fit in what is left of it", "90 %"}, Style::Bad});
  table.add({{"节点", "spreads over what stands behind it", ""}, Style::Plain});
  EXPECT_EQ(table.render(48, false),
            "node  cause                                 sure\n"
            "n1    a long cause that does not fit in     90 %\n"
            "      what is left of it\n"
            "节点  spreads over what stands behind it\n");
  EXPECT_THAT(table.render(48, false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(table.render(48, true), HasSubstr("\x1b[1;31mn1"));
}

}  // namespace
}  // namespace gpuwright::tests
