// Twelve traps that other exporters of GPU metrics have, each with the tests that show that we do not have
// it. A test that is named here and is not there fails this one. Traps: NVIDIA/dcgm-exporter d5e5f51 and its
// issues.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/http_client.h"
#include "report/metrics_text.h"

#include "artifacts/grafana.h"
#include "artifacts/prometheus.h"
#include "support/diagnose.h"
#include "support/paths.h"
#include "support/run.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Trap {
  int number;
  const char* what;
  std::vector<const char*> tests;  ///< FOLDER.SUITE.NAME
};

const std::vector<Trap>& traps() {
  static const std::vector<Trap> kTraps = {
      {1,
       "the rate over NVLink is called a counter",
       {"traps.Traps.TheRateOverNvlinkIsAGaugeAndTrueCountersStandBeside"}},
      {2,
       "the last Xid stands for ever and rules take its rate",
       {"cli.Serve.XidsOfTheKernelAreCountedAndThoseOfProgramsAreNot",
        "report.NodeMetrics.XidsThatPageAreThereBeforeTheFirst",
        "traps.Traps.NoRuleAndNoPanelCountsWithTheCodeOfTheLastXid"}},
      {3,
       "counts within a window are called counters",
       {"traps.Traps.CountsWithinAWindowAreNotServedAsCounters"}},
      {4,
       "power limits and memory are rounded down, hot readings dropped",
       {"traps.Traps.ValuesAreNeitherRoundedNorDropped"}},
      {5,
       "label values are not escaped",
       {"report.NodeMetrics.DcgmsNamesAndLabels", "report.MetricsText.BrokenUtf8BecomesAReplacement",
        "traps.Traps.ALabelMayHoldAnything"}},
      {6,
       "no content type, no OpenMetrics, no gzip, random order",
       {"cli.Serve.EightGpusInBothFormats", "server.Negotiate.CompressesWhereItIsWanted",
        "prometheus.OpenMetrics.IsAskedForTakenAndRefusedWithoutItsEnd",
        "traps.Traps.TheOrderIsAlwaysTheSame"}},
      {7,
       "one GPU that fails fails the scrape",
       {"cli.Serve.AHangingGpuHoldsUpNoScrape",
        "cli.Serve.AGpuThatIsLostFromTheBeginningLeavesTheOthersFresh",
        "cli.Serve.WithoutADriverItServesAndSaysSo", "prometheus.Scraped.EightGpusAreUpAndTheLostOneIsNot"}},
      {8,
       "values are collected more seldom than they are scraped",
       {"traps.Traps.ByItselfEveryScrapeSeesNewValues"}},
      {9,
       "who shares a GPU doubles its series",
       {"report.NodeMetrics.DcgmsUserLabelsAreOfAGpuWithOneUserAndNeverMakeASecondSeries",
        "cli.ServeUsers.ProcessesOfOneHolderAreOneSeriesAndTheHostTells"}},
      {10,
       "the first GPU decides which counters all have",
       {"traps.Traps.EachGpuTellsWhatItCan", "watch.Watched.BeforeHopperThereIsNoGpmAndItIsNotZero"}},
      {11,
       "fields that never answer look like a fault",
       {"traps.Traps.WhatNothingAnswersIsSaidAndCountersOfBytesAreThere",
        "cli.Serve.FieldsOfTheOperatorsListAndNewNames"}},
      {12, "one call for each counter of each GPU", {"traps.Traps.AllCountersOfAGpuAreOneCall"}},
  };
  return kTraps;
}

/// Whether a test source of that folder holds TEST(SUITE, NAME), TEST_F or TEST_P.
bool exists(const std::string& test) {
  const auto parts = base::split(test, '.');
  if (parts.size() != 3) return false;
  const std::string wanted = "(" + std::string(parts[1]) + ", " + std::string(parts[2]) + ") {";
  const std::string folder = source_dir() + "/tests/" + std::string(parts[0]);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path().string());
    const std::size_t at = text.find(wanted);
    if (at != std::string::npos && text.substr(text.rfind('\n', at) + 1, 4) == "TEST") return true;
  }
  return false;
}

TEST(Traps, EachHasItsTests) {
  ASSERT_EQ(traps().size(), 12U);
  int number = 0;
  for (const Trap& trap : traps()) {
    EXPECT_EQ(trap.number, ++number);
    EXPECT_FALSE(trap.tests.empty()) << trap.what;
    for (const char* test : trap.tests)
      EXPECT_TRUE(exists(test)) << trap.number << " " << trap.what << ": " << test;
  }
  EXPECT_FALSE(exists("cli.Serve.NoSuchTest"));
}

double number_of(const std::string& text) {
  return base::parse_double(text).value_or(-1);
}

const std::string kGpu0 = "gpu=\"0\",uuid=\"GPU-fa4e0000-2330-4000-8000-000000000000\"";

TEST(Traps, TheRateOverNvlinkIsAGaugeAndTrueCountersStandBeside) {
  const Served node("boards 1 h100-sxm\nload 60\n", {"--compat", "dcgm", "--whole-period", "1s"});
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{"));
  const std::string text = node.get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("# TYPE DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL gauge\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE gpuwright_gpu_nvlink_bytes_total counter\n"));
  const std::string series = "gpuwright_gpu_nvlink_bytes_total{" + kGpu0 + ",direction=\"sent\"}";
  const double before = number_of(node.value(series));
  ASSERT_GT(before, 0);
  double after = before;
  for (int i = 0; i < 50 && after <= before; ++i) {
    ::usleep(100'000);
    after = number_of(node.value(series));
  }
  EXPECT_GT(after, before);
}

TEST(Traps, NoRuleAndNoPanelCountsWithTheCodeOfTheLastXid) {
  EXPECT_THAT(artifacts::prometheus_rules(knowledge(), catalog::Language::English), Not(HasSubstr("DCGM_")));
  for (const std::string& name : artifacts::dashboard_names(knowledge()))
    EXPECT_THAT(artifacts::grafana_dashboard(knowledge(), name, {}), Not(HasSubstr("DCGM_"))) << name;
  for (const catalog::AlertRow& row : knowledge().metrics().alerts) {
    if (!base::contains(row.expr, "xid")) continue;
    EXPECT_THAT(row.expr, HasSubstr("increase(gpuwright_gpu_xid_errors_total")) << row.name;
  }
  for (const catalog::DcgmFieldRow& row : knowledge().metrics().dcgm) {
    EXPECT_TRUE(row.name != "DCGM_FI_DEV_XID_ERRORS" || row.type == "gauge");
  }
}

TEST(Traps, CountsWithinAWindowAreNotServedAsCounters) {
  const TempFolder folder;
  const std::string counters = folder.write(
      "counters.csv", "DCGM_EXP_XID_ERRORS_COUNT, gauge, Xids\nDCGM_FI_DEV_GPU_TEMP, gauge, Heat\n");
  const Served node("boards 1 h100-sxm\n", {"--compat", "dcgm", "--dcgm-counters", counters});
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_DEV_GPU_TEMP{"));
  EXPECT_THAT(node.get("/metrics").body, Not(HasSubstr("DCGM_EXP_")));
  EXPECT_THAT(node.said(), HasSubstr("nothing answers DCGM_EXP_XID_ERRORS_COUNT here; left out"));
  for (const catalog::DcgmFieldRow& row : knowledge().metrics().dcgm)
    EXPECT_THAT(row.name, Not(HasSubstr("DCGM_EXP_")));
}

TEST(Traps, ValuesAreNeitherRoundedNorDropped) {
  const Served node(
      "boards 1 h100-sxm\ngpu 0 power 123.4\ngpu 0 temperature 215\ngpu 0 memory-used 1234567\n"
      "gpu 0 power-limit 512.5\n",
      {"--whole-period", "1s"});
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_power_watts{" + kGpu0 + "} 123.4\n"));
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_temperature_celsius{" + kGpu0 + "} 215\n"))
      << "a reading that is hard to believe is told all the same";
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_power_limit_watts{" + kGpu0 + ",limit=\"enforced\"} 512.5\n"));
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_memory_bytes{" + kGpu0 + ",state=\"used\"} 1234567\n"));
}

TEST(Traps, ALabelMayHoldAnything) {
  EXPECT_EQ(report::label_value("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  const Served node("boards 1 h100-sxm\ngpu 0 serial 1\"2\\3\n", {"--compat", "dcgm"});
  ASSERT_TRUE(node.metrics_tell("serial=\"1\\\"2\\\\3\""));
  if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
  EXPECT_NE(run({"promtool", "check", "metrics"}, node.get("/metrics").body).exit_code, 1)
      << "it can be read";
}

/// Names and labels of all series, in order.
std::vector<std::string> order(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string_view line : base::lines(text)) all.emplace_back(line.substr(0, line.rfind(' ')));
  return all;
}

TEST(Traps, TheOrderIsAlwaysTheSame) {
  const Served node("boards 8 h100-sxm\nload 50\n",
                    {"--compat", "dcgm", "--period", "200ms", "--whole-period", "400ms"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_survey_age_seconds{of=\"host\"}"));
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_PROF_DRAM_ACTIVE{gpu=\"7\""));
  ASSERT_TRUE(node.metrics_tell("gpuwright_health_last_look_timestamp_seconds "));
  const auto first = order(node.get("/metrics").body);
  ::usleep(1'000'000);
  EXPECT_EQ(order(node.get("/metrics").body), first);
}

TEST(Traps, ByItselfEveryScrapeSeesNewValues) {
  artifacts::ScrapeOptions options;
  options.targets = {"n1:9400"};
  EXPECT_THAT(artifacts::prometheus_config(options), HasSubstr("scrape_interval: 15s"));
  // Nothing is set here: what is served by itself is never older than the third part of that.
  const Served node("boards 2 h100-sxm\nload 50\n");
  const std::string age = "gpuwright_gpu_sample_age_seconds{" + kGpu0 + "}";
  const std::string series = "gpuwright_gpu_nvlink_bytes_total{" + kGpu0 + ",direction=\"sent\"}";
  ASSERT_TRUE(node.metrics_tell(series));
  double last = number_of(node.value(series));
  int changes = 0;
  for (int i = 0; i < 36 && changes < 2; ++i) {  // asked with the rest, every five seconds
    EXPECT_LT(number_of(node.value(age)), 5);
    const double now = number_of(node.value(series));
    changes += now > last ? 1 : 0;
    last = now;
    ::usleep(400'000);
  }
  EXPECT_EQ(changes, 2);
}

TEST(Traps, EachGpuTellsWhatItCan) {
  const Served node("boards 1 t4\nboards 1 h100-sxm\nload 60\n",
                    {"--compat", "dcgm", "--whole-period", "1s"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_sm_active_ratio{gpu=\"1\""));
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"1\""));
  const std::string text = node.get("/metrics").body;
  EXPECT_THAT(text, Not(HasSubstr("gpuwright_gpu_sm_active_ratio{gpu=\"0\"")));
  EXPECT_THAT(text, Not(HasSubstr("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"0\"")));
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_utilization_ratio{gpu=\"0\""));
}

TEST(Traps, WhatNothingAnswersIsSaidAndCountersOfBytesAreThere) {
  const TempFolder folder;
  const std::string counters = folder.write(
      "counters.csv",
      "DCGM_FI_DEV_PCIE_TX_THROUGHPUT, gauge, Sent\nDCGM_FI_DEV_PCIE_RX_THROUGHPUT, gauge, Received\n"
      "DCGM_FI_PROF_PCIE_TX_BYTES, gauge, Sent\n");
  const Served node("boards 1 h100-sxm\nload 60\n",
                    {"--compat", "dcgm", "--dcgm-counters", counters, "--whole-period", "1s"});
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_PROF_PCIE_TX_BYTES{"));
  EXPECT_THAT(node.said(), HasSubstr("nothing answers DCGM_FI_DEV_PCIE_TX_THROUGHPUT"));
  EXPECT_THAT(node.get("/metrics").body, Not(HasSubstr("PCIE_TX_THROUGHPUT")));
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_pcie_bytes_total{" + kGpu0 + ",direction=\"sent\"}"));
}

TEST(Traps, AllCountersOfAGpuAreOneCall) {
  const TempFolder folder;
  const std::string calls = folder.path() + "/calls";
  ::setenv("GPUWRIGHT_FAKEGPU_CALLS", calls.c_str(), 1);
  {
    const Served node("boards 4 h100-sxm\nload 60\n",
                      {"--period", "1s", "--whole-period", "1s", "--look-period", "60min"});
    ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_sm_active_ratio{gpu=\"3\""));
    ::usleep(2'000'000);
  }
  ::unsetenv("GPUWRIGHT_FAKEGPU_CALLS");
  std::map<std::string, int> count;
  const std::string text = read_file(calls);
  for (const std::string_view line : base::lines(text)) ++count[std::string(line)];
  // A sample of a GPU is one look at it; its dozen counters come from one call, as its dozens of fields do.
  const int samples = count["nvmlGpmSampleGet"];
  EXPECT_GE(samples, 8);
  EXPECT_LE(count["nvmlGpmMetricsGet"], samples);
  EXPECT_GE(count["nvmlGpmMetricsGet"], samples - 4) << "the first sample of each GPU has none before it";
  EXPECT_LE(count["nvmlDeviceGetFieldValues"], 2 * samples) << "and a look of doctor";
  EXPECT_EQ(count["nvmlDeviceGetPcieThroughput"], 0) << "it would wait 20 ms each time";
}

}  // namespace
}  // namespace gpuwright::tests
