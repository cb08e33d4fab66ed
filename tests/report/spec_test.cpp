// What is made from the key table: schema, reference pages, examples. Each stands in the repository as a file
// and must equal what the table gives.
// SPDX-License-Identifier: Apache-2.0
#include "support/spec.h"

#include "report/spec_docs.h"
#include "report/spec_text.h"
#include "report/spec_words.h"
#include "report/spec_yaml.h"

#include "support/diagnose.h"
#include "support/golden.h"
#include "support/json_schema.h"
#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

report::SpecStyle style(const std::string& heading, report::SpecComments comments) {
  report::SpecStyle result;
  result.heading = heading;
  result.comments = comments;
  return result;
}

TEST(SpecTable, ExamplesInTheDocumentationComeFromIt) {
  expect_file("docs/examples/gpuwright.yaml",
              report::spec_example_yaml(
                  knowledge(), style("Every key of a spec, with an example. docs/SPEC.md explains them.",
                                     report::SpecComments::Full)));
  for (const std::string& one : report::workload_classes(knowledge())) {
    const std::string text =
        report::spec_starter_yaml(one, knowledge(),
                                  style("A first spec for " + one + ". gpuwright spec init --class " + one,
                                        report::SpecComments::Meaning));
    expect_file("docs/examples/" + one + ".yaml", text);
    EXPECT_THAT(spec_faults(text), IsEmpty()) << one;
    EXPECT_EQ(read_spec(text).spec.text("workload.class"), one);
  }
}

TEST(SpecTable, SchemaComesFromIt) {
  expect_file("docs/schema/spec.schema.json", report::spec_json_schema(knowledge()));
}

TEST(SpecTable, ReferenceComesFromItInBothLanguages) {
  const std::string mark = "<!-- from data/spec";
  expect_part_of_file("docs/SPEC.md", mark,
                      "\n" + report::spec_reference(knowledge(), catalog::Language::English) + "\n");
  expect_part_of_file("docs/SPEC.zh-CN.md", mark,
                      "\n" + report::spec_reference(knowledge(), catalog::Language::Chinese) + "\n");
}

TEST(SpecSchema, AcceptsTheExamples) {
  const std::string schema = report::spec_json_schema(knowledge());
  for (const std::string& name : example_names()) {
    const std::string yaml = read_file(source_dir() + "/" + name);
    EXPECT_THAT(schema_breaches(yaml_as_json(yaml), schema), IsEmpty()) << name;
  }
}

TEST(SpecSchema, RefusesWhatTheParserRefuses) {
  const std::string schema = report::spec_json_schema(knowledge());
  for (const char* yaml :
       {"gpu: {persistance: true}", "gpu: {ecc: yes}", "gpu: {power_limit: 500}",
        "gpu: {power_limit: 500 MHz}", "workload: {class: trainng}", "workload: {users: 3}",
        "driver: {branch: 58}", "driver: {branch: R580}", "cuda: {toolkits: 13.0}",
        "gpu: {inventory: {model: H100}}", "gpu: {inventory: [{model: H100}]}",
        "network: {ports: [{name: \"a b\"}]}", "gpu: {mig: {layouts: [{gpus: [x], profiles: {}}]}}"}) {
    EXPECT_THAT(spec_faults(yaml), Not(IsEmpty())) << yaml;
    EXPECT_THAT(schema_breaches(yaml_as_json(yaml), schema), Not(IsEmpty())) << yaml;
  }
}

TEST(SpecKeys, ExplainThemselvesInBothLanguages) {
  for (const catalog::SpecKey& key : knowledge().spec_keys().rows()) {
    const std::string english = report::explain_spec_key_text(key, knowledge(), {});
    report::ExplainOptions options;
    options.language = catalog::Language::Chinese;
    const std::string chinese = report::explain_spec_key_text(key, knowledge(), options);
    EXPECT_THAT(english, HasSubstr(key.key));
    EXPECT_NE(english, chinese) << key.key;
    EXPECT_FALSE(report::spec_type_text(key, catalog::Language::English).empty()) << key.key;
  }
}

TEST(SpecWriter, QuotesWhatWouldBeTakenForSomethingElse) {
  const char* yaml =
      "name: \"true\"\nos:\n  release: \"24.04\"\n  sysctl: {net.ipv4.tcp_rmem: 4096 87380 16777216}\n";
  const parse::SpecReading reading = read_spec(yaml);
  ASSERT_TRUE(reading.ok());
  EXPECT_THAT(report::spec_yaml(reading.spec, knowledge(), {}), HasSubstr("name: \"true\"\n"));
  EXPECT_THAT(report::spec_yaml(reading.spec, knowledge(), {}), HasSubstr("release: \"24.04\"\n"));
  EXPECT_EQ(spec_values(read_spec(report::spec_yaml(reading.spec, knowledge(), {})).spec),
            spec_values(reading.spec));
}

TEST(SpecWriter, AnEmptySpecIsStillOne) {
  EXPECT_EQ(report::spec_yaml(model::Spec(), knowledge(), {}), "{}\n");
  EXPECT_THAT(spec_faults("{}\n"), IsEmpty());
  EXPECT_THAT(spec_faults("gpu: {inventory: []}\n"), IsEmpty());
}

}  // namespace
}  // namespace gpuwright::tests
