// `gpuwright doctor` where calls and files sleep in the kernel and SIGKILL does not reach who asked: it
// answers in time, names what does not answer, and never adds a second stuck process to the first.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include "support/paths.h"
#include "support/run.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::chrono::seconds kAnswer{3};

class Unkillable : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(silent());
    files_ = std::make_unique<StuckFiles>(silent());
    if (!files_->mounted()) GTEST_SKIP() << files_->why();
  }
  std::string silent() const { return folder_.path() + "/silent"; }

  Ran doctor(const std::string& scenario, const std::vector<std::string>& options) {
    // Its folder tells our processes from those of other tests.
    std::vector<std::string> argv = {"env",
                                     "-C",
                                     folder_.path(),
                                     "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                                     "GPUWRIGHT_FAKEGPU=" + folder_.write("scenario", scenario),
                                     program(),
                                     "doctor"};
    argv.insert(argv.end(), options.begin(), options.end());
    Ran ran = run(argv);
    EXPECT_LT(ran.took, kAnswer);
    return ran;
  }
  kit::Node look(const std::string& scenario, const std::vector<std::string>& options = {}) {
    std::vector<std::string> all = {"--json"};
    all.insert(all.end(), options.begin(), options.end());
    const Ran ran = doctor(scenario, all);
    auto json = kit::parse_json(ran.out, "doctor");
    EXPECT_TRUE(json.ok()) << ran.out << ran.err;
    return json ? *json : kit::Node();
  }
  static std::set<std::string> findings(const kit::Node& json) {
    std::set<std::string> found;
    for (const auto& finding : json["findings"].items)
      found.insert(finding["cause"].text() + " " + finding["subject"]["id"].text());
    return found;
  }
  static std::set<std::string> left_behind(const kit::Node& json) {
    std::set<std::string> all;
    for (const auto& process : json["left_behind"].items)
      all.insert(process["what"].text() + " " + process["pci"].text());
    return all;
  }
  int sleeping(const std::string& name) const {
    const auto all = sleepers(name);
    return static_cast<int>(std::count_if(
        all.begin(), all.end(), [this](const Sleeper& one) { return one.folder == folder_.path(); }));
  }

  TempFolder folder_;
  std::unique_ptr<StuckFiles> files_;
};

TEST_F(Unkillable, AGpuHoldsOneProcessHoweverOftenItIsLookedAt) {
  const std::string scenario = "boards 8 h100-sxm\nat 0s gpu 1 stuck nvmlDeviceGetPowerUsage " + silent() +
                               "/call\nat 0s gpu 4 remap pending\n";
  for (int look_number = 0; look_number < 4; ++look_number) {
    const kit::Node json = look(scenario);
    EXPECT_THAT(findings(json), Contains("gpu-does-not-answer 0000:43:00")) << look_number;
    EXPECT_THAT(findings(json), Contains("gpu-row-remap-pending 0000:9d:00")) << look_number;
    EXPECT_THAT(left_behind(json), ElementsAre("GPU 1 00000000:43:00.0")) << look_number;
    EXPECT_EQ(sleeping("gpuwright-nvml"), 1) << look_number;
  }
  EXPECT_THAT(doctor(scenario, {}).out, HasSubstr("GPU 1 (00000000:43:00.0)"));
  EXPECT_THAT(doctor(scenario, {"--lang", "zh"}).out, HasSubstr("遗留进程"));

  files_->end();  // the driver answers again
  for (int tries = 0; tries < 500 && sleeping("gpuwright-nvml") > 0; ++tries) ::usleep(10'000);
  const kit::Node json = look("boards 8 h100-sxm\n");
  EXPECT_THAT(left_behind(json), IsEmpty());
  EXPECT_THAT(findings(json), ::testing::Not(Contains(HasSubstr("gpu-does-not-answer"))));
}

TEST_F(Unkillable, ADriverThatHoldsAllHoldsAtMostOneProcessAGpu) {
  const std::string scenario = "boards 8 h100-sxm\nat 0s gpu all stuck all " + silent() + "/call\n";
  for (int look_number = 0; look_number < 3; ++look_number) {
    const kit::Node json = look(scenario);
    EXPECT_THAT(findings(json), SizeIs(::testing::Ge(1U))) << look_number;
    EXPECT_THAT(left_behind(json), SizeIs(8)) << look_number;
    EXPECT_EQ(sleeping("gpuwright-nvml"), 8) << look_number;
  }
}

TEST_F(Unkillable, ADriverThatDoesNotOpenHoldsOneProcess) {
  const std::string scenario = "boards 8 h100-sxm\nat 0s driver-stuck " + silent() + "/call\n";
  for (int look_number = 0; look_number < 3; ++look_number) {
    const kit::Node json = look(scenario);
    EXPECT_THAT(findings(json), Contains("driver-call-stuck ")) << look_number;
    EXPECT_THAT(left_behind(json), ElementsAre("NVML ")) << look_number;
    EXPECT_EQ(sleeping("gpuwright-nvml"), 1) << look_number;
  }
}

TEST_F(Unkillable, AFileThatNeverAnswersHoldsOneProcess) {
  files_.reset();
  const std::string root = folder_.path() + "/root";
  const std::string sick = root + "/proc/driver/nvidia/gpus/0000:3b:00.0";
  std::filesystem::create_directories(sick);
  std::filesystem::create_directories(root + "/proc/driver/nvidia/gpus/0000:9d:00.0");
  folder_.write("root/proc/driver/nvidia/gpus/0000:9d:00.0/information", "Model: NVIDIA H100\n");
  const StuckFiles files(sick);
  ASSERT_TRUE(files.mounted()) << files.why();
  for (int look_number = 0; look_number < 3; ++look_number) {
    const kit::Node json = look("", {"--sysroot", root});
    const auto told = json["could_not_look"].texts();
    EXPECT_THAT(told, Contains(HasSubstr("0000:3b:00.0/information: no"))) << look_number;
    EXPECT_THAT(findings(json), Contains("gpu-does-not-answer 0000:3b:00")) << look_number;
    EXPECT_THAT(json["left_behind"].items, Contains(::testing::Truly([&](const kit::Node& one) {
                  return one["what"].text() == sick + "/information";
                })))
        << look_number;
    EXPECT_EQ(sleeping("gpuwright-read"), 1) << look_number;
  }
}

TEST_F(Unkillable, AFileSystemThatNeverAnswersHidesNoOther) {
  const Ran ran = run({program(), "facts", "--json", "--all", "storage"});
  const auto json = kit::parse_json(ran.out, "facts");
  ASSERT_TRUE(json.ok()) << ran.out << ran.err;
  for (const auto& mount : (*json)["facts"]["storage"]["mounts"].items) {
    if (mount["type"].text() != "ext4") continue;
    EXPECT_NE(mount["size_bytes"].text(), "") << ran.out;
  }
}

}  // namespace
}  // namespace gpuwright::tests
