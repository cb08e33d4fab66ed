// The history's file: what was written is there, spikes survive, clocks may jump, and it stays within bounds.
// SPDX-License-Identifier: Apache-2.0
#include "watch/history_store.h"

#include "base/files.h"
#include "watch/history_query.h"
#include "watch/history_schema.h"

#include "support/paths.h"
#include "support/run.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using model::HistoryQuery;
using model::HistoryTopic;
using watch::HistoryOptions;
using watch::HistoryStore;
using watch::HistoryTick;

constexpr std::int64_t kBegin = 1'796'000'000'000;

/// Writes a tick a second; each test says what is in it.
class Writer {
 public:
  explicit Writer(HistoryOptions options = {}) : options_(std::move(options)) {
    options_.least_free_bytes = 0;
    reopen();
  }

  void reopen() {
    store_.reset();
    auto store = HistoryStore::open(path(), options_);
    ASSERT_TRUE(store.ok()) << store.error().text();
    store_ = std::make_unique<HistoryStore>(std::move(*store));
    store_->name_series(0, "temperature_celsius", "GPU-0");
    store_->name_series(1, "temperature_celsius", "GPU-1");
    store_->name_series(2, "power_watts", "GPU-0");
  }

  void tick(double temperature) {
    HistoryTick tick = at_now();
    tick.values = {{0, temperature}, {1, temperature + 1}, {2, 300.5}};
    write(tick);
  }
  HistoryTick at_now() const {
    HistoryTick tick;
    tick.time_ms = wall_ms;
    tick.mono_ms = mono_ms;
    tick.boot_id = boot;
    return tick;
  }
  void write(const HistoryTick& tick) {
    const auto written = store_->write(tick);
    ASSERT_TRUE(written.ok()) << written.error().text();
    wall_ms += step_ms;
    mono_ms += step_ms;
  }
  model::HistoryAnswer ask(HistoryTopic topic, std::int64_t limit = 100000) {
    HistoryQuery query;
    query.topic = topic;
    query.metric = "temperature_celsius";
    query.limit = limit;
    return ask(query);
  }
  model::HistoryAnswer ask(const HistoryQuery& query) {
    auto answer = store_->ask(query);
    EXPECT_TRUE(answer.ok()) << answer.error().text();
    return answer.value_or({});
  }
  HistoryStore& store() { return *store_; }
  std::string path() const { return folder_.path() + "/history.db"; }

  std::int64_t wall_ms = kBegin;
  std::int64_t mono_ms = 1000;
  std::int64_t step_ms = 1000;
  std::string boot = "boot-1";

 private:
  TempFolder folder_;
  HistoryOptions options_;
  std::unique_ptr<HistoryStore> store_;
};

HistoryOptions small_tiers() {
  HistoryOptions options;
  options.tiers = {{std::chrono::seconds(1), std::chrono::seconds(60)},
                   {std::chrono::seconds(10), std::chrono::seconds(600)},
                   {std::chrono::seconds(30), std::chrono::hours(2)}};
  options.rows_in_chunk = 20;
  return options;
}

TEST(HistoryStore, WordsComeBackAsTheyWere) {
  Writer writer;
  HistoryTick tick = writer.at_now();
  tick.events = {
      {kBegin, "boot-1", "xid", "GPU-0", "0000:3b:00.0", "79", "fell off", model::Origin::Verified, 3},
      {kBegin, "boot-1", "xid", "", "", "48", "written by a user", model::Origin::Unverified, 1}};
  tick.incidents = {{"i1",
                     "gpu-lost",
                     "GPU-0",
                     "critical",
                     kBegin,
                     std::nullopt,
                     "",
                     {"line 1", "line 2"},
                     "",
                     "",
                     {},
                     ""}};
  tick.incidents[0].device = "0000:3b:00";
  tick.incidents[0].title = "GPU 0 is lost";
  tick.incidents[0].params = {{"gpu", "0"}, {"xid", "79"}};
  tick.incidents[0].boot_id = "boot-1";
  tick.changes = {{kBegin, "GPU-0", "health", "ok", "failed", "Xid 79"}};
  tick.jobs = {{"slurm", "42", "ada", "gpu", {"GPU-0", "GPU-1"}, kBegin, std::nullopt}};
  writer.write(tick);
  EXPECT_EQ(writer.ask(HistoryTopic::Events).events, tick.events);
  EXPECT_EQ(writer.ask(HistoryTopic::Incidents).incidents, tick.incidents);
  EXPECT_EQ(writer.ask(HistoryTopic::Changes).changes, tick.changes);
  EXPECT_EQ(writer.ask(HistoryTopic::Jobs).jobs, tick.jobs);

  HistoryTick later = writer.at_now();
  later.incidents = tick.incidents;
  later.incidents[0].end_ms = kBegin + 5000;
  later.incidents[0].ended_by = "reset";
  later.jobs = tick.jobs;
  later.jobs[0].end_ms = kBegin + 9000;
  writer.write(later);
  writer.reopen();
  EXPECT_EQ(writer.ask(HistoryTopic::Incidents).incidents, later.incidents);
  EXPECT_EQ(writer.ask(HistoryTopic::Jobs).jobs, later.jobs);

  HistoryQuery query;
  query.topic = HistoryTopic::Jobs;
  query.uuid = "GPU-7";
  EXPECT_TRUE(writer.ask(query).jobs.empty());
  query.topic = HistoryTopic::Events;
  query.uuid = "GPU-0";
  EXPECT_EQ(writer.ask(query).events.size(), 1U);
  query = {};
  query.limit = 1;
  const auto cut = writer.ask(query);
  EXPECT_TRUE(cut.cut);
  ASSERT_EQ(cut.events.size(), 1U);
  EXPECT_EQ(cut.events[0].code, "48") << "the newest stay";
}

TEST(HistoryStore, HostileTextIsMadePrintable) {
  Writer writer;
  HistoryTick tick = writer.at_now();
  tick.events = {{kBegin, "boot-1", "xid", "", "", "1", "a\x1b[2Jb" + std::string(100000, 'x'), {}, 1}};
  writer.write(tick);
  const std::string text = writer.ask(HistoryTopic::Events).events.at(0).text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 2100U);
}

TEST(HistoryStore, ASpikeOfOneSecondSurvivesAllTiers) {
  Writer writer(small_tiers());
  for (int i = 0; i < 3000; ++i) {
    writer.tick(i == 100 ? 95 : 40);
    if (i % 20 == 0) {
      ASSERT_TRUE(writer.store().maintain().ok());
    }
    if (i % 777 == 0) writer.reopen();
  }
  const auto answer = writer.ask(HistoryTopic::Series);
  ASSERT_EQ(answer.series.size(), 2U);
  const auto& buckets = answer.series[0].buckets;
  const auto hottest = std::max_element(buckets.begin(), buckets.end(),
                                        [](const auto& a, const auto& b) { return a.max < b.max; });
  EXPECT_EQ(hottest->max, 95);
  EXPECT_EQ(hottest->min, 40);
  EXPECT_NEAR(hottest->mean, 40 + 55.0 / 30, 0.01) << "a second of thirty";
  for (std::size_t at = 1; at < buckets.size(); ++at) {
    EXPECT_GT(buckets[at].time_ms, buckets[at - 1].time_ms);
    EXPECT_LE(buckets[at].time_ms - buckets[at - 1].time_ms, 30000) << "no hole between tiers at " << at;
  }
  EXPECT_LE(buckets.front().time_ms, kBegin);
  EXPECT_EQ(buckets.back().time_ms, kBegin + 2999 * 1000);
}

TEST(HistoryStore, AnswersFitTheLimit) {
  Writer writer(small_tiers());
  for (int i = 0; i < 1000; ++i) {
    writer.tick(i);
    if (i % 20 == 0) {
      ASSERT_TRUE(writer.store().maintain().ok());
    }
  }
  for (const std::int64_t limit : {1, 5, 30, 200}) {
    const auto series = writer.ask(HistoryTopic::Series, limit).series.at(0);
    EXPECT_LE(series.buckets.size(), static_cast<std::size_t>(limit) + 1) << limit;
    double max = 0;
    for (const auto& bucket : series.buckets) max = std::max(max, bucket.max);
    EXPECT_EQ(max, 999) << "the newest values are in it";
    EXPECT_EQ(series.buckets.front().min, 0);
  }
  HistoryQuery query;
  query.topic = HistoryTopic::Series;
  query.metric = "temperature_celsius";
  query.uuid = "GPU-1";
  query.since_ms = kBegin + 950'000;
  query.until_ms = kBegin + 959'000;
  const auto part = writer.ask(query).series;
  ASSERT_EQ(part.size(), 1U);
  ASSERT_EQ(part[0].buckets.size(), 10U);
  EXPECT_EQ(part[0].step_ms, 1000);
  EXPECT_EQ(part[0].buckets[0].mean, 951);
}

TEST(HistoryStore, StepsThatWereOpenAreWholeAfterARestart) {
  HistoryOptions options = small_tiers();
  Writer writer(options);
  for (int i = 0; i < 65; ++i) {
    writer.tick(i);
    writer.reopen();
  }
  HistoryQuery query;
  query.topic = HistoryTopic::Series;
  query.metric = "temperature_celsius";
  query.uuid = "GPU-0";
  query.limit = 3;
  const auto buckets = writer.ask(query).series.at(0).buckets;
  ASSERT_GE(buckets.size(), 2U);
  std::int64_t begin = kBegin - kBegin % 30000;
  const double first_seconds = static_cast<double>((begin + 30000 - kBegin) / 1000);
  EXPECT_EQ(buckets[0].min, 0);
  EXPECT_EQ(buckets[0].max, first_seconds - 1);
  EXPECT_NEAR(buckets[0].mean, (first_seconds - 1) / 2, 0.01);
}

TEST(HistoryStore, ATickIsWrittenOnce) {
  Writer writer;
  const HistoryTick tick = [&] {
    HistoryTick one = writer.at_now();
    one.events = {{kBegin, "boot-1", "xid", "", "", "79", "x", {}, 1}};
    return one;
  }();
  ASSERT_EQ(writer.store().write(tick).value_or(0), 1);
  writer.reopen();
  EXPECT_EQ(writer.store().write(tick).value_or(0), 1);
  EXPECT_EQ(writer.ask(HistoryTopic::Events).events.size(), 1U);
}

TEST(HistoryStore, AClockThatJumpsRemovesNothingAndIsTold) {
  Writer writer(small_tiers());
  for (int i = 0; i < 50; ++i) writer.tick(10);
  writer.wall_ms -= 3600 * 1000;  // set back by an hour
  for (int i = 0; i < 50; ++i) writer.tick(20);
  writer.wall_ms += std::int64_t{20} * 365 * 86400 * 1000;  // ahead by twenty years
  for (int i = 0; i < 50; ++i) {
    writer.tick(30);
    ASSERT_TRUE(writer.store().maintain().ok());
  }
  const auto events = writer.ask(HistoryTopic::Events).events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind + events[0].code, "clockback");
  EXPECT_EQ(events[1].code, "ahead");
  const auto buckets = writer.ask(HistoryTopic::Series).series.at(0).buckets;
  std::vector<double> means;
  for (const auto& bucket : buckets) {
    if (means.empty() || means.back() != bucket.mean) means.push_back(bucket.mean);
  }
  EXPECT_EQ(means, (std::vector<double>{10, 20, 30})) << "in the order of writing, and nothing was removed";
}

TEST(HistoryStore, AClockThatIsSlewedIsNotTold) {
  Writer writer;
  for (int i = 0; i < 100; ++i) {
    writer.tick(1);
    writer.wall_ms += i % 2 == 0 ? 300 : -300;
  }
  EXPECT_TRUE(writer.ask(HistoryTopic::Events).events.empty());
}

TEST(HistoryStore, ABootWithAnEarlierClockIsTold) {
  Writer writer;
  writer.tick(1);
  writer.boot = "boot-2";
  writer.mono_ms = 5;
  writer.wall_ms -= 100'000;
  writer.tick(2);
  const auto events = writer.ask(HistoryTopic::Events).events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].code, "back");
}

TEST(HistoryStore, OldValuesGoAndTheRestStays) {
  Writer writer(small_tiers());
  for (int i = 0; i < 8000; ++i) {
    writer.tick(i);
    if (i % 30 == 0) {
      ASSERT_TRUE(writer.store().maintain().ok());
    }
  }
  ASSERT_TRUE(writer.store().maintain().ok());
  auto& database = writer.store().database();
  EXPECT_LE(database.number("SELECT count(*) FROM ticks").value_or(-1), 61);
  const auto rows = database.number("SELECT count(*) FROM rows").value_or(-1);
  EXPECT_LE(rows, 40);
  const auto buckets = writer.ask(HistoryTopic::Series).series.at(0).buckets;
  const std::int64_t kept_ms = writer.wall_ms - buckets.front().time_ms;
  EXPECT_GE(kept_ms, 7200 * 1000);
  EXPECT_LE(kept_ms, (7200 + 20 * 30 + 60) * 1000) << "no more than a block beyond what is kept";
  EXPECT_TRUE(database.check(false).ok());
}

TEST(HistoryStore, TheFileStaysWithinItsSizeOldestFirst) {
  HistoryOptions options = small_tiers();
  options.tiers[1].keep = options.tiers[2].keep = std::chrono::hours(24 * 365);
  options.most_bytes = 100 * 1024;
  Writer writer(options);
  for (int i = 0; i < 12000; ++i) {
    writer.tick(i * 7919 % 1000 + i % 7 * 0.001);
    if (i % 60 == 0) {
      ASSERT_TRUE(writer.store().maintain().ok());
    }
  }
  ASSERT_TRUE(writer.store().maintain().ok());
  EXPECT_LE(writer.store().used_bytes().value_or(INT64_MAX), options.most_bytes);
  const auto buckets = writer.ask(HistoryTopic::Series).series.at(0).buckets;
  EXPECT_GT(buckets.front().time_ms, kBegin + 60'000) << "what is oldest went";
  EXPECT_EQ(buckets.back().time_ms, kBegin + 11999 * 1000) << "what is newest stayed";
  EXPECT_TRUE(writer.store().database().check(false).ok());
}

TEST(HistoryStore, AStormOfEventsIsCapped) {
  HistoryOptions options;
  options.most_events = 500;
  Writer writer(options);
  for (int i = 0; i < 20; ++i) {
    HistoryTick tick = writer.at_now();
    for (int k = 0; k < 100; ++k)
      tick.events.push_back({kBegin, "b", "xid", "", "", std::to_string(i * 100 + k), "storm", {}, 1});
    writer.write(tick);
  }
  ASSERT_TRUE(writer.store().maintain().ok());
  const auto events = writer.ask(HistoryTopic::Events).events;
  ASSERT_EQ(events.size(), 500U);
  EXPECT_EQ(events.front().code, "1500");
  EXPECT_EQ(events.back().code, "1999");
}

TEST(HistoryStore, TellsWhatADaemonNeedsThatStartsAnew) {
  Writer writer;
  HistoryTick tick = writer.at_now();
  const auto xid = [&](const char* boot, const char* uuid, const char* code, std::int64_t time_ms) {
    return model::HistoryEvent{time_ms, boot, "xid", uuid, "", code, "text", model::Origin::Verified, 2};
  };
  tick.events = {xid("boot-1", "GPU-0", "79", 5), xid("boot-1", "GPU-0", "79", 9),
                 xid("boot-1", "GPU-1", "79", 7), xid("boot-0", "GPU-0", "79", 3)};
  tick.events.push_back(xid("boot-1", "GPU-0", "48", 8));
  tick.events.back().origin = model::Origin::Unverified;
  tick.changes = {{1, "host", "driver", "", "570", ""},
                  {2, "GPU-0", "presence", "", "answers", ""},
                  {3, "host", "driver", "570", "575", ""}};
  writer.write(tick);
  HistoryQuery query;
  query.topic = HistoryTopic::EventCounts;
  query.metric = "xid";
  query.boot_id = "boot-1";
  const auto counted = writer.store().ask(query);
  ASSERT_TRUE(counted.ok());
  ASSERT_EQ(counted->events.size(), 2U) << "those of this boot that the kernel told";
  EXPECT_EQ(counted->events[0].uuid + "/" + counted->events[1].uuid, "GPU-0/GPU-1");
  EXPECT_EQ(counted->events[0].count, 4);
  EXPECT_EQ(counted->events[0].time_ms, 9);
  EXPECT_EQ(counted->newest_ms, tick.time_ms);
  EXPECT_EQ(counted->newest_boot, writer.boot);
  const auto states = writer.ask(HistoryTopic::LastStates).changes;
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].to + "/" + states[1].to, "answers/575");
}

TEST(HistoryStore, AFileOfTheFirstTablesIsBroughtUpToDate) {
  Writer writer;
  HistoryTick tick = writer.at_now();
  tick.incidents = {
      {"i1", "gpu-lost", "GPU-0", "critical", kBegin, std::nullopt, "", {"line"}, "", "", {}, ""}};
  writer.write(tick);
  ASSERT_TRUE(
      writer.store()
          .database()
          .execute("ALTER TABLE incidents DROP COLUMN device; ALTER TABLE incidents DROP COLUMN title;"
                   "ALTER TABLE incidents DROP COLUMN params; ALTER TABLE incidents DROP COLUMN boot;"
                   "PRAGMA user_version = 1")
          .ok());
  writer.reopen();
  EXPECT_EQ(writer.ask(HistoryTopic::Incidents).incidents, tick.incidents);
}

TEST(HistoryStore, FilesOfOthersAreRefusedAndNotTouched) {
  const TempFolder folder;
  const std::string path = folder.path() + "/other.db";
  {
    kit::SqliteOptions options;
    options.access = kit::SqliteAccess::Create;
    auto other = kit::SqliteDatabase::open(path, options);
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->execute("PRAGMA journal_mode=DELETE; CREATE TABLE bookmarks(url TEXT);").ok());
  }
  const std::string before = read_file(path);
  const auto refused = HistoryStore::open(path, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  EXPECT_TRUE(read_file(path) == before) << "it is as it was";
  EXPECT_EQ(watch::open_history_for_reading(path).error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(HistoryStore::open(folder.path(), {}).error().kind, ErrorKind::Unsupported) << "a folder";
}

TEST(HistoryStore, ANewerFileIsRefusedAndAWrongSchemaIsDamage) {
  Writer writer;
  ASSERT_TRUE(writer.store().database().execute("PRAGMA user_version = 99").ok());
  const auto newer = HistoryStore::open(writer.path(), {});
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(newer.error().message.find("newer gpuwright"), std::string::npos);
  ASSERT_TRUE(writer.store().database().execute("PRAGMA user_version = 1; DROP TABLE events").ok());
  EXPECT_EQ(HistoryStore::open(writer.path(), {}).error().kind, ErrorKind::Malformed);
}

TEST(HistoryStore, DamagedFilesAreFoundAndCanBeSetAside) {
  Writer writer;
  for (int i = 0; i < 300; ++i) writer.tick(i);
  ASSERT_TRUE(writer.store().database().execute("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  const std::string whole = read_file(writer.path());
  ASSERT_GT(whole.size(), 40000U);
  const TempFolder folder;
  std::string garbage = whole;
  for (std::size_t at = 8192; at < garbage.size(); at += 3) garbage[at] = static_cast<char>(at * 31);
  const std::vector<std::string> damaged = {whole.substr(0, whole.size() / 2), garbage,
                                            std::string(9000, '?'), whole.substr(0, 50)};
  for (std::size_t at = 0; at < damaged.size(); ++at) {
    const std::string path = folder.write("history.db", damaged[at]);
    const auto opened = HistoryStore::open(path, {});
    ASSERT_FALSE(opened.ok()) << at;
    EXPECT_EQ(opened.error().kind, ErrorKind::Malformed) << at << ": " << opened.error().text();
    const auto name = watch::set_aside(path, 1'796'000'000);
    ASSERT_TRUE(name.ok()) << name.error().text();
    EXPECT_NE(name->find("history.db.corrupt-20261130T"), std::string::npos) << *name;
    EXPECT_TRUE(read_file(*name) == damaged[at]) << at << ": it is kept as it was";
    EXPECT_TRUE(HistoryStore::open(path, {}).ok());
  }
  std::size_t kept = 0;
  for (const std::string& name : base::list_directory(folder.path()).value_or({}))
    kept += name.find(".corrupt-") != std::string::npos && !name.ends_with("-wal") ? 1 : 0;
  EXPECT_EQ(kept, 3U) << "only the newest three";
}

TEST(HistoryStore, OthersReadWhileItIsWritten) {
  Writer writer;
  for (int i = 0; i < 100; ++i) {
    writer.tick(i);
    auto reader = watch::open_history_for_reading(writer.path());
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    HistoryQuery query;
    query.topic = HistoryTopic::Series;
    query.metric = "temperature_celsius";
    query.uuid = "GPU-0";
    const auto answer = watch::ask_history(*reader, query);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->series.at(0).buckets.size(), static_cast<std::size_t>(i) + 1);
  }
}

TEST(HistoryStore, TheFileIsNotForEverybody) {
  const Writer writer;
  struct stat status = {};
  ASSERT_EQ(::stat(writer.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0007U, 0U);
}

}  // namespace
}  // namespace gpuwright::tests
