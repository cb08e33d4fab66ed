// The node's state from a simulated driver: values, hangs, lost GPUs, Xids.
// SPDX-License-Identifier: Apache-2.0
#include "watch/watcher.h"

#include "base/ids.h"
#include "catalog/gpu_values.h"

#include "support/diagnose.h"
#include "support/run.h"
#include "support/sampling.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace gpuwright::tests {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

watch::Now now() {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(steady).count(), std::chrono::duration<double>(wall).count()};
}

class Watched : public ::testing::Test {
 protected:
  void watch(const std::string& scenario) {
    use_scenario(folder_.write("scenario", scenario));
    auto plan = watch::plan_series(knowledge().metrics());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
    watcher_ = std::make_unique<watch::Watcher>(knowledge().metrics(), plan_, now);
    host::SamplerLimits limits;
    limits.gpu = milliseconds(300);
    limits.retry = milliseconds(1000);
    limits.bus = folder_.path() + "/bus";
    sampler_ = std::make_unique<host::Sampler>(plan_.values, limits, *watcher_);
    sampler_->start();
  }
  bool follow_until(const std::function<bool()>& done, milliseconds limit = milliseconds(15'000)) {
    return follow(*sampler_, milliseconds(100), limit, done);
  }
  const model::GpuState& gpu(std::uint32_t index) const { return watcher_->state().gpus.at(index); }
  std::size_t up() const {
    std::size_t count = 0;
    for (const auto& entry : watcher_->state().gpus) count += entry.second.up ? 1 : 0;
    return count;
  }
  /// A value by where it comes from; negative: there is none.
  double value(std::uint32_t index, host::nvml::PlannedValue::Kind kind, std::uint32_t number) const {
    for (std::size_t at = 0; at < plan_.values.size(); ++at) {
      if (plan_.values[at].kind == kind && plan_.values[at].number == number)
        return gpu(index).values[at].known() ? gpu(index).values[at].number() : -1;
    }
    return -2;
  }
  double call(std::uint32_t index, const char* key) const {
    return value(index, host::nvml::PlannedValue::Kind::Call,
                 static_cast<std::uint32_t>(host::nvml::find_sample_call(key).value()));
  }

  TempFolder folder_;
  watch::WatchPlan plan_;
  std::unique_ptr<watch::Watcher> watcher_;
  std::unique_ptr<host::Sampler> sampler_;
};

TEST_F(Watched, EightGpusTellTheirValues) {
  watch("boards 8 h100-sxm\nload 60\n");
  ASSERT_TRUE(follow_until([&] { return up() == 8 && gpu(7).whole_s > 0; }));
  EXPECT_EQ(gpu(0).identity.name, "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(gpu(0).identity.uuid, HasSubstr("GPU-"));
  EXPECT_TRUE(watcher_->state().driver.simulated);
  EXPECT_GT(call(3, "temperature"), 20);
  EXPECT_LT(call(3, "temperature"), 95);
  EXPECT_GT(call(3, "power"), 60'000) << "mW";
  EXPECT_EQ(call(3, "power_limit"), 700'000);
  EXPECT_GT(value(3, host::nvml::PlannedValue::Kind::Field, 83), 0) << "energy";
  EXPECT_EQ(value(3, host::nvml::PlannedValue::Kind::Field, 144), 0) << "no row waits";
  ASSERT_TRUE(follow_until([&] { return value(3, host::nvml::PlannedValue::Kind::Gpm, 2) >= 0; }))
      << "GPM needs two samples";
  EXPECT_NEAR(value(3, host::nvml::PlannedValue::Kind::Gpm, 2), 60, 20);
}

/// The kernel's files of a PCI device, as its power management fills them.
void put_device(const std::string& bus, const std::string& address, const char* status) {
  const std::filesystem::path device = std::filesystem::path(bus) / address;
  std::filesystem::create_directories(device / "power");
  std::ofstream(device / "vendor") << "0x10de\n";
  std::ofstream(device / "class") << "0x030200\n";
  std::ofstream(device / "power/runtime_status") << status << "\n";
}

TEST_F(Watched, AGpuThatSleepsIsNotAskedAndNotSick) {
  watch("boards 2 h100-sxm\n");
  ASSERT_TRUE(follow_until([&] { return up() == 2; }));
  const auto pci = base::PciAddress::parse(gpu(1).identity.pci);
  ASSERT_TRUE(pci.has_value());
  const std::string bus = folder_.path() + "/bus";
  put_device(bus, pci->text(), "suspended");
  ASSERT_TRUE(follow_until([&] { return gpu(1).asleep; }));
  EXPECT_FALSE(gpu(1).up);
  EXPECT_THAT(gpu(1).why, HasSubstr("sleeps"));
  const double fresh = gpu(1).fresh_s;
  (void)follow_until([] { return false; }, milliseconds(500));
  EXPECT_EQ(gpu(1).fresh_s, fresh) << "it was asked";
  EXPECT_TRUE(gpu(0).up);
  EXPECT_EQ(gpu(1).hangs, 0U);
  put_device(bus, pci->text(), "active");
  EXPECT_TRUE(follow_until([&] { return gpu(1).up && !gpu(1).asleep; }));
}

TEST_F(Watched, WhereAllGpusSleepTheLibraryIsNotOpened) {
  put_device(folder_.path() + "/bus", "0000:3b:00.0", "suspended");
  watch("boards 1 h100-sxm\n");
  ASSERT_TRUE(follow_until([&] { return !watcher_->state().no_driver.empty(); }));
  EXPECT_THAT(watcher_->state().no_driver, HasSubstr("sleeps"));
  EXPECT_FALSE(watcher_->state().driver_known);
  put_device(folder_.path() + "/bus", "0000:3b:00.0", "active");
  EXPECT_TRUE(follow_until([&] { return up() == 1; })) << "it was not tried again";
}

TEST_F(Watched, MigInstancesAnswerForThemselvesAndFollowTheLayout) {
  watch(
      "boards 1 h100-sxm\nload 60\nmig 0 1g.10gb 3g.40gb\nprocess 0 4711 python3 5GiB instance 1\n"
      "at 3s mig 0 2g.20gb\nat 5s mig 0 off\n");
  const auto part = [&](std::size_t at, const char* key) {
    const catalog::GpuValues values(plan_.series);
    model::GpuState one;
    one.up = true;
    if (at < gpu(0).parts.size()) one.values = gpu(0).parts[at].values;
    return values.of(one, key);
  };
  ASSERT_TRUE(follow_until([&] {
    return !watcher_->state().gpus.empty() && gpu(0).parts.size() == 2 && part(1, "sm_active_ratio");
  }));
  EXPECT_NEAR(part(0, "memory_bytes/used").value_or(0), 5.0 * (1ULL << 30U), 1e6);
  EXPECT_EQ(part(1, "memory_bytes/used"), 0.0);
  EXPECT_NEAR(part(0, "sm_active_ratio").value_or(0), 0.6, 0.2);
  EXPECT_FALSE(part(0, "power_watts").has_value()) << "the board's power is nobody's part";
  EXPECT_FALSE(part(0, "pcie_bytes_per_second/sent").has_value());
  ASSERT_TRUE(follow_until([&] {
    return gpu(0).parts.size() == 1 && gpu(0).identity.parts.size() == 1 &&
           gpu(0).identity.parts[0].profile == "2g.20gb" && part(0, "sm_active_ratio");
  }));
  EXPECT_TRUE(follow_until([&] { return gpu(0).parts.empty() && gpu(0).identity.parts.empty(); }));
  EXPECT_TRUE(gpu(0).up);
}

TEST_F(Watched, BeforeHopperThereIsNoGpmAndItIsNotZero) {
  watch("boards 1 a100-sxm4-80gb\nload 60\n");
  ASSERT_TRUE(follow_until([&] { return up() == 1 && sampler_->restarts() == 0 && gpu(0).whole_s > 0; }));
  EXPECT_EQ(value(0, host::nvml::PlannedValue::Kind::Gpm, 2), -1);
}

TEST_F(Watched, AGpuThatHangsLeavesTheOthersFresh) {
  watch("boards 8 h100-sxm\nat 2s gpu 3 hang all\n");
  ASSERT_TRUE(follow_until([&] { return up() == 8; }));
  ASSERT_TRUE(follow_until([&] { return gpu(3).hangs > 0; }));
  EXPECT_THAT(gpu(3).why, HasSubstr("no answer for"));
  ASSERT_TRUE(follow_until([&] {
    watcher_->look_at_clock();
    return up() == 7 && watcher_->state().now_s - gpu(7).fresh_s < 0.5 &&
           watcher_->state().now_s - gpu(3).fresh_s > 1.5;
  }));
  EXPECT_FALSE(gpu(3).up);
}

TEST_F(Watched, AGpuThatAnswersAgainIsOneOfTheOthers) {
  watch("boards 2 h100-sxm\nat 1s gpu 1 hang all 3s\n");
  ASSERT_TRUE(follow_until([&] { return watcher_->state().gpus.count(1) != 0 && gpu(1).hangs > 0; }));
  ASSERT_TRUE(follow_until([&] { return up() == 2 && sampler_->children().size() == 1; }))
      << sampler_->children().size();
}

TEST_F(Watched, OneStuckChildHoweverLong) {
  std::filesystem::create_directories(folder_.path() + "/silent");
  const StuckFiles files(folder_.path() + "/silent");
  if (!files.mounted()) GTEST_SKIP() << files.why();
  watch("boards 4 h100-sxm\nat 1s gpu 2 stuck all " + folder_.path() + "/silent/call\n");
  ASSERT_TRUE(follow_until([&] { return watcher_->state().gpus.count(2) != 0 && gpu(2).hangs > 0; }));
  (void)follow_until([] { return false; }, milliseconds(4000));
  EXPECT_EQ(sampler_->left_behind(), 1);
  EXPECT_EQ(up(), 3U);
}

TEST_F(Watched, ALostGpuIsSaidToBeLostAndComesBack) {
  watch("boards 2 h100-sxm\nat 1s gpu 1 lost\nat 4s gpu 1 reset\n");
  ASSERT_TRUE(follow_until([&] { return up() == 2; }));
  ASSERT_TRUE(follow_until([&] { return !gpu(1).up; }));
  EXPECT_EQ(gpu(1).why, "GPU is lost");
  EXPECT_TRUE(gpu(0).up);
  std::string recovered;
  watcher_->on_recovery(
      [&](const std::string& pci, const std::string& why) { recovered += pci + ": " + why; });
  ASSERT_TRUE(follow_until([&] { return up() == 2; }));
  EXPECT_EQ(recovered, "0000:43:00: answers");
}

TEST_F(Watched, ALostGpuIsKnownFromAnEarlierDaemon) {
  watch("boards 2 h100-sxm\ngpu 1 lost\n");
  model::SampledGpu gpu_1;
  gpu_1.index = 1;
  gpu_1.uuid = "GPU-as-it-was";
  gpu_1.pci = "00000000:43:00.0";
  watcher_->take_over_gpus({gpu_1});
  ASSERT_TRUE(follow_until([&] { return up() == 1 && watcher_->state().gpus.count(1) != 0; }));
  EXPECT_EQ(gpu(1).identity.uuid, "GPU-as-it-was");
  EXPECT_EQ(watcher_->device_of_gpu(1), "0000:43:00");
  EXPECT_FALSE(gpu(1).up);
}

TEST_F(Watched, EventsAreToldAndXidsOfAnEarlierDaemonGoOn) {
  watch("boards 2 h100-sxm\nat 2s gpu 1 lost\nat 4s gpu 1 reset\n");
  std::string told;
  watcher_->on_event([&](const model::HistoryEvent& event) {
    told += event.kind + "/" + event.code + "/" + event.pci + " ";
  });
  model::HistoryEvent counted;
  counted.kind = "xid";
  counted.code = "79";
  counted.pci = "0000:43:00";
  counted.count = 5;
  counted.time_ms = 1'000'000;
  model::HistoryEvent of_another_board = counted;
  of_another_board.uuid = "GPU-not-there-any-more";
  watcher_->take_over_xids({counted, of_another_board});
  ASSERT_TRUE(follow_until([&] { return up() == 2; }));
  EXPECT_EQ(gpu(1).xids.at(79).count, 5U);
  EXPECT_EQ(gpu(1).xids.at(79).last_s, 1000);
  watcher_->on_kernel_log(true, "", 0);
  watcher_->on_kernel_record(
      {1, 1, true, "NVRM: Xid (PCI:0000:43:00): 79, pid=1, GPU has fallen off the bus."});
  EXPECT_EQ(gpu(1).xids.at(79).count, 6U);
  ASSERT_TRUE(follow_until([&] { return gpu(1).lost; }));
  ASSERT_TRUE(follow_until([&] { return gpu(1).up; }));
  EXPECT_THAT(told, HasSubstr("xid/79/0000:43:00 gpu/lost/0000:43:00 "));
  EXPECT_THAT(told, HasSubstr("gpu/answers/0000:43:00 "));
}

TEST_F(Watched, ADriverThatDoesNotOpenIsSaid) {
  use_scenario(folder_.write("scenario", "boards 1 t4\n"));
  watch("boards 1 t4\n");
  ::setenv("GPUWRIGHT_NVML", "/no/such/library.so", 1);
  sampler_->stop();
  sampler_->start();
  ASSERT_TRUE(follow_until([&] { return !watcher_->state().no_driver.empty(); }));
  EXPECT_THAT(watcher_->state().no_driver, HasSubstr("is not installed"));
}

host::KernelRecord record(const std::string& message, bool of_kernel = true) {
  host::KernelRecord one;
  one.message = message;
  one.of_kernel = of_kernel;
  return one;
}

TEST_F(Watched, AnXidIsCountedOnceAndOnlyFromTheKernel) {
  watch("boards 2 h100-sxm\n");
  ASSERT_TRUE(follow_until([&] { return up() == 2; }));
  EXPECT_EQ(gpu(1).xids.at(79).count, 0U) << "there before the first";
  std::string pci = gpu(1).identity.pci;  // 00000000:43:00.0
  const std::string line =
      "NVRM: Xid (PCI:" + pci.substr(4, 10) + "): 79, pid=1234, GPU has fallen off the bus.";
  watcher_->on_kernel_log(true, "", 0);
  watcher_->on_kernel_record(record(line));
  model::GpuSample event;
  event.index = 1;
  event.xids = {79};
  watcher_->on_sample(event);
  EXPECT_EQ(gpu(1).xids.at(79).count, 1U) << "the library's event is the same";
  watcher_->on_kernel_record(record(line, false));
  EXPECT_EQ(gpu(1).xids.at(79).count, 1U) << "a program wrote it";
  EXPECT_EQ(watcher_->state().kernel.unverified, 1U);
  watcher_->on_kernel_log(false, "denied", 0);
  watcher_->on_sample(event);
  EXPECT_EQ(gpu(1).xids.at(79).count, 2U) << "without a log the library's events count";
}

/// A watcher whose clock the test sets.
class Clocked : public ::testing::Test {
 protected:
  void SetUp() override {
    auto plan = watch::plan_series(knowledge().metrics());
    ASSERT_TRUE(plan.ok());
    plan_ = std::move(*plan);
    watcher_ = std::make_unique<watch::Watcher>(knowledge().metrics(), plan_, [this] { return now_; });
  }
  void answer(std::uint32_t index) {
    model::SampledGpu identity;
    identity.index = index;
    identity.uuid = "GPU-" + std::to_string(index);
    identity.pci = "00000000:61:00.0";
    watcher_->on_gpu(identity);
    model::GpuSample sample;
    sample.index = index;
    sample.values.resize(plan_.values.size());
    watcher_->on_sample(sample);
  }
  watch::Now now_{100, 1.7e9};
  watch::WatchPlan plan_;
  std::unique_ptr<watch::Watcher> watcher_;
};

TEST_F(Clocked, AGpuOfWhichNothingIsHeardIsNotUp) {
  answer(0);
  now_.steady_s = 102.9;
  watcher_->look_at_clock();
  EXPECT_TRUE(watcher_->state().gpus.at(0).up);
  now_.steady_s = 103.1;
  watcher_->look_at_clock();
  EXPECT_FALSE(watcher_->state().gpus.at(0).up);
  EXPECT_EQ(watcher_->state().gpus.at(0).why, "nothing new for more than 3 s");
  answer(0);
  EXPECT_TRUE(watcher_->state().gpus.at(0).up);
}

TEST_F(Clocked, AnXidBeforeTheAddressIsKnownCounts) {
  watcher_->on_kernel_log(true, "", 0);
  watcher_->on_kernel_record(record("NVRM: Xid (PCI:0000:61:00): 79, pid=1, GPU has fallen off the bus."));
  watcher_->on_kernel_record(record("NVRM: Xid (PCI:0000:9d:00): 48, pid=1, DBE."));
  answer(2);
  EXPECT_EQ(watcher_->state().gpus.at(2).xids.at(79).count, 1U);
  EXPECT_EQ(watcher_->state().gpus.at(2).xids.at(48).count, 0U);
  answer(2);
  EXPECT_EQ(watcher_->state().gpus.at(2).xids.at(79).count, 1U) << "once";
}

}  // namespace
}  // namespace gpuwright::tests
