// The key table itself.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/spec_types.h"
#include "kit/yaml.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

namespace gpuwright::tests {
namespace {

using catalog::SpecKey;
using catalog::SpecShape;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The sections that every later part of gpuwright finds its keys under.
TEST(SpecKeys, HaveTheSectionsOfTheWholeHouse) {
  for (const char* section :
       {"workload", "machine", "firmware", "os", "gpu", "driver", "cuda", "containers", "network", "storage",
        "passthrough", "vgpu", "monitoring", "scheduling", "security"}) {
    const SpecKey* key = knowledge().spec_keys().find(section);
    ASSERT_NE(key, nullptr) << section;
    EXPECT_THAT(knowledge().spec_keys().children(key->shape == SpecShape::Items ? key->key + "[]" : key->key),
                Not(IsEmpty()))
        << section;
  }
  EXPECT_THAT(knowledge().spec_keys().find("workload.class")->allowed, SizeIs(4));
}

TEST(SpecKeys, SpeakBothLanguages) {
  for (const SpecKey& key : knowledge().spec_keys().rows()) {
    EXPECT_FALSE(key.doc.en.empty() || key.doc.zh.empty()) << key.key;
    const bool chinese =
        std::any_of(key.doc.zh.begin(), key.doc.zh.end(), [](char c) { return (c & 0x80) != 0; });
    EXPECT_TRUE(chinese || key.doc.zh == key.doc.en) << key.key << ": " << key.doc.zh;
  }
  for (const catalog::SpecType& type : catalog::spec_types()) EXPECT_STRNE(type.en, type.zh) << type.name;
}

TEST(SpecKeys, StarterClassesExist) {
  const std::vector<std::string>& classes = knowledge().spec_keys().find("workload.class")->allowed;
  for (const SpecKey& key : knowledge().spec_keys().rows()) {
    for (const auto& starter : key.starter)
      EXPECT_NE(std::find(classes.begin(), classes.end(), starter.first), classes.end()) << key.key;
  }
}

TEST(SpecKeys, HaveAtMostOneNamePerList) {
  std::set<std::string> named;
  for (const SpecKey& key : knowledge().spec_keys().rows()) {
    if (!key.identity) continue;
    EXPECT_TRUE(named.insert(key.parent).second) << key.key;
    EXPECT_TRUE(key.required && key.parent.ends_with("[]")) << key.key;
  }
}

/// A path in the sources that no row has would never be found in a spec.
TEST(SpecKeys, AreThoseThatTheSourcesName) {
  const std::regex named(
      R"re(\bspec(?:\.|->)(?:find|flag|integer|number|text|texts|map|count)\("([a-z_0-9.\[\]]+)")re");
  std::size_t seen = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(source_dir() + "/src")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = read_file(file.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++seen)
      EXPECT_NE(knowledge().spec_keys().find((*at)[1].str()), nullptr)
          << file.path() << ": " << (*at)[1].str();
  }
  EXPECT_GT(seen, 3U);
}

std::string refusal(const std::string& row) {
  const auto tree = kit::parse_yaml(row, "row.yaml");
  const auto key = catalog::read_spec_key(tree.value(), "row.yaml");
  return key.ok() ? "" : key.error().text();
}

TEST(SpecKeys, RowsThatCouldNotServeAreRefused) {
  const std::string doc = "doc: {en: a, zh: b}";
  EXPECT_EQ(refusal("{key: a.b, type: int, example: 1, " + doc + "}"), "");
  EXPECT_THAT(refusal("{key: a.b, type: int, example: x, " + doc + "}"), HasSubstr("example is no value"));
  EXPECT_THAT(refusal("{key: a.b, type: int, range: [\"1\", \"5\"], example: 9, " + doc + "}"),
              HasSubstr("example is no value"));
  EXPECT_THAT(refusal("{key: a.b, type: int, example: 1, doc: {en: a}}"), HasSubstr("doc needs en and zh"));
  EXPECT_THAT(refusal("{key: a.b, type: integer, example: 1, " + doc + "}"), HasSubstr("no type 'integer'"));
  EXPECT_THAT(refusal("{key: a.B, type: int, example: 1, " + doc + "}"), HasSubstr("no snake_case"));
  EXPECT_THAT(refusal("{key: a.b, type: word, example: x, " + doc + "}"), HasSubstr("has `allowed`"));
  EXPECT_THAT(refusal("{key: a.b, type: int, example: 1, colour: red, " + doc + "}"),
              HasSubstr("unknown field"));
  EXPECT_THAT(refusal("{key: a.b, type: int, example: 1, compare: near, " + doc + "}"),
              HasSubstr("no comparison"));
}

TEST(SpecTypes, QuantitiesAreShownInTheUnitThatFits) {
  const auto shown = [](const char* type, const char* text) {
    SpecKey key;
    key.type = type;
    const auto value = catalog::read_spec_value(key, text);
    const auto* read = std::get_if<model::SpecValue>(&value);
    return read == nullptr ? std::string("refused") : catalog::spec_value_text(key, *read);
  };
  EXPECT_EQ(shown("power", "500W"), "500 W");
  EXPECT_EQ(shown("power", "0.5 kW"), "500 W");
  EXPECT_EQ(shown("power", "1500 W"), "1.5 kW");
  EXPECT_EQ(shown("size", "2 TB"), "2 TB");
  EXPECT_EQ(shown("size", "80 GiB"), "80 GiB");
  EXPECT_EQ(shown("size", "85899345920 B"), "80 GiB");
  EXPECT_EQ(shown("duration", "90 min"), "1.5 h");
  EXPECT_EQ(shown("duration", "250 ms"), "0.25 s");
  EXPECT_EQ(shown("bit_rate", "400 Gb/s"), "400 Gb/s");
  EXPECT_EQ(shown("bit_rate", "400 GB/s"), "refused");
  EXPECT_EQ(shown("temperature", "83 °C"), "83 C");
  EXPECT_EQ(shown("temperature", "-5 C"), "-5 C");
  EXPECT_EQ(shown("pci_address", "0000:17:00.0"), "0000:17:00.0");
  EXPECT_EQ(shown("pci_address", "0000:17:00"), "refused");
  EXPECT_EQ(shown("gpu", "GPU-12345678-90ab-cdef-1234-567890abcdef"),
            "GPU-12345678-90ab-cdef-1234-567890abcdef");
  EXPECT_EQ(shown("path", "/dev/disk/by-id/nvme-eui.01"), "/dev/disk/by-id/nvme-eui.01");
  EXPECT_EQ(shown("path", "/a; rm -rf /"), "refused");
}

}  // namespace
}  // namespace gpuwright::tests
