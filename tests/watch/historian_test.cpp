// The daemon's side: what was confirmed is in the file whatever happens to the process that owns it, and
// nothing that happens to it, or to its disk, makes the daemon wait.
// SPDX-License-Identifier: Apache-2.0
#include "watch/historian.h"

#include "base/files.h"
#include "watch/history_query.h"
#include "watch/history_schema.h"

#include "support/history.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace gpuwright::tests {
namespace {

using model::HistoryQuery;
using model::HistoryTopic;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using watch::Historian;
using watch::HistorianOptions;
using watch::HistoryCondition;
using watch::HistoryTick;

/// Pumps until it is so, or half a minute has passed.
template <class Condition>
bool pump_until(Historian& historian, const Condition& is_so) {
  const auto end = steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (steady_clock::now() > end) return false;
    historian.pump();
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

TEST(Historian, TakesTicksAndAnswers) {
  const TempFolder folder;
  const std::string path = folder.path() + "/new/history.db";
  Historian historian(options_for(path));
  EXPECT_EQ(historian.series("temperature_celsius", "GPU-0"), 0U);
  EXPECT_EQ(historian.series("power_watts", "GPU-0"), 1U);
  EXPECT_EQ(historian.series("temperature_celsius", "GPU-0"), 0U);
  for (int n = 1; n <= 50; ++n) {
    historian.tick(tick_number(n, n == 7));
    historian.pump();
  }
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written == 50; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::Ok);
  EXPECT_GT(historian.state().used_bytes, 0);
  EXPECT_EQ(historian.state().queued_bytes, 0U);

  HistoryQuery query;
  query.topic = HistoryTopic::Series;
  query.metric = "temperature_celsius";
  const std::uint64_t series = historian.ask(query);
  query.topic = HistoryTopic::Events;
  const std::uint64_t events = historian.ask(query);
  std::map<std::uint64_t, model::HistoryAnswer> answers;
  ASSERT_TRUE(pump_until(historian, [&] {
    for (auto& [number, answer] : historian.take_answers()) answers[number] = std::move(answer);
    return answers.size() == 2;
  }));
  ASSERT_EQ(answers[series].series.size(), 1U);
  EXPECT_EQ(answers[series].series[0].buckets.size(), 50U);
  ASSERT_EQ(answers[events].events.size(), 1U);
  EXPECT_EQ(answers[events].events[0].code, "7");
  historian.finish(std::chrono::seconds(5));
  EXPECT_EQ(codes_in(path), std::vector<std::string>{"7"});
}

TEST(Historian, KilledAtAnyMomentItKeepsWhatItConfirmed) {
  kill_historian_at_random(20);
}

TEST(Historian, ADeadProcessIsReplacedAndNothingIsLostOrTwice) {
  const TempFolder folder;
  Historian historian(options_for(folder.path() + "/history.db"));
  historian.series("a", "");
  historian.series("b", "");
  for (int n = 1; n <= 300; ++n) {
    historian.tick(tick_number(n));
    historian.pump();
    std::this_thread::sleep_for(milliseconds(1));
    if (n % 50 == 0 && historian.pid() > 0) ::kill(historian.pid(), SIGKILL);
  }
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written == 300; }));
  EXPECT_GE(historian.state().starts, 6U);
  std::vector<std::string> expected;
  for (int n = 1; n <= 300; ++n) expected.push_back(std::to_string(n));
  EXPECT_EQ(codes_in(folder.path() + "/history.db"), expected);
}

TEST(Historian, AHungProcessIsLeftAndTheDaemonNeverWaits) {
  const TempFolder folder;
  const std::string stuck = folder.write("stuck", "");
  HistorianOptions options = options_for(folder.path() + "/history.db");
  options.hang = milliseconds(200);
  options.queue_bytes = 20000;
  options.child.before_write = [stuck] {
    while (::access(stuck.c_str(), F_OK) == 0) ::usleep(1000);
  };
  Historian historian(options);
  historian.series("a", "");
  historian.series("b", "");
  milliseconds longest{0};
  const auto pump = [&] {
    const auto begin = steady_clock::now();
    historian.pump();
    longest = std::max(longest, std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin));
  };
  std::int64_t n = 0;
  while (historian.state().starts < 3 && n < 20000) {
    ++n;
    historian.tick(tick_number(n, n % 100 == 0));
    pump();
    ::usleep(500);
  }
  EXPECT_GE(historian.state().starts, 3U) << "it was replaced";
  EXPECT_GT(historian.state().dropped, 0U) << "what did not fit is counted";
  EXPECT_LE(historian.state().queued_bytes, options.queue_bytes);
  EXPECT_LT(longest.count(), 1000) << "it waits for nothing";
  ::unlink(stuck.c_str());
  ASSERT_TRUE(pump_until(
      historian, [&] { return historian.state().queued_bytes == 0 && historian.state().written > 0; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::Ok);
  const auto codes = codes_in(folder.path() + "/history.db");
  EXPECT_EQ(codes.at(0), "100") << "words go before values";
}

TEST(Historian, ReplacesAHungProcessNoOftenerThanAllowed) {
  const TempFolder folder;
  HistorianOptions options = options_for(folder.path() + "/history.db");
  options.restart = std::chrono::minutes(1);
  options.hang = std::chrono::seconds(10);
  options.child.before_write = [] { ::pause(); };
  Historian historian(options);
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().condition == HistoryCondition::Ok; }));
  historian.tick(tick_number(1));
  auto now = steady_clock::now();
  historian.pump(now);
  historian.pump(now + std::chrono::seconds(11));
  EXPECT_EQ(historian.state().condition, HistoryCondition::Hung);
  EXPECT_THAT(historian.state().message, HasSubstr("hangs"));
  EXPECT_EQ(historian.fd(), -1);
  const std::uint64_t question = historian.ask({});
  const auto answers = historian.take_answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].first, question);
  EXPECT_THAT(answers[0].second.error, HasSubstr("hangs"));
  historian.pump(now + std::chrono::seconds(50));
  EXPECT_EQ(historian.state().starts, 1U);
  historian.pump(now + std::chrono::seconds(61));
  EXPECT_EQ(historian.state().starts, 2U);
}

TEST(Historian, ADamagedFileIsSetAsideAndHistoryGoesOn) {
  const TempFolder folder;
  const std::string path = folder.write("history.db", std::string(20000, '#'));
  Historian historian(options_for(path));
  historian.series("a", "");
  historian.series("b", "");
  historian.tick(tick_number(1));
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written == 1; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::SetAside);
  EXPECT_THAT(historian.state().message, HasSubstr("history.db.corrupt-"));
  EXPECT_EQ(historian.state().lost, 0U);
  EXPECT_EQ(codes_in(path), std::vector<std::string>{"1"});
}

TEST(Historian, AFileThatIsDamagedWhileItIsWrittenIsSetAside) {
  const TempFolder folder;
  const std::string path = folder.path() + "/history.db";
  HistorianOptions options = options_for(path);
  options.child.upkeep = milliseconds(1);  // it looks at what it wrote long ago
  options.child.store.tiers[0].keep = std::chrono::seconds(300);
  Historian historian(options);
  const auto wide = [&](std::int64_t n) {  // more than the pages in memory hold
    HistoryTick tick = tick_number(n);
    for (std::uint32_t k = 2; k < 400; ++k)
      tick.values.emplace_back(k, static_cast<double>(k * 1000 + n % 7));
    return tick;
  };
  for (int k = 0; k < 400; ++k) historian.series(std::to_string(k), "");
  for (int n = 1; n <= 400; ++n) historian.tick(wide(n));
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written == 400; }));
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(400000, '\xee');
  }
  std::int64_t n = 400;
  ASSERT_TRUE(pump_until(historian, [&] {
    historian.tick(wide(++n));
    return historian.state().condition == HistoryCondition::SetAside || n > 20000;
  }));
  const auto now = static_cast<std::uint64_t>(n);
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written >= now; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::SetAside) << historian.state().message;
  EXPECT_FALSE(codes_in(path).empty());
}

TEST(Historian, AnotherProgramsFileIsRefused) {
  const TempFolder folder;
  const std::string path = folder.path() + "/other.db";
  {
    kit::SqliteOptions options;
    options.access = kit::SqliteAccess::Create;
    auto other = kit::SqliteDatabase::open(path, options);
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->execute("CREATE TABLE bookmarks(url TEXT)").ok());
  }
  const std::string before = read_file(path);
  Historian historian(options_for(path));
  historian.tick(tick_number(1));
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().lost == 1; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::Off);
  EXPECT_THAT(historian.state().message, HasSubstr("another program's database"));
  historian.finish(milliseconds(0));
  EXPECT_TRUE(read_file(path) == before);
}

TEST(Historian, TwoDaemonsDoNotWriteOneFile) {
  const TempFolder folder;
  const std::string path = folder.path() + "/history.db";
  Historian first(options_for(path));
  first.tick(tick_number(1));
  ASSERT_TRUE(pump_until(first, [&] { return first.state().written == 1; }));
  {
    Historian second(options_for(path));
    second.tick(tick_number(2));
    ASSERT_TRUE(pump_until(second, [&] { return second.state().lost == 1; }));
    EXPECT_THAT(second.state().message, HasSubstr("another gpuwright writes this history"));
    first.finish(milliseconds(0));
    std::int64_t n = 2;
    ASSERT_TRUE(pump_until(second, [&] {
      second.tick(tick_number(++n));
      return second.state().condition == HistoryCondition::Ok;
    }));
  }
  const auto codes = codes_in(path);
  ASSERT_GE(codes.size(), 2U);
  EXPECT_EQ(codes[0], "1");
  EXPECT_EQ(codes[1], "2") << "words are carried over what stood still";
}

TEST(Historian, ASmallDiskStopsHistoryAndRoomLetsItGoOn) {
  const TempFolder folder;
  const std::string disk = folder.path() + "/disk";
  ASSERT_EQ(::mkdir(disk.c_str(), 0700), 0);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  {
    Historian historian(options_for(disk + "/history.db"));
    historian.series("a", "");
    historian.series("b", "");
    historian.tick(tick_number(1));
    ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written == 1; }));
    {
      std::ofstream filler(disk + "/filler", std::ios::binary);
      for (int i = 0; i < 300 && filler.flush(); ++i) filler << std::string(4096, 'f');
    }
    std::int64_t n = 1;
    ASSERT_TRUE(pump_until(historian, [&] {
      historian.tick(tick_number(++n));
      return historian.state().condition == HistoryCondition::Full;
    })) << historian.state().message;
    EXPECT_THAT(historian.state().message, HasSubstr("history stands still"));
    EXPECT_GT(historian.state().lost, 0U);
    ::unlink((disk + "/filler").c_str());
    ASSERT_TRUE(pump_until(historian, [&] {
      historian.tick(tick_number(++n));
      return historian.state().condition == HistoryCondition::Ok;
    })) << historian.state().message;
    const auto sent = static_cast<std::uint64_t>(n);
    ASSERT_TRUE(pump_until(historian, [&] { return historian.state().written >= sent; }));
    EXPECT_EQ(codes_in(disk + "/history.db", "history"), std::vector<std::string>{"gap"});
    EXPECT_EQ(codes_in(disk + "/history.db").size(), static_cast<std::size_t>(n)) << "no word was lost";
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST(Historian, LeavesSomeOfTheDiskFree) {
  const TempFolder folder;
  HistorianOptions options = options_for(folder.path() + "/history.db");
  options.child.store.least_free_bytes = INT64_MAX;
  Historian historian(options);
  historian.tick(tick_number(1));
  ASSERT_TRUE(pump_until(historian, [&] { return historian.state().lost == 1; }));
  EXPECT_EQ(historian.state().condition, HistoryCondition::Full);
  EXPECT_THAT(historian.state().message, HasSubstr("stay free"));
}

}  // namespace
}  // namespace gpuwright::tests
