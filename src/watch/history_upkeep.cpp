// SPDX-License-Identifier: Apache-2.0
#include "watch/history_upkeep.h"

#include "watch/history_chunks.h"
#include "watch/history_schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::watch {

namespace {

using kit::SqliteDatabase;
using kit::SqliteStatement;
using model::SeriesBucket;

/// Series that are packed at once: their steps are in memory meanwhile.
constexpr std::int64_t kSeriesAtOnce = 32;
/// Rows of one block lie no further apart than so many steps.
constexpr std::int64_t kMostStepsInBlock = 10000;

/// Rows that become one block: their steps ascend.
struct Stretch {
  std::size_t tier = 0;
  std::int64_t first_id = 0, last_id = 0;  ///< of the rows
  std::int64_t first_tick = 0;
  std::int64_t time_ms = 0, last_time_ms = 0;
  std::int64_t step_ms = 0;
  std::int64_t elapsed_ms = 0;
  std::int64_t rows = 0;
};

base::Status in_transaction(SqliteDatabase& database, const std::function<base::Status()>& work) {
  GPUWRIGHT_TRY([[maybe_unused]] const auto begun, database.begin());
  base::Status done = work();
  if (done) done = database.commit();
  if (!done) database.rollback();
  return done;
}

base::Result<Stretch> oldest_stretch(SqliteDatabase& database, std::size_t tier, std::int64_t most_rows) {
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT id, first_tick, time_ms, step_ms, elapsed_ms FROM rows "
                                 "WHERE id > ? AND id < ? ORDER BY id LIMIT ?"));
  row.bind(1, row_id(tier, 0)).bind(2, row_id(tier + 1, 0)).bind(3, most_rows);
  Stretch stretch;
  stretch.tier = tier;
  while (true) {
    GPUWRIGHT_TRY(const bool more, row.step());
    if (!more) return stretch;
    const std::int64_t time = row.integer(2);
    const std::int64_t step = row.integer(3);
    if (stretch.rows == 0) {
      stretch.first_id = row.integer(0);
      stretch.first_tick = row.integer(1);
      stretch.time_ms = time;
      stretch.step_ms = step;
    } else if (time <= stretch.last_time_ms || step != stretch.step_ms ||
               (time - stretch.time_ms) / step >= kMostStepsInBlock) {
      return stretch;
    }
    stretch.last_id = row.integer(0);
    stretch.last_time_ms = time;
    stretch.elapsed_ms = row.integer(4);
    ++stretch.rows;
  }
}

/// The steps of some series of the stretch, by series.
base::Result<std::map<std::int64_t, std::vector<SeriesBucket>>> steps_of(SqliteDatabase& database,
                                                                         const Stretch& stretch,
                                                                         std::int64_t first_series) {
  std::map<std::int64_t, std::vector<SeriesBucket>> steps;
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT time_ms, data FROM rows WHERE id >= ? AND id <= ? ORDER BY id"));
  row.bind(1, stretch.first_id).bind(2, stretch.last_id);
  while (true) {
    GPUWRIGHT_TRY(const bool more, row.step());
    if (!more) return steps;
    const std::int64_t time = row.integer(0);
    GPUWRIGHT_TRY([[maybe_unused]] const auto read,
                  unpack_ranges(row.bytes(1), [&](const NumberedRange& one) {
                    if (one.series < first_series || one.series >= first_series + kSeriesAtOnce) return;
                    steps[one.series].push_back({time, one.range.min, one.range.mean, one.range.max});
                  }));
  }
}

base::Result<std::int64_t> write_block(SqliteDatabase& database, const Stretch& stretch) {
  GPUWRIGHT_TRY(
      SqliteStatement insert,
      database.prepare("INSERT INTO blocks(tier, first_tick, last_tick, time_ms, last_time_ms, step_ms, "
                       "elapsed_ms) VALUES(?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(1, static_cast<std::int64_t>(stretch.tier)).bind(2, stretch.first_tick);
  insert.bind(3, stretch.last_id - row_id(stretch.tier, 0))
      .bind(4, stretch.time_ms)
      .bind(5, stretch.last_time_ms);
  GPUWRIGHT_TRY([[maybe_unused]] const auto inserted,
                insert.bind(6, stretch.step_ms).bind(7, stretch.elapsed_ms).run());
  return database.number("SELECT last_insert_rowid()");
}

base::Status write_chunks(SqliteDatabase& database, const Stretch& stretch, std::int64_t block) {
  GPUWRIGHT_TRY(const std::int64_t series, database.number("SELECT coalesce(max(id), 0) FROM series"));
  GPUWRIGHT_TRY(SqliteStatement insert, database.prepare("INSERT INTO chunks(id, data) VALUES(?, ?)"));
  for (std::int64_t first = 0; first <= series; first += kSeriesAtOnce) {
    GPUWRIGHT_TRY(const auto steps, steps_of(database, stretch, first));
    for (const auto& [number, buckets] : steps) {
      insert.bind(1, block * kBlockStride + number);
      insert.bind_blob(2, pack_chunk(buckets, stretch.time_ms, stretch.step_ms));
      GPUWRIGHT_TRY([[maybe_unused]] const auto inserted, insert.run());
    }
  }
  return base::Done{};
}

base::Status pack_stretch(SqliteDatabase& database, const Stretch& stretch) {
  GPUWRIGHT_TRY(const std::int64_t block, write_block(database, stretch));
  GPUWRIGHT_TRY([[maybe_unused]] const auto packed, write_chunks(database, stretch, block));
  GPUWRIGHT_TRY(SqliteStatement remove, database.prepare("DELETE FROM rows WHERE id >= ? AND id <= ?"));
  return remove.bind(1, stretch.first_id).bind(2, stretch.last_id).run();
}

base::Status pack_tier(SqliteDatabase& database, std::size_t tier, std::int64_t rows_in_chunk) {
  while (true) {
    GPUWRIGHT_TRY(SqliteStatement count,
                  database.prepare("SELECT count(*) FROM rows WHERE id > ? AND id < ?"));
    GPUWRIGHT_TRY([[maybe_unused]] const bool one,
                  count.bind(1, row_id(tier, 0)).bind(2, row_id(tier + 1, 0)).step());
    if (count.integer(0) < rows_in_chunk) return base::Done{};
    count.reset();
    GPUWRIGHT_TRY(const Stretch stretch, oldest_stretch(database, tier, rows_in_chunk));
    GPUWRIGHT_TRY([[maybe_unused]] const auto packed,
                  in_transaction(database, [&] { return pack_stretch(database, stretch); }));
  }
}

base::Status remove_block(SqliteDatabase& database, std::int64_t block) {
  return database.execute(
      fmt::format("DELETE FROM chunks WHERE id >= {} AND id < {}; DELETE FROM blocks WHERE id = {};",
                  block * kBlockStride, (block + 1) * kBlockStride, block));
}

/// Rows whose age only grows with their number: all before the first that is young enough.
base::Status remove_aged(SqliteDatabase& database, const std::string& table, const std::string& key,
                         const std::string& within, std::int64_t oldest) {
  return database.execute(fmt::format(
      "DELETE FROM {0} WHERE {2} AND {1} < coalesce((SELECT {1} FROM {0} WHERE {2} AND elapsed_ms >= {3} "
      "ORDER BY {1} LIMIT 1), {4});",
      table, key, within, oldest, INT64_MAX));
}

base::Status remove_old_steps(SqliteDatabase& database, const HistoryOptions& options, std::int64_t now) {
  GPUWRIGHT_TRY([[maybe_unused]] const auto ticks,
                remove_aged(database, "ticks", "tick", "1", now - options.tiers[0].keep.count()));
  for (std::size_t tier = 1; tier < options.tiers.size(); ++tier) {
    const std::int64_t oldest = now - options.tiers[tier].keep.count();
    const std::string within = fmt::format("id > {} AND id < {}", row_id(tier, 0), row_id(tier + 1, 0));
    GPUWRIGHT_TRY([[maybe_unused]] const auto rows, remove_aged(database, "rows", "id", within, oldest));
    while (true) {
      const auto block = database.number(
          fmt::format("SELECT id FROM blocks WHERE tier = {} AND elapsed_ms < {} LIMIT 1", tier, oldest));
      if (!block && block.error().kind != base::ErrorKind::NotFound) return block.error();
      if (!block) break;
      GPUWRIGHT_TRY([[maybe_unused]] const auto removed, remove_block(database, *block));
    }
  }
  return base::Done{};
}

base::Status remove_old_words(SqliteDatabase& database, const HistoryOptions& options, std::int64_t now) {
  const std::int64_t oldest = now - options.keep_events.count();
  for (const char* table : {"events", "changes", "incidents", "jobs"}) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto aged,
                  database.execute(fmt::format("DELETE FROM {} WHERE elapsed_ms < {};", table, oldest)));
    GPUWRIGHT_TRY(
        [[maybe_unused]] const auto many,
        database.execute(fmt::format("DELETE FROM {0} WHERE rowid IN (SELECT rowid FROM {0} ORDER BY tick "
                                     "DESC, rowid DESC LIMIT -1 OFFSET {1});",
                                     table, options.most_events)));
  }
  return base::Done{};
}

/// Of events alone the newest stay in between: a storm may bring more in a minute than the hour allows.
base::Status remove_many_events(SqliteDatabase& database, const HistoryOptions& options) {
  return database.execute(fmt::format(
      "DELETE FROM events WHERE id <= (SELECT coalesce(max(id), 0) FROM events) - {};", options.most_events));
}

/// The oldest block, or where there is none a tenth of the oldest of each table.
base::Status remove_oldest(SqliteDatabase& database) {
  const auto block = database.number("SELECT id FROM blocks ORDER BY elapsed_ms, tier DESC LIMIT 1");
  if (block) return remove_block(database, *block);
  if (block.error().kind != base::ErrorKind::NotFound) return block.error();
  for (const char* table : {"ticks", "rows", "events", "changes", "incidents", "jobs"}) {
    GPUWRIGHT_TRY(
        [[maybe_unused]] const auto removed,
        database.execute(fmt::format("DELETE FROM {0} WHERE rowid IN (SELECT rowid FROM {0} ORDER BY "
                                     "elapsed_ms LIMIT (SELECT count(*) / 10 + 1 FROM {0}));",
                                     table)));
  }
  return base::Done{};
}

base::Status keep_within(SqliteDatabase& database, const HistoryOptions& options) {
  constexpr int kMostRounds = 64;
  for (int i = 0; i < kMostRounds; ++i) {
    GPUWRIGHT_TRY(const std::int64_t used, used_history_bytes(database));
    if (used <= options.most_bytes) return base::Done{};
    GPUWRIGHT_TRY([[maybe_unused]] const auto removed, remove_oldest(database));
  }
  return base::Done{};
}

/// Pages that hold nothing go back to the disk, some at a time, once they are many.
base::Status give_back(SqliteDatabase& database) {
  constexpr std::int64_t kFewPages = 2048;
  constexpr int kPagesAtOnce = 512;
  GPUWRIGHT_TRY(const std::int64_t empty, database.number("PRAGMA freelist_count"));
  GPUWRIGHT_TRY(const std::int64_t all, database.number("PRAGMA page_count"));
  if (empty < kFewPages || empty * 4 < all) return base::Done{};
  return database.execute(fmt::format("PRAGMA incremental_vacuum({});", kPagesAtOnce));
}

}  // namespace

base::Result<std::int64_t> used_history_bytes(SqliteDatabase& database) {
  GPUWRIGHT_TRY(const std::int64_t all, database.number("PRAGMA page_count"));
  GPUWRIGHT_TRY(const std::int64_t empty, database.number("PRAGMA freelist_count"));
  GPUWRIGHT_TRY(const std::int64_t size, database.number("PRAGMA page_size"));
  return (all - empty) * size;
}

base::Status keep_up(SqliteDatabase& database, const HistoryOptions& options, std::int64_t elapsed_ms,
                     bool slow) {
  for (std::size_t tier = 1; tier < options.tiers.size(); ++tier) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto packed,
                  pack_tier(database, tier, std::max<std::int64_t>(options.rows_in_chunk, 2)));
  }
  GPUWRIGHT_TRY(
      [[maybe_unused]] const auto removed, in_transaction(database, [&]() -> base::Status {
        GPUWRIGHT_TRY([[maybe_unused]] const auto steps, remove_old_steps(database, options, elapsed_ms));
        GPUWRIGHT_TRY([[maybe_unused]] const auto many, remove_many_events(database, options));
        if (slow) {
          GPUWRIGHT_TRY([[maybe_unused]] const auto words, remove_old_words(database, options, elapsed_ms));
        }
        return keep_within(database, options);
      }));
  return give_back(database);
}

}  // namespace gpuwright::watch
