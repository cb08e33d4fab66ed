// `gpuwright facts --json` on the simulated node tells what the scenario says, fact by fact.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Planted {
  const char* line;       ///< of the scenario, about GPU 3
  const char* fact;       ///< of that GPU; a dot goes down, a number is an element
  const char* expected;   ///< as JSON writes it, without quotes
  const char* otherwise;  ///< what the GPUs beside it say
};

// What a scenario can say of a GPU and `facts` tells. Not there, because they are rates or need two looks:
// encoder, decoder, pcie-sent and -received, video-clock, throttle times.
const Planted kPlanted[] = {
    {"temperature 91", "temperature_c", "91", nullptr},
    {"memory-temperature 77", "memory_temperature_c", "77", nullptr},
    {"power 612", "power_draw_w", "612", nullptr},
    {"energy 7000000", "energy_j", "7000000", nullptr},
    {"utilization 83", "utilization_percent", "83", "0"},
    {"memory-utilization 21", "memory_utilization_percent", "21", "0"},
    {"graphics-clock 1230", "sm_clock_mhz", "1230", nullptr},
    {"memory-clock 1593", "memory_clock_mhz", "1593", nullptr},
    {"memory-used 40GiB", "memory_used_bytes", "42949672960", "0"},
    {"pstate 2", "performance_state", "P2", "P0"},
    {"persistence 0", "persistence", "false", "true"},
    {"compute-mode 3", "compute_mode", "Exclusive_Process", "Default"},
    {"ecc-mode 0", "ecc_current", "false", "true"},
    {"power-limit 500", "power_limit_w", "500", "700"},
    {"vbios 96.00.99.00.77", "vbios", "96.00.99.00.77", "96.00.A5.00.01"},
    {"serial 4711", "serial", "4711", nullptr},
    {"uuid GPU-00000000-0000-0000-0000-000000000042", "uuid", "GPU-00000000-0000-0000-0000-000000000042",
     nullptr},
    {"ecc uncorrected dram 3", "volatile_dram_uncorrected", "3", "0"},
    {"ecc uncorrected sram 4", "aggregate_sram_uncorrected", "4", "0"},
    {"ecc corrected dram 5", "volatile_total_corrected", "5", "0"},
    {"remap corrected 1", "remapped_corrected", "1", "0"},
    {"remap uncorrected 2", "remapped_uncorrected", "2", "0"},
    {"remap pending", "remap_pending", "true", "false"},
    {"remap failure", "remap_failed", "true", "false"},
    {"throttle power-brake", "power_brake", "true", "false"},
    {"throttle hw-thermal", "hardware_thermal_slowdown", "true", "false"},
    {"throttle sw-thermal", "software_thermal_slowdown", "true", "false"},
    {"throttle power-cap", "software_power_cap", "true", "false"},
    {"throttle application-clocks", "application_clocks", "true", "false"},
    {"nvlink 3 down", "nvlinks.3.state", "down", "up"},
    {"nvlink 4 replay 9", "nvlinks.4.replay_errors", "9", "0"},
    {"nvlink 5 recovery 8", "nvlinks.5.recovery_errors", "8", "0"},
    {"nvlink 6 crc-flit 7", "nvlinks.6.crc_errors", "7", "0"},
    {"fabric in-progress", "fabric_state", "In Progress", "Completed"},
    {"fabric degraded", "fabric_bandwidth", "Degraded", "Full"},
    {"fabric route-unhealthy", "fabric_route_unhealthy", "True", "False"},
    {"recovery drain-p2p", "recovery_action", "Drain P2P", "None"},
    {"pcie 4 x8", "pcie_width", "8", "16"},
    {"pcie 3 x16", "pcie_generation", "3", "5"},
    {"pcie replays 12", "pcie_replays", "12", "0"},
};

const kit::Node& at(const kit::Node& node, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  static const kit::Node kNone;
  const kit::Node* next = &node[head];
  if (node.is_sequence()) {
    const std::size_t index = std::stoul(head);
    next = index < node.items.size() ? &node.items[index] : &kNone;
  }
  return dot == std::string::npos ? *next : at(*next, path.substr(dot + 1));
}

class Facts : public ::testing::Test {
 protected:
  Ran facts(const std::string& scenario,
            const std::vector<std::string>& options = {"--json", "gpus", "simulated"}) {
    std::vector<std::string> argv = {"env", "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                                     "GPUWRIGHT_FAKEGPU=" + folder_.write("scenario", scenario), program(),
                                     "facts"};
    argv.insert(argv.end(), options.begin(), options.end());
    return run(argv);
  }

  kit::Node json(const std::string& scenario) {
    const Ran ran = facts(scenario);
    auto parsed = kit::parse_json(ran.out, "facts");
    EXPECT_TRUE(parsed.ok()) << ran.out << ran.err;
    return parsed ? std::move(*parsed) : kit::Node();
  }

  TempFolder folder_;
};

TEST_F(Facts, TellWhatTheScenarioSaysOfEachQuantity) {
  for (const Planted& planted : kPlanted) {
    const kit::Node root = json(std::string("boards 8 h100-sxm\nat 0s gpu 3 ") + planted.line + "\n");
    const kit::Node& gpus = root["facts"]["gpus"];
    ASSERT_EQ(gpus.items.size(), 8U) << planted.line;
    EXPECT_EQ(at(gpus.items[3], planted.fact).text(), planted.expected) << planted.line;
    if (planted.otherwise == nullptr) continue;
    for (const std::size_t other : {0U, 2U, 7U}) {
      const std::string text = at(gpus.items[other], planted.fact).text();
      EXPECT_EQ(text, planted.otherwise) << planted.line << ", GPU " << other;
    }
  }
}

TEST_F(Facts, TellVersionsModelsProcessesAndMig) {
  const kit::Node root = json(
      "driver 580.95.05\ncuda 13.0\nboards 2 a100-sxm4-80gb\nboards 1 t4\nprocess 0 4711 python3 40GiB\nmig "
      "1 1g.10gb 3g.40gb\n");
  const kit::Node& gpus = root["facts"]["gpus"];
  ASSERT_EQ(gpus.items.size(), 3U);
  EXPECT_EQ(root["facts"]["simulated"].text(), "true");
  for (const kit::Node& gpu : gpus.items) {
    EXPECT_EQ(gpu["driver"].text(), "580.95.05");
    EXPECT_EQ(gpu["cuda"].text(), "13.0");
  }
  EXPECT_THAT(gpus.items[0]["name"].text(), HasSubstr("A100"));
  EXPECT_THAT(gpus.items[2]["name"].text(), HasSubstr("T4"));
  ASSERT_EQ(gpus.items[0]["processes"].items.size(), 1U);
  EXPECT_EQ(gpus.items[0]["processes"].items[0]["pid"].text(), "4711");
  EXPECT_EQ(gpus.items[0]["processes"].items[0]["memory_bytes"].text(), "42949672960");
  EXPECT_EQ(gpus.items[1]["mig_current"].text(), "true");
  EXPECT_EQ(gpus.items[1]["mig"].items.size(), 2U);
  EXPECT_EQ(gpus.items[2]["nvlinks"].items.size(), 0U);
  EXPECT_EQ(gpus.items[2]["compute_capability"].text(), "7.5");
}

TEST_F(Facts, AnUnansweredQuestionIsNullWithItsReason) {
  const kit::Node root = json("boards 2 h100-sxm\nat 0s gpu 1 error nvmlDeviceGetTemperature 999\n");
  EXPECT_TRUE(root["facts"]["gpus"].items[1]["temperature_c"].is_null());
  bool told = false;
  for (const kit::Node& absent : root["absent"].items) {
    if (absent["fact"].text().find("].temperature_c") == std::string::npos) continue;
    told = true;
    EXPECT_EQ(absent["reason"].text(), "malformed");
    EXPECT_THAT(absent["detail"].text(), HasSubstr("nvmlDeviceGetTemperature"));
  }
  EXPECT_TRUE(told);
}

TEST_F(Facts, OfAGpuThatHangsAreTimedOutWhereNothingWasAsked) {
  const kit::Node root = json("boards 2 h100-sxm\nat 0s gpu 1 hang nvmlDeviceGetPowerUsage 60s\n");
  EXPECT_EQ(root["facts"]["gpus"].items[1]["temperature_c"].text(), "41") << "told before it hung";
  std::size_t timed_out = 0;
  for (const kit::Node& absent : root["absent"].items) {
    const std::string fact = absent["fact"].text();
    if (fact.find("gpus[0000:43:00.0].power") == std::string::npos) continue;
    ++timed_out;
    EXPECT_EQ(absent["reason"].text(), "timed out") << fact;
    EXPECT_THAT(absent["detail"].text(), HasSubstr("power.draw")) << fact;
  }
  EXPECT_GE(timed_out, 2U);
}

TEST_F(Facts, AreJsonAfterTheSchema) {
  const std::string schema = read_file(source_dir() + "/docs/schema/facts.schema.json");
  EXPECT_THAT(schema_breaches(facts("boards 8 h100-sxm\n", {"--json"}).out, schema), IsEmpty());
}

TEST_F(Facts, TheOddGpuStandsOutInTheText) {
  const Ran ran = facts("boards 8 h100-sxm\nat 0s gpu 3 vbios 96.00.99.00.77\n", {"gpus"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, HasSubstr("gpus (8)"));
  EXPECT_THAT(ran.out, HasSubstr("96.00.99.00.77"));
}

TEST_F(Facts, AWrongGroupIsOneLine) {
  const Ran ran = facts("boards 1 t4\n", {"gpu"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no group 'gpu'; there are: simulated, os, cpu"));
}

}  // namespace
}  // namespace gpuwright::tests
