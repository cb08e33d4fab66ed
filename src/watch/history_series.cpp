// Each tier covers the time from where it was trimmed to its last closed step. So the oldest part of an
// answer comes from coarse tiers, and the newest from fine ones; in between the one serves that the step asks
// for.
// SPDX-License-Identifier: Apache-2.0
#include "watch/history_series.h"

#include "watch/history_chunks.h"
#include "watch/history_schema.h"
#include "watch/history_tiers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace gpuwright::watch {

namespace {

using kit::SqliteDatabase;
using kit::SqliteStatement;
using model::HistoryQuery;
using model::SeriesBucket;
using model::SeriesData;

constexpr std::int64_t kTickStepMs = 1000;
constexpr std::int64_t kMostBuckets = 100000;
constexpr std::size_t kMostTiers = 8;

/// A moment in the order of writing.
struct Border {
  std::int64_t tick = 0;
  std::int64_t time_ms = 0;
};

/// What a tier has.
struct Cover {
  std::size_t tier = 0;
  std::int64_t step_ms = kTickStepMs;
  Border first;  ///< its first tick, and the begin of its first step
  Border last;   ///< its last tick, and the end of its last step
};

/// Which ticks of a tier are wanted: behind `after`, before `before`.
struct Part {
  Cover cover;
  Border after = {};
  Border before = {INT64_MAX, INT64_MAX};
};

base::Result<std::vector<Cover>> covers(SqliteDatabase& database) {
  std::map<std::size_t, Cover> found;
  const auto add = [&](std::size_t tier, std::int64_t step, Border first, Border last) {
    auto [at, fresh] = found.try_emplace(tier, Cover{tier, step, first, last});
    if (fresh) return;
    if (first.tick < at->second.first.tick) at->second.first = first;
    if (last.tick > at->second.last.tick) {
      at->second.last = last;
      at->second.step_ms = step;
    }
  };
  GPUWRIGHT_TRY(SqliteStatement ticks,
                database.prepare("SELECT tick, time_ms FROM ticks WHERE tick IN ((SELECT "
                                 "min(tick) FROM ticks), (SELECT max(tick) FROM ticks))"));
  while (true) {
    GPUWRIGHT_TRY(const bool more, ticks.step());
    if (!more) break;
    const Border at{ticks.integer(0), ticks.integer(1)};
    add(0, kTickStepMs, at, {at.tick, at.time_ms + 1});
  }
  GPUWRIGHT_TRY(SqliteStatement blocks,
                database.prepare("SELECT tier, step_ms, first_tick, time_ms, last_tick, "
                                 "last_time_ms FROM blocks"));
  while (true) {
    GPUWRIGHT_TRY(const bool more, blocks.step());
    if (!more) break;
    const std::int64_t step = blocks.integer(1);
    add(static_cast<std::size_t>(blocks.integer(0)), step, {blocks.integer(2), blocks.integer(3)},
        {blocks.integer(4), blocks.integer(5) + step});
  }
  GPUWRIGHT_TRY(
      SqliteStatement rows,
      database.prepare(
          "SELECT id, step_ms, first_tick, time_ms FROM rows WHERE id IN ((SELECT min(id) FROM "
          "rows WHERE id > ?1 AND id < ?2), (SELECT max(id) FROM rows WHERE id > ?1 AND id < ?2))"));
  for (std::size_t tier = 1; tier <= kMostTiers; ++tier) {
    rows.bind(1, row_id(tier, 0)).bind(2, row_id(tier + 1, 0));
    while (true) {
      GPUWRIGHT_TRY(const bool more, rows.step());
      if (!more) break;
      const std::int64_t step = rows.integer(1);
      add(tier, step, {rows.integer(2), rows.integer(3)},
          {rows.integer(0) % kTierStride, rows.integer(3) + step});
    }
    rows.reset();
  }
  std::vector<Cover> all;
  all.reserve(found.size());
  for (const auto& [tier, cover] : found) all.push_back(cover);
  return all;
}

/// The finest step of which so many as allowed fill the time.
std::int64_t step_for(const std::vector<Cover>& tiers, std::int64_t span_ms, std::int64_t limit) {
  const std::int64_t most = std::clamp<std::int64_t>(limit, 1, kMostBuckets);
  for (const Cover& tier : tiers) {
    if (span_ms / tier.step_ms < most) return tier.step_ms;
  }
  const std::int64_t coarsest = tiers.back().step_ms;
  return coarsest * ((span_ms / most + coarsest) / coarsest);
}

/// The earliest tick that one of these tiers has.
Border first_of(std::span<const Cover> tiers) {
  Border first = tiers.front().first;
  for (const Cover& tier : tiers) {
    if (tier.first.tick < first.tick) first = tier.first;
  }
  return first;
}

/// Parts of tiers, oldest first, that together cover all.
std::vector<Part> parts_of(const std::vector<Cover>& tiers, std::int64_t step_ms) {
  std::size_t base = 0;
  while (base + 1 < tiers.size() && tiers[base + 1].step_ms <= step_ms) ++base;
  std::vector<Part> parts;
  for (std::size_t at = tiers.size(); at-- > 0;) {
    Part part{tiers[at]};
    if (at > base) part.before = first_of(std::span(tiers).subspan(base, at - base));
    if (at < base) part.after = tiers[at + 1].last;
    parts.push_back(part);
  }
  return parts;
}

/// Puts steps of any length together to those of the answer.
class Merger {
 public:
  Merger(std::string metric, std::string uuid, const HistoryQuery& query, std::int64_t step_ms)
      : query_(query) {
    data_ = {std::move(metric), std::move(uuid), step_ms, {}};
  }

  void add(const SeriesBucket& bucket, std::int64_t step_ms) {
    if (bucket.time_ms + step_ms <= query_.since_ms || bucket.time_ms > query_.until_ms) return;
    const std::int64_t begin = begin_of_step(bucket.time_ms, data_.step_ms);
    const auto weight = static_cast<double>(step_ms);
    if (data_.buckets.empty() || data_.buckets.back().time_ms != begin) {
      data_.buckets.push_back({begin, bucket.min, bucket.mean, bucket.max});
      weight_ = weight;
      return;
    }
    SeriesBucket& last = data_.buckets.back();
    last.min = std::min(last.min, bucket.min);
    last.max = std::max(last.max, bucket.max);
    last.mean += (bucket.mean - last.mean) * (weight / (weight_ + weight));
    weight_ += weight;
  }

  SeriesData take() { return std::move(data_); }

 private:
  HistoryQuery query_;
  SeriesData data_;
  double weight_ = 0;
};

class Reader {
 public:
  Reader(SqliteDatabase& database, const HistoryQuery& query) : database_(database), query_(query) {}

  base::Result<std::vector<SeriesData>> read() {
    GPUWRIGHT_TRY(const std::vector<Cover> tiers, covers(database_));
    if (tiers.empty()) return std::vector<SeriesData>{};
    const std::int64_t newest = tiers.front().last.time_ms;
    const std::int64_t oldest = tiers.back().first.time_ms;
    const std::int64_t span =
        std::max<std::int64_t>(std::min(query_.until_ms, newest) -
                                   std::max(query_.since_ms, std::min(oldest, tiers.front().first.time_ms)),
                               1);
    const std::int64_t step = step_for(tiers, span, query_.limit);
    GPUWRIGHT_TRY([[maybe_unused]] const auto named, find_series(step));
    for (const Part& part : parts_of(tiers, step)) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto done,
                    part.cover.tier == 0 ? read_ticks(part) : read_steps(part));
    }
    std::vector<SeriesData> all;
    for (auto& [id, merger] : mergers_) all.push_back(merger.take());
    return all;
  }

 private:
  base::Status find_series(std::int64_t step) {
    GPUWRIGHT_TRY(SqliteStatement row, database_.prepare("SELECT id, uuid FROM series WHERE metric = ?1 AND "
                                                         "(?2 = '' OR uuid = ?2)"));
    row.bind_text(1, query_.metric).bind_text(2, query_.uuid);
    while (true) {
      GPUWRIGHT_TRY(const bool more, row.step());
      if (!more) return base::Done{};
      mergers_.emplace(row.integer(0), Merger(query_.metric, row.text(1), query_, step));
    }
  }

  void add(std::int64_t series, const SeriesBucket& bucket, std::int64_t step) {
    const auto merger = mergers_.find(series);
    if (merger != mergers_.end()) merger->second.add(bucket, step);
  }

  base::Status read_ticks(const Part& part) {
    GPUWRIGHT_TRY(SqliteStatement row,
                  database_.prepare("SELECT time_ms, data FROM ticks WHERE tick > ?1 AND time_ms >= ?2 AND "
                                    "time_ms <= ?3 ORDER BY tick"));
    row.bind(1, part.after.tick).bind(2, query_.since_ms).bind(3, query_.until_ms);
    while (true) {
      GPUWRIGHT_TRY(const bool more, row.step());
      if (!more) return base::Done{};
      const std::int64_t time = row.integer(0);
      GPUWRIGHT_TRY([[maybe_unused]] const auto read,
                    unpack_values(row.bytes(1), [&](const NumberedValue& one) {
                      add(one.series, {time, one.value, one.value, one.value}, kTickStepMs);
                    }));
    }
  }

  base::Status read_steps(const Part& part) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto blocks, read_blocks(part));
    return read_rows(part);
  }

  base::Status read_blocks(const Part& part) {
    GPUWRIGHT_TRY(
        SqliteStatement block,
        database_.prepare("SELECT id, first_tick, last_tick, time_ms, step_ms FROM blocks WHERE tier = ?1 "
                          "AND last_tick > ?2 AND first_tick < ?3 AND last_time_ms + step_ms > ?4 AND "
                          "time_ms <= ?5 ORDER BY last_tick"));
    block.bind(1, static_cast<std::int64_t>(part.cover.tier))
        .bind(2, part.after.tick)
        .bind(3, part.before.tick);
    block.bind(4, query_.since_ms).bind(5, query_.until_ms);
    GPUWRIGHT_TRY(SqliteStatement chunk, database_.prepare("SELECT data FROM chunks WHERE id = ?"));
    while (true) {
      GPUWRIGHT_TRY(const bool more, block.step());
      if (!more) return base::Done{};
      GPUWRIGHT_TRY([[maybe_unused]] const auto read, read_chunks(block, chunk, part));
    }
  }

  /// The chunks of one block. Within it times ascend: where it lies across a border, they tell the side.
  base::Status read_chunks(const SqliteStatement& block, SqliteStatement& chunk, const Part& part) {
    const std::int64_t from = block.integer(1) <= part.after.tick ? part.after.time_ms : INT64_MIN;
    const std::int64_t to = block.integer(2) >= part.before.tick ? part.before.time_ms : INT64_MAX;
    for (auto& [series, merger] : mergers_) {
      chunk.reset();
      chunk.bind(1, block.integer(0) * kBlockStride + series);
      GPUWRIGHT_TRY(const bool there, chunk.step());
      if (!there) continue;
      GPUWRIGHT_TRY(const auto buckets, unpack_chunk(chunk.bytes(0), block.integer(3), block.integer(4)));
      for (const SeriesBucket& bucket : buckets) {
        if (bucket.time_ms >= from && bucket.time_ms < to) merger.add(bucket, block.integer(4));
      }
    }
    return base::Done{};
  }

  base::Status read_rows(const Part& part) {
    GPUWRIGHT_TRY(
        SqliteStatement row,
        database_.prepare("SELECT time_ms, step_ms, data FROM rows WHERE id > ?1 AND id < ?2 AND "
                          "first_tick < ?3 AND time_ms + step_ms > ?4 AND time_ms <= ?5 ORDER BY id"));
    row.bind(1, row_id(part.cover.tier, part.after.tick)).bind(2, row_id(part.cover.tier + 1, 0));
    row.bind(3, part.before.tick).bind(4, query_.since_ms).bind(5, query_.until_ms);
    while (true) {
      GPUWRIGHT_TRY(const bool more, row.step());
      if (!more) return base::Done{};
      const std::int64_t time = row.integer(0);
      const std::int64_t step = row.integer(1);
      GPUWRIGHT_TRY([[maybe_unused]] const auto read,
                    unpack_ranges(row.bytes(2), [&](const NumberedRange& one) {
                      add(one.series, {time, one.range.min, one.range.mean, one.range.max}, step);
                    }));
    }
  }

  SqliteDatabase& database_;
  HistoryQuery query_;
  std::map<std::int64_t, Merger> mergers_;
};

}  // namespace

base::Result<std::vector<SeriesData>> read_series(SqliteDatabase& database, const HistoryQuery& query) {
  return Reader(database, query).read();
}

}  // namespace gpuwright::watch
