// SPDX-License-Identifier: Apache-2.0
#include "watch/history_store.h"

#include "watch/history_query.h"
#include "watch/history_schema.h"
#include "watch/history_upkeep.h"
#include "watch/history_words.h"
#include "watch/pack.h"

#include <fmt/core.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace gpuwright::watch {

namespace {

using base::ErrorKind;
using kit::SqliteStatement;
using model::HistoryEvent;

/// A clock that is slewed stays below this.
constexpr std::int64_t kClockStepMs = 1000;
/// What a time between two boots counts at most for the age of what is kept: nobody knows whether a clock
/// that differs was set or has run.
constexpr std::int64_t kMostBetweenBootsMs = std::int64_t{24} * 3600 * 1000;
/// The structure of a file is checked so long when it is opened.
constexpr std::chrono::seconds kCheckDeadline{10};

struct SeriesName {
  std::string metric;
  std::string uuid;
  std::int64_t id = 0;  ///< in the file; 0: not looked up yet
};

/// Where the last tick was.
struct Last {
  TickTime time;
  std::int64_t mono_ms = 0;
  std::int64_t boot = 0;
};

HistoryEvent clock_event(const HistoryTick& tick, std::int64_t step_ms) {
  HistoryEvent event;
  event.time_ms = tick.time_ms;
  event.boot_id = tick.boot_id;
  event.kind = "clock";
  event.code = step_ms < 0 ? "back" : "ahead";
  event.text = fmt::format("the clock was set {} by {:.1f} s: times before and after are not of one row",
                           event.code, std::abs(static_cast<double>(step_ms)) / 1000);
  return event;
}

}  // namespace

struct HistoryStore::State {
  State(kit::SqliteDatabase opened, HistoryOptions wanted, std::string where)
      : database(std::move(opened)), options(std::move(wanted)), path(std::move(where)) {}

  base::Status load();
  base::Status replay(std::size_t tier);
  base::Result<std::int64_t> boot_number(const std::string& boot);
  base::Result<std::int64_t> series_id(SeriesName& name);
  base::Result<std::vector<NumberedValue>> numbered(const HistoryTick& tick);
  base::Status room();
  TickTime time_of(const HistoryTick& tick, std::int64_t boot) const;
  std::optional<HistoryEvent> clock_step(const HistoryTick& tick, std::int64_t boot) const;
  base::Result<Last> write_all(const HistoryTick& tick);
  base::Status write_values(const HistoryTick& tick, const Last& now);
  base::Status write_closed();

  kit::SqliteDatabase database;
  HistoryOptions options;
  std::string path;
  std::vector<SeriesName> names;
  std::vector<OpenStep> steps;     ///< of the tiers behind the first
  std::vector<ClosedStep> closed;  ///< to be written with the next tick
  Last last;
  std::string boot_id;  ///< whose number is last.boot
  bool disk_full = false;
  std::int64_t slow_upkeep_ms = 0;
};

HistoryStore::HistoryStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
HistoryStore::HistoryStore(HistoryStore&&) noexcept = default;
HistoryStore& HistoryStore::operator=(HistoryStore&&) noexcept = default;
HistoryStore::~HistoryStore() = default;

base::Result<HistoryStore> HistoryStore::open(const std::string& path, const HistoryOptions& options) {
  GPUWRIGHT_TRY(kit::SqliteDatabase database, open_history(path));
  database.set_deadline(kCheckDeadline);
  const base::Status sound = database.check(true);
  database.set_deadline(std::chrono::milliseconds(0));
  if (!sound && sound.error().kind != ErrorKind::TimedOut) return sound.error();
  auto state = std::make_unique<State>(std::move(database), options, path);
  GPUWRIGHT_TRY([[maybe_unused]] const auto loaded, state->load());
  return HistoryStore(std::move(state));
}

/// Goes on where the last writer ended.
base::Status HistoryStore::State::load() {
  GPUWRIGHT_TRY(
      SqliteStatement row,
      database.prepare("SELECT tick, time_ms, elapsed_ms, mono_ms, ticks.boot, boots.boot FROM ticks "
                       "JOIN boots ON boots.id = ticks.boot ORDER BY tick DESC LIMIT 1"));
  GPUWRIGHT_TRY(const bool any, row.step());
  if (any) {
    last = {{row.integer(0), row.integer(1), row.integer(2)}, row.integer(3), row.integer(4)};
    boot_id = row.text(5);
  }
  for (std::size_t tier = 1; tier < options.tiers.size(); ++tier) {
    steps.emplace_back(tier, options.tiers[tier].step.count());
    GPUWRIGHT_TRY([[maybe_unused]] const auto replayed, replay(tier));
  }
  return base::Done{};
}

/// Makes the open step of a tier again from the ticks behind its last closed one.
base::Status HistoryStore::State::replay(std::size_t tier) {
  GPUWRIGHT_TRY(
      SqliteStatement newest,
      database.prepare("SELECT max(coalesce((SELECT max(id) - ?1 FROM rows WHERE id > ?1 AND id < ?2), 0), "
                       "coalesce((SELECT max(last_tick) FROM blocks WHERE tier = ?3), 0))"));
  newest.bind(1, row_id(tier, 0)).bind(2, row_id(tier + 1, 0)).bind(3, static_cast<std::int64_t>(tier));
  GPUWRIGHT_TRY([[maybe_unused]] const bool one, newest.step());
  GPUWRIGHT_TRY(
      SqliteStatement ticks,
      database.prepare("SELECT tick, time_ms, elapsed_ms, data FROM ticks WHERE tick > ? ORDER BY tick"));
  ticks.bind(1, newest.integer(0));
  std::vector<NumberedValue> values;
  while (true) {
    GPUWRIGHT_TRY(const bool more, ticks.step());
    if (!more) return base::Done{};
    values.clear();
    GPUWRIGHT_TRY(
        [[maybe_unused]] const auto read,
        unpack_values(ticks.bytes(3), [&](const NumberedValue& value) { values.push_back(value); }));
    auto over = steps.back().take({ticks.integer(0), ticks.integer(1), ticks.integer(2)}, values);
    if (over) closed.push_back(std::move(*over));
  }
}

void HistoryStore::name_series(std::uint32_t number, const std::string& metric, const std::string& uuid) {
  if (number >= kMostSeries) return;
  if (number >= state_->names.size()) state_->names.resize(number + 1);
  state_->names[number] = {metric, uuid, 0};
}

base::Result<std::int64_t> HistoryStore::State::boot_number(const std::string& boot) {
  if (last.boot != 0 && boot == boot_id) return last.boot;
  GPUWRIGHT_TRY(SqliteStatement insert, database.prepare("INSERT OR IGNORE INTO boots(boot) VALUES(?)"));
  GPUWRIGHT_TRY([[maybe_unused]] const auto inserted, insert.bind_text(1, boot).run());
  GPUWRIGHT_TRY(SqliteStatement find, database.prepare("SELECT id FROM boots WHERE boot = ?"));
  GPUWRIGHT_TRY([[maybe_unused]] const bool found, find.bind_text(1, boot).step());
  return find.integer(0);
}

base::Result<std::int64_t> HistoryStore::State::series_id(SeriesName& name) {
  if (name.id != 0 || name.metric.empty()) return name.id;
  GPUWRIGHT_TRY(SqliteStatement insert,
                database.prepare("INSERT OR IGNORE INTO series(metric, uuid) VALUES(?, ?)"));
  GPUWRIGHT_TRY([[maybe_unused]] const auto done,
                insert.bind_text(1, name.metric).bind_text(2, name.uuid).run());
  GPUWRIGHT_TRY(SqliteStatement find,
                database.prepare("SELECT id FROM series WHERE metric = ? AND uuid = ?"));
  GPUWRIGHT_TRY([[maybe_unused]] const bool found,
                find.bind_text(1, name.metric).bind_text(2, name.uuid).step());
  if (find.integer(0) < kBlockStride) name.id = find.integer(0);
  return name.id;
}

base::Result<std::vector<NumberedValue>> HistoryStore::State::numbered(const HistoryTick& tick) {
  std::vector<NumberedValue> values;
  values.reserve(tick.values.size());
  for (const auto& [number, value] : tick.values) {
    if (number >= names.size() || !std::isfinite(value)) continue;
    GPUWRIGHT_TRY(const std::int64_t id, series_id(names[number]));
    if (id != 0) values.push_back({id, value});
  }
  const auto before = [](const NumberedValue& a, const NumberedValue& b) { return a.series < b.series; };
  if (!std::is_sorted(values.begin(), values.end(), before))
    std::stable_sort(values.begin(), values.end(), before);
  const auto same = [](const NumberedValue& a, const NumberedValue& b) { return a.series == b.series; };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

/// History is not what fills a disk.
base::Status HistoryStore::State::room() {
  struct statvfs disk = {};
  disk_full = false;
  if (options.least_free_bytes <= 0 || ::statvfs(path.c_str(), &disk) != 0) return base::Done{};
  const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  if (free >= options.least_free_bytes) return base::Done{};
  disk_full = true;
  return base::make_error(ErrorKind::Io,
                          fmt::format("only {} MiB are left on the disk, fewer than {} that stay free",
                                      free >> 20, options.least_free_bytes >> 20),
                          path);
}

TickTime HistoryStore::State::time_of(const HistoryTick& tick, std::int64_t boot) const {
  std::int64_t passed = 0;
  if (last.time.tick > 0) {
    passed = boot == last.boot
                 ? tick.mono_ms - last.mono_ms
                 : std::clamp<std::int64_t>(tick.time_ms - last.time.time_ms, 0, kMostBetweenBootsMs);
  }
  return {last.time.tick + 1, tick.time_ms, last.time.elapsed_ms + passed};
}

std::optional<HistoryEvent> HistoryStore::State::clock_step(const HistoryTick& tick,
                                                            std::int64_t boot) const {
  if (last.time.tick == 0) return std::nullopt;
  const std::int64_t wall = tick.time_ms - last.time.time_ms;
  if (boot != last.boot) {
    if (wall >= 0) return std::nullopt;
    return clock_event(tick, wall);
  }
  const std::int64_t step = wall - (tick.mono_ms - last.mono_ms);
  if (std::abs(step) < kClockStepMs) return std::nullopt;
  return clock_event(tick, step);
}

base::Status HistoryStore::State::write_values(const HistoryTick& tick, const Last& now) {
  GPUWRIGHT_TRY(const std::vector<NumberedValue> values, numbered(tick));
  GPUWRIGHT_TRY(SqliteStatement insert,
                database.prepare("INSERT INTO ticks(tick, time_ms, mono_ms, elapsed_ms, boot, data) "
                                 "VALUES(?, ?, ?, ?, ?, ?)"));
  insert.bind(1, now.time.tick).bind(2, now.time.time_ms).bind(3, now.mono_ms).bind(4, now.time.elapsed_ms);
  GPUWRIGHT_TRY([[maybe_unused]] const auto inserted,
                insert.bind(5, now.boot).bind_blob(6, pack_values(values)).run());
  for (OpenStep& step : steps) {
    auto over = step.take(now.time, values);
    if (over) closed.push_back(std::move(*over));
  }
  return write_closed();
}

base::Status HistoryStore::State::write_closed() {
  for (const ClosedStep& step : closed) {
    GPUWRIGHT_TRY(
        SqliteStatement insert,
        database.prepare("INSERT OR REPLACE INTO rows(id, first_tick, time_ms, step_ms, elapsed_ms, data) "
                         "VALUES(?, ?, ?, ?, ?, ?)"));
    insert.bind(1, row_id(step.tier, step.last_tick)).bind(2, step.first_tick).bind(3, step.time_ms);
    insert.bind(4, steps[step.tier - 1].step_ms()).bind(5, step.elapsed_ms).bind_blob(6, step.data);
    GPUWRIGHT_TRY([[maybe_unused]] const auto inserted, insert.run());
  }
  closed.clear();
  return base::Done{};
}

base::Result<Last> HistoryStore::State::write_all(const HistoryTick& tick) {
  Last now = last;
  GPUWRIGHT_TRY(now.boot, boot_number(tick.boot_id));
  now.time = time_of(tick, now.boot);
  now.mono_ms = tick.mono_ms;
  GPUWRIGHT_TRY([[maybe_unused]] const auto values, write_values(tick, now));
  HistoryWords words{database, now.time.tick, now.time.elapsed_ms};
  if (const auto step = clock_step(tick, now.boot)) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto told, words.write(*step));
  }
  GPUWRIGHT_TRY([[maybe_unused]] const auto written, words.write_all(tick));
  return now;
}

base::Result<std::int64_t> HistoryStore::write(const HistoryTick& tick) {
  State& state = *state_;
  const bool same_boot = state.last.boot != 0 && tick.boot_id == state.boot_id;
  if (same_boot && tick.mono_ms <= state.last.mono_ms) return state.last.time.tick;
  GPUWRIGHT_TRY([[maybe_unused]] const auto room, state.room());
  const bool tells = tick.tells();
  if (tells) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto set, state.database.execute("PRAGMA synchronous=FULL"));
  }
  GPUWRIGHT_TRY([[maybe_unused]] const auto begun, state.database.begin());
  const base::Result<Last> now = state.write_all(tick);
  base::Status written = now ? state.database.commit() : base::Status(now.error());
  if (!written) {
    state.disk_full = state.database.full();
    state.database.rollback();
    return std::move(written).error();
  }
  state.last = *now;
  state.boot_id = tick.boot_id;
  if (tells) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto set, state.database.execute("PRAGMA synchronous=NORMAL"));
  }
  return state.last.time.tick;
}

base::Status HistoryStore::maintain() {
  constexpr std::int64_t kHourMs = std::int64_t{3600} * 1000;
  State& state = *state_;
  const std::int64_t now = state.last.time.elapsed_ms;
  const bool slow = now >= state.slow_upkeep_ms;
  if (slow) state.slow_upkeep_ms = now + kHourMs;
  base::Status kept = keep_up(state.database, state.options, now, slow);
  if (!kept) {
    state.disk_full = state.database.full();
    state.database.rollback();
  }
  return kept;
}

base::Result<model::HistoryAnswer> HistoryStore::ask(const model::HistoryQuery& query) {
  return ask_history(state_->database, query);
}

base::Result<std::int64_t> HistoryStore::used_bytes() {
  return used_history_bytes(state_->database);
}

bool HistoryStore::full() const {
  return state_->disk_full;
}

kit::SqliteDatabase& HistoryStore::database() {
  return state_->database;
}

}  // namespace gpuwright::watch
