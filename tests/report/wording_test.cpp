// Catalog text with its parameters filled in, and how a subject is named.
// SPDX-License-Identifier: Apache-2.0
#include "report/wording.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using report::fill_in;

TEST(FillIn, KnownParametersStandInTheText) {
  EXPECT_EQ(fill_in("{count} rows ({bank}) of {gpu}", {{"count", "3"}, {"bank", "b"}, {"gpu", "G"}}),
            "3 rows (b) of G");
}

TEST(FillIn, AParenthesisOfUnknownsGoesWithThem) {
  EXPECT_EQ(fill_in("a row was marked ({count} so far). Then", {}), "a row was marked. Then");
  EXPECT_EQ(fill_in("已标记（{count}），然后", {}), "已标记，然后");
  EXPECT_EQ(fill_in("failed ({init}:{status})", {{"init", "0x22"}}), "failed (0x22:)");
  EXPECT_EQ(fill_in("see (man page) for {what} more", {}), "see (man page) for more");
  EXPECT_EQ(fill_in("open ( {count}", {}), "open ( ");
}

TEST(FillIn, CommandsKeepAPlaceForTheDevice) {
  EXPECT_EQ(fill_in("nvidia-smi -i {bus_id} (or {node})", {}), "nvidia-smi -i <GPU> (or <node>)");
  EXPECT_EQ(fill_in("cat $(find {missing})", {}), "cat $(find )");
}

TEST(SubjectText, ANodeIsNotOnItself) {
  model::Subject node;
  node.kind = model::SubjectKind::Node;
  node.id = "n3";
  node.host = "n3";
  EXPECT_EQ(report::subject_text(node, catalog::Language::English), "node n3");
  node.host = "mgmt";
  EXPECT_EQ(report::subject_text(node, catalog::Language::English), "node n3 on mgmt");
}

}  // namespace
}  // namespace gpuwright::tests
