// Catalog text with its parameters filled in, and how a subject is named.
// SPDX-License-Identifier: Apache-2.0
#include "report/wording.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <string>

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

TEST(Reasons, AreSaidInChineseWithTheirParts) {
  const auto zh = [](const std::string& reason) {
    return report::reason_text(knowledge(), reason, catalog::Language::Chinese);
  };
  EXPECT_EQ(zh("no answer for 500 ms"), "500 毫秒内没有应答");
  EXPECT_EQ(zh("GPU is lost"), "GPU 已丢失");
  EXPECT_EQ(zh("/usr/lib/libnvidia-ml.so.1: is not installed"), "/usr/lib/libnvidia-ml.so.1：未安装");
  EXPECT_EQ(zh("history stands still: a: b; c; tried again every 10 s"),
            "历史记录停写：a: b; c；每 10 秒重试");
  EXPECT_EQ(zh("something that nobody has translated"), "something that nobody has translated");
  EXPECT_EQ(zh(""), "");
  EXPECT_EQ(report::reason_text(knowledge(), "GPU is lost", catalog::Language::English), "GPU is lost");
}

TEST(Reasons, EachEndingIsThereInBothLanguages) {
  for (const char* code : {"unseen", "answers", "reset", "replaced", "reboot", "taken-up"}) {
    const std::string english = report::ending_text(knowledge(), code, catalog::Language::English);
    EXPECT_NE(english, code);
    EXPECT_NE(report::ending_text(knowledge(), code, catalog::Language::Chinese), english);
  }
  EXPECT_EQ(report::ending_text(knowledge(), "of a newer one", catalog::Language::Chinese), "of a newer one");
}

}  // namespace
}  // namespace gpuwright::tests
