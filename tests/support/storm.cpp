// Making the faults, and judging the answers.
// SPDX-License-Identifier: Apache-2.0
#include "support/storm.h"

#include "kit/json.h"

#include "support/paths.h"
#include "support/run.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Calls that a look makes of every GPU.
constexpr auto kCalls = std::to_array<const char*>(
    {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetName", "nvmlDeviceGetUUID",
     "nvmlDeviceGetTemperature", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetEccMode", "nvmlDeviceGetMigMode",
     "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetTotalEccErrors",
     "nvmlDeviceGetRemappedRows", "nvmlDeviceGetNvLinkState", "nvmlDeviceGetComputeRunningProcesses_v3"});
/// Codes that say that something is broken, not that a thing is not there.
constexpr auto kErrors = std::to_array<int>({10, 15, 16, 17, 999});
constexpr auto kTexts = std::to_array<const char*>(
    {"nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetSerial", "nvmlDeviceGetVbiosVersion"});
constexpr auto kOptional = std::to_array<const char*>(
    {"nvmlDeviceGetRemappedRows", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetGpuFabricInfo",
     "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetMigMode", "nvmlDeviceGetFieldValues"});

class Maker {
 public:
  Maker(std::uint32_t seed, const std::string& silent) : random_(seed), silent_(silent) {}

  Broken make() {
    broken_.scenario = "boards 8 h100-sxm\n";
    const int faults = upto(4);
    broken_.healthy = faults == 0;
    for (int at = 0; at < faults; ++at) fault();
    return broken_;
  }

 private:
  int upto(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  template <class List>
  auto one_of(const List& list) {
    return list[static_cast<std::size_t>(upto(static_cast<int>(list.size())))];
  }
  void gpu(const std::string& what, bool alarms = true) {
    broken_.scenario += "at 0s gpu " + std::to_string(upto(8)) + " " + what + "\n";
    broken_.alarms = broken_.alarms || alarms;
  }

  void fault() {
    const int kinds = silent_.empty() ? 7 : 9;
    switch (upto(kinds)) {
      case 0:
        return gpu(std::string("hang ") + one_of(kCalls) + " 60s");
      case 1:
        return gpu("lost");
      case 2:
        return gpu(std::string("error ") + one_of(kCalls) + " " + std::to_string(one_of(kErrors)));
      case 3:
        return gpu(std::string("crash ") + one_of(kCalls));
      case 4:
        return gpu(std::string("garbled ") + one_of(kTexts), false);
      case 5:
        broken_.scenario += std::string("missing ") + one_of(kOptional) + "\n";
        return;
      case 6:
        broken_.scenario += "at 0s driver-lock 60s\n";
        broken_.alarms = true;
        return;
      case 7:
        return gpu(std::string("stuck ") + one_of(kCalls) + " " + silent_);
      default:
        broken_.scenario += "at 0s driver-stuck " + silent_ + "\n";
        broken_.alarms = true;
    }
  }

  std::mt19937 random_;
  std::string silent_;
  Broken broken_;
};

/// How many findings have a proof in what NVML said.
int found_by_nvml(const kit::Node& json) {
  int count = 0;
  for (const auto& finding : json["findings"].items) {
    const auto& proofs = finding["evidence"].items;
    count += std::any_of(proofs.begin(), proofs.end(),
                         [](const kit::Node& proof) { return proof["where"].text().rfind("NVML", 0) == 0; })
                 ? 1
                 : 0;
  }
  return count;
}

void judge(const Broken& machine, const Ran& ran) {
  constexpr std::chrono::seconds kBound{20};  // what hangs would hang for a minute, or for ever
  EXPECT_LT(ran.took, kBound);
  EXPECT_LE(ran.exit_code, 1);
  EXPECT_THAT(ran.err, Not(HasSubstr("terminate called")));
  const auto json = kit::parse_json(ran.out, "doctor");
  ASSERT_TRUE(json.ok()) << ran.out << ran.err;
  const int found = found_by_nvml(*json);
  if (machine.healthy) {
    EXPECT_EQ(found, 0) << "nothing is wrong";
  }
  if (machine.alarms) {
    EXPECT_GT(found, 0) << "something is wrong: " << (*json)["verdict"].text();
  }
  std::map<std::string, int> of_gpu;
  for (const auto& process : (*json)["left_behind"].items) ++of_gpu[process["what"].text()];
  for (const auto& [what, count] : of_gpu) {
    if (what.rfind("GPU ", 0) == 0) {
      EXPECT_EQ(count, 1) << what;
    }
  }
}

}  // namespace

Broken broken_machine(std::uint32_t seed, const std::string& silent) {
  return Maker(seed, silent).make();
}

std::chrono::milliseconds look_at_machines(std::uint32_t first, std::uint32_t count) {
  std::chrono::milliseconds longest{0};
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const TempFolder folder;
    const std::string silent = folder.path() + "/silent";
    std::filesystem::create_directories(silent);
    const StuckFiles files(silent);
    const Broken machine = broken_machine(seed, files.mounted() ? silent + "/call" : "");
    SCOPED_TRACE("seed " + std::to_string(seed) + ":\n" + machine.scenario);
    for (int look = 0; look < 2; ++look) {
      const Ran ran = run(
          {"env", "-C", folder.path(), "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
           "GPUWRIGHT_FAKEGPU=" + folder.write("scenario", machine.scenario), program(), "doctor", "--json"});
      judge(machine, ran);
      longest = std::max(longest, ran.took);
    }
    const auto all = sleepers("gpuwright-nvml");
    EXPECT_LE(std::count_if(all.begin(), all.end(),
                            [&folder](const Sleeper& one) { return one.folder == folder.path(); }),
              8);
  }
  return longest;
}

}  // namespace gpuwright::tests
