// Bad weather: what the daemon costs and says while its machine is in a storm. Figures are printed, and those
// that are promises are asserted: nothing is lost that is not told, nothing grows, scrapes go on.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "support/paths.h"
#include "support/served.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace gpuwright::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

double number(const Served& node, const std::string& series) {
  const std::string text = node.value(series);
  return text.empty() ? -1 : std::stod(text);
}

/// Scrapes while it lives; the slowest one.
class Scraping {
 public:
  explicit Scraping(const Served& node) : thread_([this, &node] { scrape(node); }) {}
  ~Scraping() { end(); }
  Scraping(const Scraping&) = delete;
  Scraping& operator=(const Scraping&) = delete;
  milliseconds slowest() {
    end();
    return slowest_;
  }
  int answers() const { return answers_; }

 private:
  void scrape(const Served& node) {
    while (!ended_) {
      const auto begin = steady_clock::now();
      if (node.get("/metrics").status == 200) ++answers_;
      slowest_ = std::max(slowest_, std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin));
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
  void end() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::atomic<bool> ended_ = false;
  int answers_ = 0;
  milliseconds slowest_{0};
  std::thread thread_;
};

/// A stream as /dev/kmsg gives it, for --kernel-log.
class KernelStream {
 public:
  explicit KernelStream(const std::string& path) : path_(path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~KernelStream() { ::close(fd_); }
  KernelStream(const KernelStream&) = delete;
  KernelStream& operator=(const KernelStream&) = delete;
  const std::string& path() const { return path_; }
  void write(const std::string& records) const {
    EXPECT_EQ(::write(fd_, records.data(), records.size()), static_cast<ssize_t>(records.size()));
  }

 private:
  std::string path_;
  int fd_ = -1;
};

/// As /dev/kmsg overwrites what nobody reads in time, one in a thousand is left out; its number tells.
TEST(ServeWeather, TenThousandXidsASecondForAMinute) {
  constexpr int kSeconds = 60, kARound = 100, kRounds = 100, kLostEvery = 1000;
  const TempFolder folder;
  const KernelStream stream(folder.path() + "/kmsg");
  const Served node("boards 4 h100-sxm\nload 50\n", {"--kernel-log", stream.path()});
  ASSERT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 4"));
  const double cpu_before = number(node, "gpuwright_process_cpu_seconds_total");
  Scraping scraping(node);
  std::int64_t sequence = 100, sent = 0, left_out = 0;
  const auto begin = steady_clock::now();
  for (int round = 0; round < kSeconds * kRounds; ++round) {
    std::string records;
    for (int i = 0; i < kARound; ++i) {
      if (++sequence % kLostEvery == 0) {
        ++left_out;
        continue;
      }
      records += "4," + std::to_string(sequence) + "," + std::to_string(5'000'000 + sequence) +
                 ",-;NVRM: Xid (PCI:0000:61:00): 31, pid=4711, name=python3, Ch 00000008\n";
      ++sent;
    }
    stream.write(records);
    std::this_thread::sleep_until(begin + milliseconds(10) * (round + 1));
  }
  const double took = std::chrono::duration<double>(steady_clock::now() - begin).count();
  ASSERT_TRUE(node.metrics_tell("gpuwright_kernel_log_lines_total " + std::to_string(sent) + "\n"))
      << node.value("gpuwright_kernel_log_lines_total");
  EXPECT_EQ(node.value("gpuwright_kernel_log_lost_total"), std::to_string(left_out));
  EXPECT_THAT(node.get("/metrics").body, ::testing::HasSubstr(",xid=\"31\"} " + std::to_string(sent) + "\n"));
  std::this_thread::sleep_for(std::chrono::seconds(6));  // own costs are looked at every 5 s
  const double cpu = number(node, "gpuwright_process_cpu_seconds_total") - cpu_before;
  const double resident = number(node, "gpuwright_process_resident_memory_bytes{kind=\"resident\"}");
  const double proportional = number(node, "gpuwright_process_resident_memory_bytes{kind=\"proportional\"}");
  constexpr double kMega = 1e6;
  std::printf(
      "%lld records in %.1f s, %lld left out: all counted or told as lost; %.1f %% of a processor, %.1f MB "
      "RSS summed, %.1f MB PSS; %d scrapes, the slowest %lld ms\n",
      static_cast<long long>(sent), took, static_cast<long long>(left_out), 100 * cpu / took,
      resident / kMega, proportional / kMega, scraping.answers(),
      static_cast<long long>(scraping.slowest().count()));
  EXPECT_LT(proportional, 40 * kMega);
  EXPECT_GT(scraping.answers(), 100);
}

TEST(ServeWeather, AGpuThatHangsFor45Seconds) {
  const Served node("boards 8 h100-sxm\nload 50\nat 3s gpu 3 hang all 45s\n", {});
  ASSERT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 8"));
  ASSERT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 7"));
  Scraping scraping(node);
  double oldest = 0;
  const auto end = steady_clock::now() + std::chrono::seconds(35);
  while (steady_clock::now() < end) {
    const std::string body = node.get("/metrics").body;
    for (const std::string_view line : base::lines(body)) {
      if (!line.starts_with("gpuwright_gpu_sample_age_seconds{") ||
          line.find("gpu=\"3\"") != std::string_view::npos)
        continue;
      oldest = std::max(oldest, std::stod(std::string(line.substr(line.rfind(' ') + 1))));
    }
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 8", std::chrono::seconds(60)))
      << "it answers again";
  std::printf(
      "while one GPU hung: %d scrapes, the slowest %lld ms; the other seven GPUs were at most %.2f s old\n",
      scraping.answers(), static_cast<long long>(scraping.slowest().count()), oldest);
  EXPECT_LT(oldest, 3.0);
}

/// The whole of a day's faults, a hundred times as fast: nothing grows.
TEST(ServeWeather, ASoakWithoutGrowth) {
  const char* told = std::getenv("GPUWRIGHT_SOAK_SECONDS");
  const int seconds = told == nullptr ? 60 : std::stoi(told);
  std::string scenario = "boards 8 h100-sxm\nload 50\n";
  for (int at = 5; at < seconds; at += 10) {
    const std::string when = "at " + std::to_string(at) + "s ";
    const std::string later = "at " + std::to_string(at + 4) + "s ";
    const std::string gpu = "gpu " + std::to_string(at / 5 % 8) + " ";
    scenario += when + gpu + "lost\n" + later + gpu + "reset\n";
    scenario += when + "mig " + std::to_string((at / 5 + 1) % 8) + " 1g.10gb 3g.40gb\n";
    scenario += later + "mig " + std::to_string((at / 5 + 1) % 8) + " off\n";
    scenario += when + "process 0 " + std::to_string(4000 + at) + " python3 4GiB\n";
    scenario += later + "process 0 " + std::to_string(4000 + at) + " gone\n";
  }
  const Served node(scenario, {"--period", "100ms", "--whole-period", "100ms", "--look-period", "3s"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 8"));
  Scraping scraping(node);
  const auto memory = [&node] {
    return number(node, "gpuwright_process_resident_memory_bytes{kind=\"proportional\"}");
  };
  std::this_thread::sleep_for(std::chrono::seconds(seconds) / 3);
  const double early = memory();
  std::this_thread::sleep_for(std::chrono::seconds(seconds) * 2 / 3);
  const double late = memory();
  constexpr double kMega = 1e6;
  std::printf(
      "%d s at ten samples a second of all values: PSS %.1f MB after a third, %.1f MB at the end; the "
      "slowest "
      "of %d scrapes %lld ms\n",
      seconds, early / kMega, late / kMega, scraping.answers(),
      static_cast<long long>(scraping.slowest().count()));
  EXPECT_LT(late, early * 1.25 + 2 * kMega);
  EXPECT_TRUE(node.metrics_tell("gpuwright_node_gpus{state=\"up\"} 8", std::chrono::seconds(30)));
}

}  // namespace
}  // namespace gpuwright::tests
