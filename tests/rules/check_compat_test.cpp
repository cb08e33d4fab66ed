// The compatibility checks on whole machines: each fires on its fault, and is quiet on the machine's healthy
// twin.
// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"
#include "base/text.h"
#include "rules/check.h"
#include "rules/diagnose.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using model::Outcome;

constexpr std::int64_t kToday = 1'796'040'000;  // 2026-11-30

/// A machine with the facts that these checks look at. The healthy one: eight H100 on R580 with open modules.
struct Node {
  std::vector<std::string> devices = std::vector<std::string>(8, "2330");
  std::string driver = "580.159.03";
  std::string flavour = "open";
  std::vector<std::pair<std::string, std::string>> toolkits = {{"/usr/local/cuda-13.0", "13.0.2"}};
  std::string default_toolkit = "cuda-13.0";
  std::vector<std::vector<std::string>> libraries;  ///< name, version, cuda
  std::string os = "ubuntu", os_version = "24.04";
  bool answers = true;
  std::int64_t replays = 0;

  model::Machine machine() const;
};

model::Machine Node::machine() const {
  model::Machine out;
  out.places.push_back({"here", 0, "a fact"});
  std::vector<model::PciFunction> functions;
  std::vector<model::GpuFacts> gpus;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    model::PciFunction function;
    function.address = "0000:0" + std::to_string(i) + ":00.0";
    function.vendor = std::string("10de");
    function.device = model::Field<std::string>(devices[i], 1);
    function.class_code = std::string("0302");
    functions.push_back(function);
    model::GpuFacts gpu;
    gpu.report.index = static_cast<std::int64_t>(i);
    gpu.report.pci = function.address;
    gpu.report.pcie_replays = replays;
    gpu.report.pcie_generation_max = std::int64_t{5};
    gpu.report.pcie_width_max = std::int64_t{16};
    if (answers) gpus.push_back(gpu);
  }
  out.pci = functions;
  out.gpus = gpus;
  if (!driver.empty()) out.driver.loaded_version = model::Field<std::string>(driver, 1);
  if (!flavour.empty()) out.driver.flavour = flavour;
  std::vector<model::ToolkitFacts> found;
  for (const auto& toolkit : toolkits) {
    model::ToolkitFacts facts;
    facts.path = toolkit.first;
    facts.version = model::Field<std::string>(toolkit.second, 1);
    found.push_back(facts);
  }
  out.cuda.toolkits = found;
  out.cuda.default_toolkit = default_toolkit;
  std::vector<model::LibraryFacts> libs;
  for (const auto& library : libraries) {
    model::LibraryFacts facts;
    facts.name = library[0];
    facts.path = std::string("/usr/lib/python3/dist-packages");
    facts.version = model::Field<std::string>(library[1], 1);
    if (!library[2].empty()) facts.cuda = library[2];
    libs.push_back(facts);
  }
  out.cuda.libraries = libs;
  out.os.id = os;
  out.os.version = os_version;
  out.os.architecture = std::string("x86_64");
  out.os.uptime = std::int64_t{86'400};
  return out;
}

/// One check's verdict on the node.
model::Verdict verdict(const Node& node, const std::string& check, std::int64_t today = kToday) {
  const model::Machine machine = node.machine();
  const model::Observations nothing;
  for (const model::Verdict& one : rules::run_checks({machine, nothing, knowledge(), today}))
    if (one.check == check) return one;
  ADD_FAILURE() << "no check " << check;
  return {};
}

std::vector<std::string> signals(const Node& node, const std::string& check) {
  std::vector<std::string> out;
  for (const model::Event& event : verdict(node, check).events) out.push_back(event.signal);
  return out;
}

/// What doctor says of the node alone.
model::Diagnosis doctor(const Node& node) {
  const model::Machine machine = node.machine();
  rules::Background background;
  background.machine = &machine;
  background.today_s = kToday;
  return rules::diagnose({}, knowledge(), background);
}

std::vector<std::string> causes(const Node& node) {
  std::vector<std::string> out;
  for (const model::Finding& finding : doctor(node).findings) out.push_back(finding.cause);
  std::sort(out.begin(), out.end());
  return out;
}

using Names = std::vector<std::string>;

const std::vector<std::string>& ids() {
  static const std::vector<std::string> kIds = {
      "compat.branch-life",      "compat.cuda-toolkits", "compat.cudnn",        "compat.distribution",
      "compat.driver-runs-gpus", "compat.frameworks",    "compat.open-modules", "gpu.pcie-replay-rate"};
  return kIds;
}

TEST(CompatChecks, TheHealthyNodePassesThemAllAndANodeWithoutGpusHasNone) {
  Node healthy;
  healthy.libraries = {{"torch", "2.11.0", "13.0"}, {"cudnn", "9.17.0", "13.0"}};
  for (const std::string& id : ids()) EXPECT_EQ(verdict(healthy, id).outcome, Outcome::Passes) << id;
  EXPECT_EQ(causes(healthy), Names{});
  Node bare;
  bare.devices.clear();
  bare.driver.clear();
  for (const std::string& id : ids()) EXPECT_EQ(verdict(bare, id).outcome, Outcome::NotApplicable) << id;
}

TEST(CompatChecks, WithoutADriverNothingIsSaidToPass) {
  Node node;
  node.driver.clear();
  node.flavour.clear();
  for (const char* id :
       {"compat.branch-life", "compat.cuda-toolkits", "compat.driver-runs-gpus", "compat.open-modules"})
    EXPECT_EQ(verdict(node, id).outcome, Outcome::Unknown) << id;
}

TEST(CompatChecks, ABranchEndsOnItsDay) {
  Node node;
  node.driver = "535.309.01";
  const auto on = [&](const char* day) {
    return verdict(node, "compat.branch-life", *base::last_day_of(day) * 86'400 + 3'600);
  };
  EXPECT_EQ(on("2026-01-15").outcome, Outcome::Passes);
  ASSERT_EQ(on("2026-05-01").events.size(), 1U);
  EXPECT_EQ(on("2026-05-01").events[0].signal, "compat.branch_ends_soon");
  ASSERT_EQ(on("2026-07-01").events.size(), 1U);
  const model::Event event = on("2026-07-01").events[0];
  EXPECT_EQ(event.signal, "compat.branch_ended");
  EXPECT_EQ(event.params.at("ended"), "2026-06");
  EXPECT_EQ(event.params.at("needs"), "R580");
  EXPECT_FALSE(event.params.at("as_of").empty());
  EXPECT_FALSE(event.evidence.empty());
  EXPECT_EQ(verdict(node, "compat.branch-life", 0).outcome, Outcome::NotApplicable)
      << "without a day nothing ages";
  node.toolkits.clear();
  EXPECT_EQ(causes(node), Names{"driver-branch-ended"});
}

TEST(CompatChecks, GpusThatTheDriverDoesNotRun) {
  Node node;
  node.answers = false;
  node.toolkits.clear();
  node.driver = "550.163.01";
  node.devices = {"2901"};
  EXPECT_EQ(signals(node, "compat.driver-runs-gpus"), Names{"compat.driver_too_old_for_gpu"});
  EXPECT_EQ(causes(node), (Names{"driver-branch-ended", "gpu-not-in-release"}));
  node.driver = "595.91.07";
  node.devices = {"2330", "1db5"};
  EXPECT_EQ(signals(node, "compat.driver-runs-gpus"), Names{"compat.driver_dropped_gpu"});
  node.answers = true;
  EXPECT_EQ(signals(node, "compat.driver-runs-gpus"), Names{}) << "a GPU that answers is supported";
  node.driver = "580.159.03";
  node.answers = false;
  EXPECT_EQ(signals(node, "compat.driver-runs-gpus"), Names{});
  // Unknown to the tables: nothing is claimed.
  node.devices = {"ffff"};
  EXPECT_EQ(verdict(node, "compat.driver-runs-gpus").outcome, Outcome::Passes);
}

TEST(CompatChecks, TheFlavourOfTheModules) {
  Node node;
  node.toolkits.clear();
  node.answers = false;
  node.devices = {"2901", "2901"};
  node.flavour = "proprietary";
  EXPECT_EQ(causes(node), Names{"gpu-needs-open-modules"});
  node.devices = {"2345"};  // Grace Hopper
  EXPECT_EQ(causes(node), Names{"gpu-needs-open-modules"});
  node.devices = {"7fff"};  // newer than the tables
  EXPECT_EQ(causes(node), Names{"gpu-needs-open-modules"});
  node.devices = {"2901"};
  node.flavour = "open";
  EXPECT_EQ(causes(node), Names{});
  node.devices = {"1db5"};
  EXPECT_EQ(causes(node), Names{"gpu-needs-proprietary-modules"});
  node.flavour = "proprietary";
  EXPECT_EQ(causes(node), Names{});
  node.devices = {"2330"};
  node.answers = true;
  EXPECT_EQ(signals(node, "compat.open-modules"), Names{"compat.open_modules_recommended"});
  EXPECT_EQ(causes(node), Names{"gpu-should-use-open-modules"});
  node.driver = "550.163.01";
  EXPECT_EQ(signals(node, "compat.open-modules"), Names{});
}

TEST(CompatChecks, ToolkitsAndTheDriver) {
  Node node;
  node.driver = "535.309.01";
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{"compat.cuda_needs_newer_driver"});
  const model::Event event = verdict(node, "compat.cuda-toolkits").events[0];
  EXPECT_EQ(event.params.at("needs"), "580.65.06");
  EXPECT_EQ(event.params.at("bridge"), "cuda-compat-13-0");
  EXPECT_EQ(event.params.at("supported"), "12.2");
  node.toolkits = {{"/usr/local/cuda-12.4", "12.4.1"}};
  node.default_toolkit = "cuda-12.4";
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{"compat.toolkit_limited"});
  node.toolkits = {{"/usr/local/cuda-12.2", "12.2.0"}};
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{});
  // One that is not the default is worth a note only.
  node.toolkits = {{"/usr/local/cuda-12.2", "12.2.0"}, {"/usr/local/cuda-13.0", "13.0.2"}};
  node.default_toolkit = "cuda-12.2";
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{"compat.toolkit_unusable"});
}

TEST(CompatChecks, ToolkitsAndTheGpus) {
  Node node;
  node.devices = {"2901"};
  node.toolkits = {{"/usr/local/cuda-12.6", "12.6.3"}};
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{"compat.toolkit_too_old_for_gpu"});
  EXPECT_EQ(causes(node), Names{"cuda-toolkit-lacks-gpu-arch"});
  node.toolkits = {{"/usr/local/cuda-12.8", "12.8.1"}};
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{});
  node.devices = {"1db5"};
  node.flavour = "proprietary";
  node.toolkits = {{"/usr/local/cuda-13.0", "13.0.2"}};
  EXPECT_EQ(signals(node, "compat.cuda-toolkits"), Names{"compat.toolkit_dropped_gpu"});
  EXPECT_EQ(causes(node), Names{"cuda-toolkit-dropped-gpu"});
}

TEST(CompatChecks, Frameworks) {
  Node node;
  node.toolkits.clear();
  node.driver = "570.211.01";
  node.libraries = {{"torch", "2.11.0", ""}};  // from PyPI: CUDA 13
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{"compat.framework_needs_newer_driver"});
  node.libraries = {{"torch", "2.11.0", "12.8"}};
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{});
  node.driver = "580.159.03";
  node.devices = {"2901"};
  node.libraries = {{"torch", "2.7.1", "12.6"}};
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{"compat.framework_lacks_gpu"});
  const model::Event event = verdict(node, "compat.frameworks").events[0];
  EXPECT_EQ(event.params.at("sm"), "sm_100");
  EXPECT_EQ(event.params.at("needs"), "2.7+cu128");
  EXPECT_EQ(causes(node), Names{"cuda-build-lacks-this-sm"});
  node.libraries = {{"torch", "2.7.1", "12.8"}};
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{});
  node.libraries = {{"tensorflow", "2.19.0", ""}};
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{"compat.framework_ptx_only"});
  node.devices = {"2330"};
  EXPECT_EQ(signals(node, "compat.frameworks"), Names{});
  // A version that the tables do not have, from PyPI: its CUDA is not known, and that is said.
  node.libraries = {{"torch", "2.5.1", ""}};
  EXPECT_EQ(verdict(node, "compat.frameworks").outcome, Outcome::Unknown);
  node.libraries = {{"vllm", "0.9.0", ""}};
  EXPECT_EQ(verdict(node, "compat.frameworks").outcome, Outcome::NotApplicable);
}

TEST(CompatChecks, Cudnn) {
  Node node;
  node.devices = {"1db5"};
  node.flavour = "proprietary";
  node.toolkits = {{"/usr/local/cuda-12.9", "12.9.1"}};
  node.libraries = {{"cudnn", "9.17.0", "12.9"}};
  EXPECT_EQ(signals(node, "compat.cudnn"), Names{"compat.cudnn_lacks_gpu"});
  EXPECT_EQ(causes(node), Names{"cudnn-lacks-gpu"});
  node.libraries = {{"nvidia_cudnn_cu12", "9.17.0.29", ""}};
  EXPECT_EQ(signals(node, "compat.cudnn"), Names{"compat.cudnn_lacks_gpu"});
  node.libraries = {{"cudnn", "9.10.2", "12.9"}};
  EXPECT_EQ(signals(node, "compat.cudnn"), Names{});
  node.libraries = {{"cudnn", "9.10.2", "11.8"}};
  EXPECT_EQ(signals(node, "compat.cudnn"), Names{"compat.cudnn_other_cuda"});
  node.libraries.clear();
  EXPECT_EQ(verdict(node, "compat.cudnn").outcome, Outcome::NotApplicable);
}

TEST(CompatChecks, Distributions) {
  Node node;
  node.os_version = "24.10";
  EXPECT_EQ(signals(node, "compat.distribution"), Names{"compat.os_not_in_guide"});
  EXPECT_EQ(causes(node), Names{"os-not-in-driver-guide"});
  node.os = "debian";
  node.os_version = "12";
  EXPECT_EQ(signals(node, "compat.distribution"), Names{"compat.os_ended"});
  node.os = "rocky";
  node.os_version = "9.6";
  EXPECT_EQ(signals(node, "compat.distribution"), Names{});
}

TEST(CompatChecks, ReplaysAgainstTheTimeTheyTook) {
  Node node;
  node.replays = 31 * 24 * 60;  // PCIe 5 x16 may repeat 31 packets a minute
  EXPECT_EQ(signals(node, "gpu.pcie-replay-rate"), Names{});
  node.replays += 1;
  EXPECT_EQ(signals(node, "gpu.pcie-replay-rate"), Names(8, "gpu.pcie_replay_rate"));
}

TEST(CompatChecks, FindingsReadWellInBothLanguages) {
  Node node;
  node.driver = "535.309.01";
  node.libraries = {{"torch", "2.11.0", "13.0"}};
  for (const model::Finding& finding : doctor(node).findings) {
    EXPECT_FALSE(finding.params.empty()) << finding.cause;
    EXPECT_NE(knowledge().cause(finding.cause), nullptr);
  }
}

}  // namespace
}  // namespace gpuwright::tests
