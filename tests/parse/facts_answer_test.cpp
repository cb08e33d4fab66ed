// Facts as JSON, read back as a plain list: the same list that the machine itself gives.
// SPDX-License-Identifier: Apache-2.0
#include "parse/facts_answer.h"

#include "facts/collector.h"
#include "model/fact_tree.h"
#include "report/facts_json.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(FactsAnswer, IsWhatTheMachineTold) {
  const auto source = source_of(written_machine("h100"));
  const model::FactNode tree = model::fact_tree(facts::collect_machine(*source, knowledge()));
  const auto snapshot = parse::read_facts(report::render_facts_json(tree), "n1");
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
  std::size_t known = 0;
  for (const model::Fact& fact : model::flatten(tree)) {
    const auto read = snapshot->facts.find(fact.path);
    ASSERT_NE(read, snapshot->facts.end()) << fact.path;
    EXPECT_EQ(read->second.known, fact.known) << fact.path;
    if (fact.known) {
      EXPECT_EQ(read->second.value, fact.value) << fact.path;
    } else {
      EXPECT_EQ(read->second.reason, fact.reason) << fact.path;
    }
    known += fact.known ? 1 : 0;
  }
  EXPECT_GT(known, 1000U);
}

TEST(FactsAnswer, RefusesWhatHoldsNone) {
  for (const char* json : {"{}", "[]", R"({"schema_version": 1, "facts": []})", R"({"facts": {}})",
                           R"({"schema_version": 2, "facts": {}, "absent": []})", "{\"facts\"", ""})
    EXPECT_FALSE(parse::read_facts(std::string_view(json), "n1").ok()) << json;
}

TEST(FactsAnswer, MakesHostileTextPrintableAndTellsDoublesApart) {
  const auto snapshot = parse::read_facts(
      std::string_view(R"({"schema_version": 1, "facts": {"a\u001b": "x\u0007", "l": [{"key": "k", "v": 1},
                          {"key": "k", "v": null}, {"v": true}], "words": ["a", "b"]},
                          "absent": [{"fact": "l[k#2].v", "reason": "denied"}, {"fact": "z", "reason": "?"}]})"),
      "n1");
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().text();
  EXPECT_EQ(snapshot->facts.at("a?").value, "x?");
  EXPECT_EQ(snapshot->facts.at("l[k].v").value, "1");
  EXPECT_EQ(snapshot->facts.at("l[].v").value, "true");
  EXPECT_EQ(snapshot->facts.at("words").value, "a, b");
  EXPECT_EQ(snapshot->facts.at("l[k#2].v").reason, model::AbsentReason::Denied);
  EXPECT_EQ(snapshot->facts.at("z").reason, model::AbsentReason::Malformed);
}

}  // namespace
}  // namespace gpuwright::tests
