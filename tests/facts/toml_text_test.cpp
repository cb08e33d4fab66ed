// What is asked of TOML files of container engines.
// SPDX-License-Identifier: Apache-2.0
#include "facts/toml_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using facts::toml_sections;
using facts::toml_strings;
using facts::toml_value;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TomlText, AValueIsFoundWithoutItsQuotesAndItsComment) {
  const char* text =
      "version = 3\n# mode = \"legacy\"\n[section]\n  mode = 'cdi' # chosen\nflag = true  # note\n";
  EXPECT_EQ(toml_value(text, "version"), "3");
  EXPECT_EQ(toml_value(text, "mode"), "cdi");
  EXPECT_EQ(toml_value(text, "flag"), "true");
  EXPECT_FALSE(toml_value(text, "mod"));
  EXPECT_FALSE(toml_value("", "version"));
}

TEST(TomlText, AnArrayMaySpanLines) {
  EXPECT_THAT(toml_strings("imports = [\"/a/*.toml\", '/b.toml']\n", "imports"),
              ElementsAre("/a/*.toml", "/b.toml"));
  EXPECT_THAT(toml_strings("imports = [\n  \"/a.toml\",\n  '/b.toml',\n]\nnext = [\"c\"]\n", "imports"),
              ElementsAre("/a.toml", "/b.toml"));
  EXPECT_THAT(toml_strings("imports = []\n", "imports"), IsEmpty());
  EXPECT_THAT(toml_strings("imports = [\"open\n", "imports"), IsEmpty());
  EXPECT_THAT(toml_strings("other = [\"a\"]\n", "imports"), IsEmpty());
}

TEST(TomlText, SectionsLoseTheirBracketsAndTheKindOfQuotes) {
  EXPECT_THAT(toml_sections("[plugins.'io.containerd.cri.v1.runtime'.containerd]\nkey = [1]\n [[other]]\n"),
              ElementsAre("plugins.\"io.containerd.cri.v1.runtime\".containerd", "[other]"));
}

}  // namespace
}  // namespace gpuwright::tests
