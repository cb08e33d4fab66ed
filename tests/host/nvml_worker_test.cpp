// Asking through workers that answer, hang, die and talk nonsense. What asks here is no NVML but a function
// that writes the worker's lines, so that each kind of trouble can be had at will.
// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_worker.h"

#include "base/text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace gpuwright::host {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr NvmlDeadlines kShort{milliseconds(200), milliseconds(400)};

void say(int fd, const std::string& line) {
  const std::string text = line + "\n";
  [[maybe_unused]] const auto written = ::write(fd, text.data(), text.size());
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

void open_machine(int fd, int gpus) {
  say(fd, "?init nvmlInit_v2");
  say(fd, "=0 3000 done");
  say(fd, "?driver_version nvmlSystemGetDriverVersion");
  say(fd, "=0 5 570.133.20");
  say(fd, "?count nvmlDeviceGetCount_v2");
  say(fd, "=0 2 " + std::to_string(gpus));
}

void healthy_gpu(int fd, std::uint32_t gpu) {
  say(fd, "g" + std::to_string(gpu));
  say(fd, "?temperature.gpu nvmlDeviceGetTemperature");
  say(fd, "=0 9 " + std::to_string(30 + gpu));
}

/// Four GPUs, of which some trouble us: `at` says how each behaves.
template <class At>
NvmlProbe four_gpus(At at) {
  return [at](int fd, const std::vector<std::uint32_t>& asked) {
    open_machine(fd, 4);
    const std::vector<std::uint32_t> all = {0, 1, 2, 3};
    for (const std::uint32_t gpu : asked.empty() ? all : asked) {
      healthy_gpu(fd, gpu);
      at(fd, gpu);
    }
    say(fd, ".");
  };
}

TEST(NvmlWorker, WritesEachAnswerWithItsCallAndTime) {
  const auto text = ask_nvml(kShort, four_gpus([](int, std::uint32_t) {}));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->starts_with("gpuwright: NVML answers, version 1\n"));
  EXPECT_TRUE(base::contains(*text, "driver_version: 570.133.20  [nvmlSystemGetDriverVersion, 5 us]\n"));
  EXPECT_TRUE(base::contains(*text, "GPU 3\ntemperature.gpu: 33  [nvmlDeviceGetTemperature, 9 us]\n"));
}

TEST(NvmlWorker, OneGpuThatHangsDoesNotHideTheOthers) {
  const auto begin = Clock::now();
  const auto text = ask_nvml(kShort, four_gpus([](int fd, std::uint32_t gpu) {
                               if (gpu != 1) return;
                               say(fd, "?power.draw nvmlDeviceGetPowerUsage");
                               sleep_for_ever();
                             }));
  ASSERT_TRUE(text.ok());
  EXPECT_LT(Clock::now() - begin, milliseconds(2000));
  EXPECT_TRUE(base::contains(*text, "temperature.gpu: 31 "));  // what it said before still counts
  EXPECT_TRUE(base::contains(*text, "power.draw: [no answer after 2"));
  for (const char* gpu : {"30 ", "32 ", "33 "})
    EXPECT_TRUE(base::contains(*text, std::string("temperature.gpu: ") + gpu)) << gpu;
}

TEST(NvmlWorker, SeveralThatHangCostTheTimeOfTwo) {
  const auto begin = Clock::now();
  const auto text = ask_nvml(kShort, four_gpus([](int fd, std::uint32_t) {
                               say(fd, "?power.draw nvmlDeviceGetPowerUsage");
                               sleep_for_ever();
                             }));
  ASSERT_TRUE(text.ok());
  EXPECT_LT(Clock::now() - begin, milliseconds(1500));
  std::size_t count = 0;
  for (std::size_t at = text->find("no answer after"); at != std::string::npos;
       at = text->find("no answer after", at + 1))
    ++count;
  EXPECT_EQ(count, 4u);
}

TEST(NvmlWorker, AWorkerThatCannotBeToldToStopIsLeftBehind) {
  const auto text = ask_nvml(kShort, four_gpus([](int fd, std::uint32_t gpu) {
                               if (gpu != 0) return;
                               say(fd, "?power.draw nvmlDeviceGetPowerUsage");
                               ::signal(SIGTERM, SIG_IGN);
                               sleep_for_ever();
                             }));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(base::contains(*text, "temperature.gpu: 33 "));
}

TEST(NvmlWorker, ALibraryThatCrashesTakesOnlyItsGpuAlong) {
  const auto text = ask_nvml(kShort, four_gpus([](int fd, std::uint32_t gpu) {
                               if (gpu != 2) return;
                               say(fd, "?power.draw nvmlDeviceGetPowerUsage");
                               ::_exit(139);
                             }));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(base::contains(*text, "power.draw: [the call ended the process]  [nvmlDeviceGetPowerUsage]"));
  EXPECT_TRUE(base::contains(*text, "temperature.gpu: 33 "));
}

TEST(NvmlWorker, ADriverThatNeverAnswersIsAnAnswerToo) {
  const auto text = ask_nvml(kShort, [](int fd, const std::vector<std::uint32_t>&) {
    say(fd, "?init nvmlInit_v2");
    sleep_for_ever();
  });
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(base::contains(*text, "init: [no answer after 2"));
}

TEST(NvmlWorker, ErrorsSpeakTheWordsOfNvidiaSmi) {
  const auto text = ask_nvml(kShort, [](int fd, const std::vector<std::uint32_t>&) {
    say(fd, "?init nvmlInit_v2");
    say(fd, "=18 40 ");
    say(fd, ".");
  });
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(base::contains(*text, "Failed to initialize NVML: Driver/library version mismatch\n"));
}

TEST(NvmlWorker, AMissingLibraryIsAnError) {
  const auto text = ask_nvml(kShort, [](int fd, const std::vector<std::uint32_t>&) {
    say(fd, "e" + std::to_string(static_cast<int>(base::ErrorKind::NotFound)) +
                " libnvidia-ml.so.1 is not installed");
    say(fd, ".");
  });
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().kind, base::ErrorKind::NotFound);
}

TEST(NvmlWorker, NonsenseIsBoundedAndEndsWell) {
  const auto text = ask_nvml(kShort, [](int fd, const std::vector<std::uint32_t>&) {
    for (const char* line :
         {"", "=", "=x y", "g-5", "g99999999999999", "?", "=0", "?a b", "=0 1 x", "+", "h"})
      say(fd, line);
    const std::string flood(1 << 16, 'x');
    for (int i = 0; i < 200; ++i) say(fd, "+" + flood);
    say(fd, ".");
  });
  ASSERT_TRUE(text.ok());
  EXPECT_LT(text->size(), std::size_t{5} << 20);
}

}  // namespace
}  // namespace gpuwright::host
