// The switches, each by what a person or a script relies on.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "support/diagnose.h"
#include "support/expected.h"
#include "support/json_schema.h"
#include "support/logs.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kXid79 = "[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n";

Ran gpuwright(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), program());
  return run(arguments, input);
}

/// Columns a terminal needs for a line of UTF-8: characters of East Asian scripts take two.
std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) ++count;
    if (byte >= 0xc0) count += byte >= 0xe0 ? 2U : 1U;
  }
  return count;
}

/// Nothing but printable ASCII and line ends.
bool is_plain_text(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c != 0x7f); });
}

void expect_no_wider_than(const std::string& text, std::size_t width, const std::string& what) {
  for (const std::string& line : text_lines(text)) EXPECT_LE(columns(line), width) << what << ": " << line;
}

TEST(Json, IsValidForEveryCaseInBothLanguages) {
  const std::string schema = read_file(source_dir() + "/docs/schema/doctor.schema.json");
  for (const ExpectedCase& one : expected_cases()) {
    for (const char* language : {"en", "zh"}) {
      const Ran ran = gpuwright({"doctor", "--json", "--lang", language, "-"}, one.text);
      EXPECT_THAT(schema_breaches(ran.out, schema), IsEmpty()) << one.file;
      EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << one.file << ": " << ran.exit_code;
    }
  }
}

TEST(Json, OfHostileTextIsStillJson) {
  const std::string schema = read_file(source_dir() + "/docs/schema/doctor.schema.json");
  const std::string line =
      "[ 1.000001] \"\\\x01\xff\xfe NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n";
  const Ran ran = gpuwright({"doctor", "--json", "-"}, line);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(schema_breaches(ran.out, schema), IsEmpty()) << ran.out;
}

TEST(SchemaCheck, FindsWhatIsWrong) {
  const std::string schema =
      R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1}}})";
  EXPECT_THAT(schema_breaches(R"({"a": 1})", schema), IsEmpty());
  EXPECT_EQ(schema_breaches(R"({"a": 0})", schema).size(), 1U);
  EXPECT_EQ(schema_breaches(R"({"a": "1"})", schema).size(), 1U);
  EXPECT_EQ(schema_breaches(R"({"a": 1, "b": 2})", schema).size(), 1U);
  EXPECT_EQ(schema_breaches(R"({})", schema).size(), 1U);
  EXPECT_EQ(schema_breaches("{", schema).size(), 1U);
}

TEST(Language, ChineseSpeaksChineseAndKeepsTheCodes) {
  const Ran ran = gpuwright({"doctor", "--lang", "zh", "-"}, kXid79);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("总线"));
  EXPECT_THAT(ran.out, HasSubstr("0000:3b:00"));
}

TEST(Language, ThatDoesNotExistIsAUsageError) {
  EXPECT_EQ(gpuwright({"doctor", "--lang", "xx", "-"}, kXid79).exit_code, 2);
}

TEST(Quiet, SaysLessAndExitsAlike) {
  const Ran loud = gpuwright({"doctor", "-"}, kXid79);
  const Ran quiet = gpuwright({"doctor", "--quiet", "-"}, kXid79);
  EXPECT_EQ(quiet.exit_code, loud.exit_code);
  EXPECT_LT(quiet.out.size() + quiet.err.size(), loud.out.size() + loud.err.size());
}

TEST(Colour, StaysOutOfAPipe) {
  EXPECT_THAT(gpuwright({"doctor", "-"}, kXid79).out, Not(HasSubstr("\x1b")));
}

TEST(Demo, EachShowsAFindingAndSaysThatItIsADemonstration) {
  ASSERT_FALSE(knowledge().demos().empty());
  for (const catalog::DemoRow& demo : knowledge().demos()) {
    const Ran ran = gpuwright({"doctor", "--demo", demo.name});
    EXPECT_THAT(ran.out, HasSubstr("demonstration")) << demo.name << ": " << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("1. ")) << demo.name;
  }
  const Ran unknown = gpuwright({"doctor", "--demo", "no-such-demo"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr(knowledge().demos().front().name));
}

TEST(Explain, DriversCudaReleasesAndGpusComeFromTheTables) {
  for (const char* branch : {"R580", "580", "580.95.05", "driver 580"}) {
    const Ran ran = gpuwright({"explain", branch});
    EXPECT_EQ(ran.exit_code, 0) << branch;
    EXPECT_NE(ran.out.find("R580"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("as of"), std::string::npos) << "what ages says when it was read";
  }
  EXPECT_NE(gpuwright({"explain", "CUDA", "13.0"}).out.find("580.65.06"), std::string::npos);
  EXPECT_NE(gpuwright({"explain", "H100"}).out.find("H100 SXM5 80GB"), std::string::npos);
  EXPECT_NE(gpuwright({"explain", "10de:2503"}).out.find("GA106"), std::string::npos);
  EXPECT_NE(gpuwright({"explain", "--lang", "zh", "R535"}).out.find("已停止支持"), std::string::npos);
  const Ran json = gpuwright({"explain", "--json", "R580"});
  EXPECT_NE(json.out.find("\"end_of_life\": \"2028-06\""), std::string::npos) << json.out;
  EXPECT_EQ(gpuwright({"explain", "gpx"}).exit_code, 2);
}

TEST(Explain, KnowsCodesCausesAndLines) {
  const Ran code = gpuwright({"explain", "79"});
  EXPECT_EQ(code.exit_code, 0) << code.err;
  EXPECT_THAT(code.out, HasSubstr("bus"));
  const Ran named = gpuwright({"explain", "xid", "79"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  const Ran line = gpuwright({"explain", "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."});
  EXPECT_EQ(line.exit_code, 0) << line.err;
  EXPECT_THAT(line.out, HasSubstr("bus"));
}

TEST(Explain, OfTheUnknownSaysSo) {
  const Ran ran = gpuwright({"explain", "no-such-thing-as-this"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_FALSE(ran.err.empty());
}

TEST(Help, FitsEightyColumns) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"doctor", "--help"},
                                                    {"explain", "--help"},
                                                    {"fleet", "--help"},
                                                    {}}) {
    const Ran ran = gpuwright(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(arguments.size() == 2 ? arguments.front() : "doctor"));
    EXPECT_TRUE(is_plain_text(ran.out)) << ran.out;
    expect_no_wider_than(ran.out, 80, arguments.empty() ? "overview" : arguments.front());
  }
}

TEST(Usage, ErrorsExitTwoAndSayWhatToTry) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"docter"}, {"doctor", "--no-such-switch"}}) {
    const Ran ran = gpuwright(arguments);
    EXPECT_EQ(ran.exit_code, 2) << arguments.front();
    EXPECT_FALSE(ran.err.empty());
    EXPECT_TRUE(ran.out.empty()) << ran.out;
  }
}

TEST(Version, IsPrinted) {
  const Ran ran = gpuwright({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, HasSubstr("gpuwright "));
}

TEST(Data, FolderReplacesTheEmbeddedKnowledge) {
  const Ran same = gpuwright({"doctor", "--data", source_dir() + "/data", "-"}, kXid79);
  EXPECT_EQ(same.exit_code, 1) << same.err;
  EXPECT_EQ(same.out, gpuwright({"doctor", "-"}, kXid79).out);
  const Ran missing = gpuwright({"doctor", "--data", "/nonexistent", "-"}, kXid79);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent"));
}

TEST(StandardOutput, ThatIsFullIsAnError) {
  const TempFolder folder;
  const std::string log = folder.write("kern.log", kXid79);
  const Ran ran = run({"sh", "-c", program() + " doctor " + log + " >/dev/full"});
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.exit_code, 1) << "a finding and a lost answer must not look alike";
}

}  // namespace
}  // namespace gpuwright::tests
