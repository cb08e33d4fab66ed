// The table of guilt: complete in both languages, and about facts that there are.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/fact_guilt.h"

#include "base/text.h"
#include "facts/collector.h"
#include "model/fact_tree.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gpuwright::tests {
namespace {

using ::testing::AnyOf;

std::set<std::string> groups() {
  std::set<std::string> names;
  for (const model::FactNode& child : model::fact_tree(model::Machine()).children) names.insert(child.name);
  return names;
}

void expect_group(const std::string& fact, const std::string& where) {
  const std::string group = fact.substr(0, fact.find_first_of(".[*"));
  EXPECT_EQ(groups().count(group), 1U) << where << ": no facts are called " << fact;
}

TEST(FactGuilt, RowsAreWhole) {
  const base::CsvTable* table = knowledge().table("fact_guilt");
  ASSERT_NE(table, nullptr);
  std::set<std::string> seen;
  for (const auto& row : table->rows) {
    const std::string fact = table->cell(row, "fact");
    const std::string kind = table->cell(row, "kind");
    expect_group(fact, "fact_guilt");
    EXPECT_TRUE(seen.insert(fact).second) << fact << " stands twice";
    EXPECT_THAT(kind, AnyOf("setting", "words", "amount", "count", "fault", "identity", "reading")) << fact;
    const auto guilt = base::parse_int(table->cell(row, "guilt"));
    ASSERT_TRUE(guilt) << fact;
    EXPECT_TRUE(kind == "reading" ? *guilt == 0 : *guilt > 0 && *guilt <= 100) << fact;
    EXPECT_EQ(table->cell(row, "title_en").empty(), kind == "reading") << fact;
    EXPECT_EQ(table->cell(row, "title_en").empty(), table->cell(row, "title_zh").empty()) << fact;
    EXPECT_EQ(table->cell(row, "why_en").empty(), table->cell(row, "why_zh").empty()) << fact;
    EXPECT_FALSE(table->cell(row, "source").empty()) << fact;
  }
}

TEST(FactGuilt, NoRowStandsBehindOneThatTakesAllOfIt) {
  const base::CsvTable* table = knowledge().table("fact_guilt");
  std::vector<std::string> before;
  for (const auto& row : table->rows) {
    const std::string fact = table->cell(row, "fact");
    for (const std::string& earlier : before)
      EXPECT_FALSE(base::matches_wildcard(earlier, fact))
          << fact << " never fits: " << earlier << " comes first";
    before.push_back(fact);
  }
}

TEST(ChangeGuilt, RowsNamePlacesAndFacts) {
  const base::CsvTable* table = knowledge().table("change_guilt");
  ASSERT_NE(table, nullptr);
  std::set<std::string> places;
  for (const catalog::Cause& cause : knowledge().causes()) places.insert(cause.at);
  std::set<std::string> named;
  for (const auto& row : table->rows) {
    const std::string list = table->cell(row, "place");
    for (const std::string_view place : base::words(list)) {
      EXPECT_EQ(places.count(std::string(place)), 1U) << place;
      named.insert(std::string(place));
    }
    expect_group(table->cell(row, "fact"), list);
    const auto guilt = base::parse_int(table->cell(row, "guilt"));
    EXPECT_TRUE(guilt && *guilt > 0 && *guilt <= 100) << table->cell(row, "fact");
  }
  EXPECT_EQ(named, places) << "a place without rows";
}

TEST(FactGuilt, KnowsNearlyEveryFactOfAMachine) {
  const catalog::FactGuilt guilt(knowledge());
  const auto source = source_of(written_machine("h100"));
  std::set<std::string> unnamed;
  const auto facts = model::flatten(facts::collect_machine(*source, knowledge()));
  for (const model::Fact& fact : facts) {
    if (guilt.of(fact.path).fact.empty()) unnamed.insert(fact.path);
  }
  EXPECT_LE(unnamed.size() * 50, facts.size())
      << "rows are missing in data/fact_guilt.csv: " << *unnamed.begin();
}

TEST(Wildcard, StandsForAnyText) {
  EXPECT_TRUE(base::matches_wildcard("gpus[*].vbios", "gpus[0000:3b:00.0].vbios"));
  EXPECT_TRUE(base::matches_wildcard("a*b*c", "abc"));
  EXPECT_TRUE(base::matches_wildcard("*", ""));
  EXPECT_TRUE(base::matches_wildcard("a*ab", "aaab"));
  EXPECT_FALSE(base::matches_wildcard("gpus[*].vbios", "gpus[x].vbios2"));
  EXPECT_FALSE(base::matches_wildcard("a*b", "a"));
  EXPECT_FALSE(base::matches_wildcard("", "a"));
}

}  // namespace
}  // namespace gpuwright::tests
