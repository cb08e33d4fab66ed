// `gpuwright history` beside the process that writes.
// SPDX-License-Identifier: Apache-2.0
#include "support/history.h"

#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A daemon's history of five minutes, still open.
class HistoryCli : public ::testing::Test {
 protected:
  HistoryCli() : path_(folder_.path() + "/history.db"), historian_(options_for(path_)) {
    historian_.series("power_watts", "GPU-aaaa");
    historian_.series("power_watts", "GPU-bbbb");
    for (int n = 1; n <= 300; ++n) historian_.tick(tick_number(n, n == 100));
    watch::HistoryTick words = tick_number(301);
    words.incidents = {{"1",
                        "gpu-lost",
                        "GPU-aaaa",
                        "critical",
                        words.time_ms,
                        std::nullopt,
                        "",
                        {"Xid 79, \"gone\""},
                        "",
                        "",
                        {},
                        ""}};
    words.jobs = {{"slurm", "42", "ada", "gpu,long", {"GPU-aaaa"}, words.time_ms, std::nullopt}};
    words.changes = {{words.time_ms, "GPU-aaaa", "health", "ok", "failed", "Xid 79"}};
    historian_.tick(words);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (historian_.state().written < 301 && std::chrono::steady_clock::now() < end) historian_.pump();
  }

  Ran history(std::vector<std::string> arguments) {
    const bool other = std::find(arguments.begin(), arguments.end(), "--db") != arguments.end();
    if (!other) arguments.insert(arguments.begin(), {"--db", path_});
    arguments.insert(arguments.begin(), {program(), "history"});
    return run(arguments);
  }

  TempFolder folder_;
  std::string path_;
  watch::Historian historian_;
};

TEST_F(HistoryCli, PrintsEachTopicAsTextAndCsv) {
  EXPECT_THAT(history({"events"}).out, HasSubstr("xid"));
  EXPECT_THAT(history({"incidents"}).out, HasSubstr("gpu-lost"));
  EXPECT_THAT(history({"jobs"}).out, HasSubstr("ada"));
  EXPECT_THAT(history({"changes"}).out, HasSubstr("failed"));
  EXPECT_EQ(history({"series"}).out, "power_watts\n");
  EXPECT_THAT(history({"jobs", "--csv"}).out, HasSubstr(",slurm,42,ada,\"gpu,long\",GPU-aaaa\n"));
  const Ran drawn = history({"series", "power_watts", "--gpu", "aaaa"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("▁"));
  EXPECT_THAT(drawn.out, HasSubstr("█"));
  EXPECT_THAT(drawn.out, HasSubstr("highest 301"));
  EXPECT_THAT(drawn.out, Not(HasSubstr("GPU-bbbb")));
}

TEST_F(HistoryCli, JsonIsValidForEachTopic) {
  const std::string schema = read_file(source_dir() + "/docs/schema/history.schema.json");
  for (const std::vector<std::string>& what : std::vector<std::vector<std::string>>{
           {"events"}, {"incidents"}, {"jobs"}, {"changes"}, {"series"}, {"series", "power_watts"}}) {
    std::vector<std::string> arguments = what;
    arguments.emplace_back("--json");
    const Ran ran = history(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(schema_breaches(ran.out, schema), IsEmpty()) << what[0];
  }
}

TEST_F(HistoryCli, SpeaksChinese) {
  const std::string incidents = history({"incidents", "--lang", "zh"}).out;
  EXPECT_THAT(incidents, HasSubstr("严重"));
  EXPECT_THAT(incidents, HasSubstr("仍在继续"));
  EXPECT_THAT(history({"jobs", "--lang", "zh"}).out, HasSubstr("运行中"));
  EXPECT_THAT(history({"events", "--lang", "zh"}).out, HasSubstr("类别"));
}

TEST_F(HistoryCli, TimesBoundTheAnswer) {
  EXPECT_THAT(history({"events", "--until", "2026-11-29"}).out, HasSubstr("no events in that time"));
  EXPECT_THAT(history({"events", "--since", "2026-11-29T00:00", "--until", "2027"}).out, HasSubstr("xid"));
  EXPECT_THAT(history({"events", "--since", "2028"}).out, HasSubstr("no events"));
  EXPECT_THAT(history({"events", "--limit", "1"}).out, HasSubstr("--limit N shows more"));
}

TEST_F(HistoryCli, WrongWordsAndFilesAreOneLineAndExitTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"weather"},
      {"events", "more"},
      {"events", "--since", "yesterday"},
      {"series", "power_wats"},
      {"events", "--limit", "0"},
      {"events", "--json", "--csv"},
      {"series", "power_watts", "--gpu", "GPU-"},
      {"events", "--db", folder_.path() + "/none.db"},
      {"events", "--db", folder_.write("text.db", "hello, this is no database")}};
  for (const auto& arguments : wrong) {
    const Ran ran = history(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_THAT(history({"series", "power_wats"}).err, HasSubstr("did you mean power_watts?"));
  EXPECT_THAT(history({"events", "--db", "/nowhere/h.db"}).err, HasSubstr("gpuwright serve"));
  EXPECT_THAT(history({"--help"}).out, HasSubstr("Examples:"));
}

}  // namespace
}  // namespace gpuwright::tests
