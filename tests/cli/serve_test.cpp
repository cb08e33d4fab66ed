// The daemon as its clients see it.
// SPDX-License-Identifier: Apache-2.0
#include "kit/yaml.h"

#include "support/background.h"
#include "support/paths.h"
#include "support/run.h"
#include "support/served.h"
#include "support/stuck_file.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kGpu3 = "gpu=\"3\",uuid=\"GPU-fa4e0000-2330-4000-8000-000000000003\"";

TEST(Serve, EightGpusInBothFormats) {
  Served node("boards 8 h100-sxm\nload 60\n", {"--compat", "dcgm", "--whole-period", "1s"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_sm_active_ratio{" + kGpu3 + "}")) << "GPM needs two samples";
  const kit::HttpAnswer text = node.get("/metrics");
  EXPECT_EQ(text.status, 200);
  EXPECT_EQ(kit::find_header(text.headers, "content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(text.body, HasSubstr("gpuwright_gpu_up{" + kGpu3 + "} 1\n"));
  EXPECT_THAT(text.body,
              HasSubstr("gpuwright_gpu_power_limit_watts{" + kGpu3 + ",limit=\"enforced\"} 700\n"));
  EXPECT_THAT(text.body, HasSubstr("DCGM_FI_DEV_GPU_UTIL{gpu=\"3\",UUID=\"GPU-fa4e0000"));
  EXPECT_THAT(text.body, HasSubstr("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"3\""));
  EXPECT_THAT(text.body, HasSubstr("simulated=\"true\""));
  const kit::HttpAnswer open =
      node.get("/metrics", {{"Accept", "application/openmetrics-text; version=1.0.0"}});
  EXPECT_EQ(kit::find_header(open.headers, "content-type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(open.body.ends_with("\n# EOF\n"));
  EXPECT_EQ(node.stop(), 0);
}

TEST(Serve, PromtoolFindsNothingToSayOfOurOwnNames) {
  if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
  const Served node("boards 1 t4\nboards 1 b200\nload 30\n", {"--whole-period", "1s"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_pcie_lanes{"));
  const Ran ran = run({"promtool", "check", "metrics"}, node.get("/metrics").body);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(Serve, AHangingGpuHoldsUpNoScrape) {
  const Served node("boards 8 h100-sxm\nat 2s gpu 3 hang all 45s\n", {"--period", "200ms"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_up{" + kGpu3 + "} 1"));
  ASSERT_TRUE(node.metrics_tell("gpuwright_gpu_up{" + kGpu3 + "} 0"));
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string body = node.get("/metrics").body;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    EXPECT_THAT(body, Not(HasSubstr("gpuwright_gpu_power_watts{" + kGpu3)));
    ::usleep(20'000);
  }
  ASSERT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 7"));
  EXPECT_NE(node.value("gpuwright_gpu_hangs_total{" + kGpu3 + "}"), "0");
}

/// While a GPU is lost the process that asks is replaced again and again; the others go on.
TEST(Serve, AGpuThatIsLostFromTheBeginningLeavesTheOthersFresh) {
  const Served node("boards 2 h100-sxm\ngpu 1 lost\n", {"--period", "200ms"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_sampler_restarts_total 1", std::chrono::seconds(60)));
  for (int i = 0; i < 30; ++i) {
    ::usleep(100'000);
    const std::string age = node.value(
        "gpuwright_gpu_sample_age_seconds{gpu=\"0\",uuid=\"GPU-fa4e0000-2330-4000-8000-000000000000\"}");
    ASSERT_FALSE(age.empty());
    EXPECT_LT(std::stod(age), 3.0);
  }
}

TEST(Serve, WithoutADriverItServesAndSaysSo) {
  TempFolder folder;
  const int port = free_port();
  Background program_({"env", "GPUWRIGHT_NVML=/no/such/library.so", program(), "serve", "--no-history",
                       "--listen", "127.0.0.1:" + std::to_string(port)},
                      folder.path() + "/log");
  ASSERT_TRUE(program_.says("serving on"));
  const auto get = [port](const std::string& path) {
    return kit::http_get("http://127.0.0.1:" + std::to_string(port) + path, std::chrono::seconds(5));
  };
  for (int i = 0; i < 100 && get("/readyz")->status != 200; ++i) ::usleep(20'000);
  EXPECT_THAT(get("/readyz")->body, HasSubstr("is not installed"));
  EXPECT_THAT(get("/metrics")->body, HasSubstr("gpuwright_node_gpus{state=\"up\"} 0\n"));
  EXPECT_THAT(get("/api/v1/node")->body,
              HasSubstr("\"no_driver\":\"/no/such/library.so: is not installed\""));
}

TEST(Serve, TheOpenApiFileNamesWhatIsAnswered) {
  const auto spec = kit::parse_yaml(read_file(source_dir() + "/docs/openapi.yaml"), "openapi.yaml");
  ASSERT_TRUE(spec.ok());
  const Served node("boards 1 t4\n");
  const std::string none = node.get("/api/v1/no-such").body;
  std::size_t named = 0;
  for (const auto& [path, operations] : (*spec)["paths"].entries) {
    if (path == "/api/v1/events") {  // it does not end
      ++named;
      continue;
    }
    const int status = node.get(path).status;
    EXPECT_EQ(status, path == "/api/v1/history" ? 400 : 200) << path;
    if (!path.starts_with("/api/v1/")) continue;
    EXPECT_THAT(none, HasSubstr(path.substr(8)));
    ++named;
  }
  EXPECT_EQ(named, 4U);
}

TEST(Serve, BadOptionsAndTakenPortsAreOneLine) {
  const Served node("boards 1 t4\n");
  const std::string taken = "127.0.0.1:" + std::to_string(node.port());
  const TempFolder folder;
  const std::string counters = folder.write("counters.csv", "DCGM_FI_DEV_SM_CLOCK, gague, Clock\n");
  struct {
    std::vector<std::string> options;
    const char* why;
  } cases[] = {
      {{"--listen", taken}, "is taken"},
      {{"--listen", "0.0.0.0:0"}, "token"},
      {{"--period", "5"}, "--period: '5' is no time"},
      {{"--period", "1ms"}, "at least 100 ms"},
      {{"--period", "10s"}, "--whole-period: is not shorter than --period"},
      {{"--history", "/x", "--no-history"}, "contradicts --history"},
      {{"--tls-cert", "/x"}, "certificate and key go together"},
      {{"--compat", "dcgm", "--dcgm-counters", counters}, "counters.csv:1: type 'gague'"},
      {{"--compat", "dcgm", "--dcgm-counters", "/no/such/list"}, "/no/such/list"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> argv = {"timeout", "10", program(), "serve"};
    argv.insert(argv.end(), one.options.begin(), one.options.end());
    const Ran ran = run(argv);
    EXPECT_EQ(ran.exit_code, 2) << one.why << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(one.why));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Serve, FieldsOfTheOperatorsListAndNewNames) {
  const TempFolder folder;
  const std::string counters = folder.write(
      "counters.csv",
      "DCGM_FI_DEV_GPU_TEMP_CELSIUS, gauge, Heat\nDCGM_FI_DEV_ROW_REMAP_PENDING, gauge, Pending\n"
      "DCGM_FI_DEV_NO_SUCH, gauge, None\n");
  const Served node("boards 1 h100-sxm\n",
                    {"--compat", "dcgm", "--dcgm-counters", counters, "--host-label", "hostname"});
  ASSERT_TRUE(node.metrics_tell("DCGM_FI_DEV_GPU_TEMP_CELSIUS{gpu=\"0\""));
  const std::string body = node.get("/metrics").body;
  EXPECT_THAT(body, HasSubstr("# HELP DCGM_FI_DEV_GPU_TEMP_CELSIUS Heat\n"));
  EXPECT_THAT(body, HasSubstr("DCGM_FI_DEV_ROW_REMAP_PENDING{gpu=\"0\""));
  EXPECT_THAT(body, HasSubstr(",hostname=\""));
  EXPECT_THAT(body, Not(HasSubstr("DCGM_FI_DEV_SM_CLOCK")));
  EXPECT_THAT(node.said(), HasSubstr("nothing answers DCGM_FI_DEV_NO_SUCH here; left out"));
}

TEST(Serve, XidsOfTheKernelAreCountedAndThoseOfProgramsAreNot) {
  const TempFolder folder;
  const std::string log = folder.path() + "/kmsg";
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const int feed = ::open(log.c_str(), O_RDWR);
  const Served node("boards 4 h100-sxm\n", {"--kernel-log", log});
  const std::string address = "NVRM: Xid (PCI:0000:61:00): 79, pid=1, GPU has fallen off the bus.\n";
  const std::string records = "4,100,5000000,-;" + address + "12,101,5000001,-;" + address +  // 12: of a user
                              "4,105,5000002,-;" + address + "nonsense\n";
  ASSERT_EQ(::write(feed, records.data(), records.size()), static_cast<ssize_t>(records.size()));
  EXPECT_TRUE(node.metrics_tell("gpuwright_gpu_xid_errors_total{" + kGpu3 + ",xid=\"79\"} 2\n"));
  EXPECT_EQ(node.value("gpuwright_kernel_log_unverified_total"), "1");
  EXPECT_EQ(node.value("gpuwright_kernel_log_lost_total"), "3") << "102 to 104 are missing";
  EXPECT_EQ(node.value("gpuwright_kernel_log_lines_total"), "3");
  ::close(feed);
}

TEST(Serve, ItsStuckChildAndThoseOfDoctorAreOne) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/silent");
  const StuckFiles files(folder.path() + "/silent");
  if (!files.mounted()) GTEST_SKIP() << files.why();
  const std::string scenario =
      "boards 4 h100-sxm\nat 0s gpu 3 stuck nvmlDeviceGetPowerUsage " + folder.path() + "/silent/call\n";
  const auto sleeping = [] { return sleepers("gpuwright-nvml").size(); };
  const std::size_t others = sleeping();
  {
    const Served node(scenario, {"--look-period", "1s"});
    ASSERT_TRUE(node.metrics_tell("gpuwright_processes_left_behind 1\n"));
    ASSERT_TRUE(
        node.metrics_tell("gpuwright_incident_start_timestamp_seconds{cause=\"gpu-does-not-answer\""));
    EXPECT_EQ(sleeping(), others + 1) << "the look of doctor asked that GPU, too";
    const Ran looked = run({program(), "doctor", "--json"});
    EXPECT_THAT(looked.out, HasSubstr("\"what\": \"GPU 3\""));
    EXPECT_EQ(sleeping(), others + 1);
  }
}

TEST(Serve, AnIncidentIsRaisedWithItsEvidenceAndEndsWhenItsGpuAnswersAgain) {
  const Served node("boards 4 h100-sxm\nat 4s gpu 3 lost\nat 14s gpu 3 reset\n", {"--look-period", "2s"});
  const auto tells = [&node](const std::string& text) { return node.tells("/api/v1/node", text); };
  ASSERT_TRUE(tells("\"cause\":\"gpu-lost-to-driver\"")) << node.get("/api/v1/node").body;
  const std::string sick = node.get("/api/v1/node").body;
  EXPECT_THAT(sick, HasSubstr("\"subject\":\"0000:61:00\",\"gpu\":3"));
  EXPECT_THAT(sick, HasSubstr("GPU is lost"));
  EXPECT_THAT(sick, HasSubstr("\"now_zh\":["));
  ASSERT_TRUE(tells("\"ended_by\":\"the GPU answers again\",\"ended_by_zh\":\"GPU"))
      << node.get("/api/v1/node").body;
  EXPECT_EQ(node.value("gpuwright_gpu_up{" + kGpu3 + "}"), "1");
}

}  // namespace
}  // namespace gpuwright::tests
