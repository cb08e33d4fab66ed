// YAML as trees with places, and scalars written so that they read back.
// SPDX-License-Identifier: Apache-2.0
#include "kit/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(Yaml, TellsLinesAndColumns) {
  const auto tree = kit::parse_yaml("a:\n  b: [1, two]\n  c: \"3\"\n", "x.yaml");
  ASSERT_TRUE(tree.ok());
  const kit::Node& a = tree.value()["a"];
  EXPECT_EQ(a.key_line, 1);
  EXPECT_EQ(a.key_column, 1);
  EXPECT_EQ(a["b"].key_line, 2);
  EXPECT_EQ(a["b"].key_column, 3);
  EXPECT_EQ(a["b"].column, 6);
  EXPECT_EQ(a["b"].items[1].column, 10);
  EXPECT_FALSE(a["b"].items[1].quoted);
  EXPECT_TRUE(a["c"].quoted);
}

TEST(Yaml, ErrorsNameFileLineAndColumn) {
  const auto broken = kit::parse_yaml("a: 1\nb: c: d\n", "x.yaml");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().where, "x.yaml:2:5");
}

TEST(Yaml, ReadsAllDocumentsUpToTheFault) {
  const kit::YamlText text = kit::read_yaml("a: 1\n---\nb: 2\n---\nc: *x\n");
  EXPECT_EQ(text.documents.size(), 2U);
  ASSERT_TRUE(text.fault);
  EXPECT_EQ(text.fault->line, 5);
}

RC_GTEST_PROP(YamlScalar, ReadsBackAsItself, (std::string text, bool as_text)) {
  for (const std::string& yaml :
       {kit::yaml_scalar(text, as_text), "[" + kit::yaml_scalar(text, as_text) + ", x]",
        "{k: " + kit::yaml_scalar(text, as_text) + "}", "k: " + kit::yaml_scalar(text, as_text) + "\n"}) {
    const auto tree = kit::parse_yaml(yaml, "x.yaml");
    if (!tree.ok()) continue;  // bytes that are no characters
    const kit::Node& root = tree.value();
    const kit::Node& scalar = root.is_sequence() ? root.items[0] : root.is_map() ? root["k"] : root;
    RC_ASSERT(scalar.is_scalar());
    RC_ASSERT(scalar.scalar == text);
  }
}

TEST(YamlScalar, IsPlainWhereThatIsSafe) {
  EXPECT_EQ(kit::yaml_scalar("NVIDIA H100 80GB HBM3", true), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(kit::yaml_scalar("580", false), "580");
  EXPECT_EQ(kit::yaml_scalar("580", true), "\"580\"");
  EXPECT_EQ(kit::yaml_scalar("580.159.03", true), "580.159.03");
  EXPECT_EQ(kit::yaml_scalar("off", true), "\"off\"");
  EXPECT_EQ(kit::yaml_scalar("a, b", true), "\"a, b\"");
  EXPECT_EQ(kit::yaml_scalar("- a", true), "\"- a\"");
  EXPECT_EQ(kit::yaml_scalar("a: b", true), "\"a: b\"");
  EXPECT_EQ(kit::yaml_scalar("", true), "\"\"");
  EXPECT_EQ(kit::yaml_scalar("a\"\n", true), "\"a\\\"\\x0a\"");
}

}  // namespace
}  // namespace gpuwright::tests
