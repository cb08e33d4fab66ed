// SPDX-License-Identifier: Apache-2.0
#include "support/history.h"

#include "watch/history_query.h"
#include "watch/history_schema.h"

#include "support/run.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

namespace gpuwright::tests {

namespace {

using model::HistoryQuery;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using watch::Historian;
using watch::HistorianOptions;
using watch::HistoryTick;

constexpr std::int64_t kBegin = 1'796'000'000'000;

}  // namespace

HistorianOptions options_for(const std::string& path) {
  HistorianOptions options;
  options.child.path = path;
  options.child.store.least_free_bytes = 0;
  options.child.retry = milliseconds(50);
  options.restart = milliseconds(0);
  return options;
}

HistoryTick tick_number(std::int64_t n, bool event) {
  HistoryTick tick;
  tick.time_ms = kBegin + n * 1000;
  tick.mono_ms = n * 1000;
  tick.boot_id = "boot";
  tick.values = {{0, static_cast<double>(n)}, {1, 7}};
  if (event) tick.events = {{tick.time_ms, "boot", "xid", "GPU-0", "", std::to_string(n), "x", {}, 1}};
  return tick;
}

std::vector<std::string> codes_in(const std::string& path, const std::string& kind) {
  std::vector<std::string> codes;
  auto database = watch::open_history_for_reading(path);
  EXPECT_TRUE(database.ok()) << database.error().text();
  if (!database) return codes;
  EXPECT_TRUE(database->check(false).ok());
  HistoryQuery query;
  query.limit = 100000;
  const auto answer = watch::ask_history(*database, query);
  EXPECT_TRUE(answer.ok()) << answer.error().text();
  if (!answer) return codes;
  for (const auto& event : answer->events) {
    if (event.kind == kind) codes.push_back(event.code);
  }
  return codes;
}

void kill_historian_at_random(int times) {
  const TempFolder folder;
  const std::string path = folder.path() + "/history.db";
  HistorianOptions options = options_for(path);
  options.child.upkeep = milliseconds(1);
  options.child.store.rows_in_chunk = 4;
  options.child.store.tiers[1].step = std::chrono::seconds(2);
  std::mt19937 random(static_cast<unsigned>(times));
  std::int64_t n = 0;
  for (int kill = 0; kill < times; ++kill) {
    std::uint64_t confirmed = 0;
    std::int64_t before = n;
    {
      Historian historian(options);
      historian.series("a", "GPU-0");
      historian.series("b", "GPU-0");
      historian.pump();
      const auto end = steady_clock::now() + std::chrono::microseconds(random() % 30000);
      while (steady_clock::now() < end) {
        historian.tick(tick_number(++n));
        historian.pump();
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));
      }
      if (historian.pid() > 0) ::kill(historian.pid(), SIGKILL);
      historian.pump(steady_clock::now());
      confirmed = historian.state().written;
      EXPECT_EQ(historian.state().lost, 0U) << "kill " << kill << ": " << historian.state().message;
    }
    if (kill == 0 && access(path.c_str(), F_OK) != 0) continue;
    auto probe = watch::HistoryStore::open(path, options.child.store);
    ASSERT_TRUE(probe.ok()) << "kill " << kill << ": " << probe.error().text();
    const auto codes = codes_in(path);
    const std::set<std::string> there(codes.begin(), codes.end());
    EXPECT_EQ(there.size(), codes.size()) << "none twice";
    for (std::int64_t i = before + 1; i <= before + static_cast<std::int64_t>(confirmed); ++i)
      EXPECT_TRUE(there.count(std::to_string(i)) == 1)
          << "kill " << kill << ": event " << i << " was confirmed";
  }
  EXPECT_GT(codes_in(path).size(), static_cast<std::size_t>(times)) << "something was written in between";
}

}  // namespace gpuwright::tests
