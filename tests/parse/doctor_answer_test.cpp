// What doctor printed elsewhere, read back: the whole of it or a reason.
// SPDX-License-Identifier: Apache-2.0
#include "parse/doctor_answer.h"

#include "kit/json.h"
#include "report/doctor_json.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using ::testing::HasSubstr;

constexpr const char* kXid79 = "[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n";

std::string doctor_json(const std::string& text) {
  return report::render_doctor_json(diagnose(text), knowledge(), catalog::Language::English);
}

base::Result<model::NodeReport> read_back(const std::string& json, const std::string& node) {
  GPUWRIGHT_TRY(const kit::Node root, kit::parse_json(json, node));
  return parse::read_doctor_answer(root, node);
}

TEST(DoctorAnswer, IsReadBack) {
  const auto report = read_back(doctor_json(kXid79), "n7");
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->node, "n7");
  EXPECT_FALSE(report->no_answer);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings.front().cause, "gpu-lost-from-bus");
  EXPECT_EQ(report->findings.front().subject, "GPU 0000:3b:00");
  EXPECT_EQ(report->findings.front().severity, model::Severity::Critical);
  EXPECT_EQ(report->findings.front().since_boot_s, 4242.000001);
  EXPECT_GE(report->findings.front().sure, 90);
}

TEST(DoctorAnswer, ThatRecognisedNothingIsNoHealth) {
  const auto report = read_back(doctor_json("hello\n"), "n1");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->no_answer, model::NoAnswer::NothingKnown);
}

TEST(DoctorAnswer, CutAnywhereIsNoAnswer) {
  const std::string whole = doctor_json(kXid79);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    const auto report = read_back(whole.substr(0, length), "n1");
    ASSERT_FALSE(report.ok()) << length;
    EXPECT_EQ(report.error().kind, ErrorKind::Malformed);
  }
}

TEST(DoctorAnswer, OfAnotherSchemaOrKindIsRefused) {
  const auto kind = [](const char* json) {
    const auto report = read_back(json, "n1");
    EXPECT_FALSE(report.ok()) << json;
    return report.error().kind;
  };
  EXPECT_EQ(kind(R"({"schema_version": 2, "findings": []})"), ErrorKind::Unsupported);
  EXPECT_EQ(kind(R"({"schema_version": 1})"), ErrorKind::Malformed);
  EXPECT_EQ(kind(R"({"findings": [], "recognised": [], "could_not_look": []})"), ErrorKind::Malformed);
  EXPECT_EQ(kind("[]"), ErrorKind::Malformed);
  EXPECT_EQ(kind("null"), ErrorKind::Malformed);
  for (const char* finding : {R"({"cause": "x", "severity": "mild", "confidence": 1})",
                              R"({"cause": "", "severity": "error", "confidence": 1})",
                              R"({"cause": "x", "severity": "error", "confidence": 1e9})", R"("x")"}) {
    const std::string json = std::string(R"({"schema_version": 1, "findings": [)") + finding +
                             R"(], "recognised": [], "could_not_look": []})";
    EXPECT_EQ(kind(json.c_str()), ErrorKind::Malformed);
  }
}

TEST(DoctorAnswer, OfAHostileNodeIsMadePrintable) {
  const auto report = read_back(
      R"({"schema_version": 1, "findings": [{"cause": "x\u001b[2J", "title": "\u0007", "subject": {"text": "\u009b"},
          "severity": "error", "confidence": 0.5, "first": {"utc": "\u001b"}}], "recognised": [], "could_not_look": ["\u0000"]})",
      "n1");
  ASSERT_TRUE(report.ok()) << report.error().text();
  const auto& finding = report->findings.front();
  for (const std::string& text :
       {finding.cause, finding.title, finding.since, report->could_not_look.front()})
    EXPECT_EQ(text.find_first_of(std::string("\x1b\x07\0", 3)), std::string::npos) << text;
}

}  // namespace
}  // namespace gpuwright::tests
