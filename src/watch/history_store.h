// The history's file, written tick by tick. Each tick is one transaction: whoever kills us at any instant
// takes at most the tick that was not finished. A tick with an event, an incident, a change or a job is
// synced to the disk as well, so that the last words before a crash of the machine are kept.
//
// Values stand in rows, all series at one moment, until there are some hundred rows; then in chunks, one
// series over many steps. Steps of ten seconds and five minutes keep min, mean and max.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"
#include "model/history.h"
#include "watch/history_tiers.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

struct HistoryOptions {
  /// Ticks as they come, then ever longer steps. Each is kept at least as long as the longest step.
  std::vector<HistoryTier> tiers = {
      {std::chrono::seconds(1), std::chrono::minutes(15)},
      {std::chrono::seconds(10), std::chrono::hours(24)},
      {std::chrono::minutes(5), std::chrono::hours(90 * 24)},
  };
  std::chrono::milliseconds keep_events = std::chrono::hours(90 * 24);  ///< also incidents, changes, jobs
  std::int64_t most_bytes = std::int64_t{256} << 20;  ///< of the file; what is oldest goes first
  std::int64_t most_events = 100000;
  std::int64_t least_free_bytes = std::int64_t{32} << 20;  ///< of the disk: below it history stops
  std::int64_t rows_in_chunk = 360;
};

/// What happened in one tick. Series are numbered by whoever writes (HistoryStore::name_series).
struct HistoryTick {
  std::int64_t time_ms = 0;  ///< wall clock
  std::int64_t mono_ms = 0;  ///< CLOCK_BOOTTIME: only grows until the next boot
  std::string boot_id;
  std::vector<std::pair<std::uint32_t, double>> values;  ///< not finite: left out
  std::vector<model::HistoryEvent> events;
  std::vector<model::Incident> incidents;
  std::vector<model::StateChange> changes;
  std::vector<model::JobSeen> jobs;

  /// True when it holds more than values.
  bool tells() const { return !events.empty() || !incidents.empty() || !changes.empty() || !jobs.empty(); }
};

class HistoryStore {
 public:
  /// Opens the file or makes it, and checks its structure. Errors: those of open_history.
  static base::Result<HistoryStore> open(const std::string& path, const HistoryOptions& options);
  HistoryStore(HistoryStore&&) noexcept;
  HistoryStore& operator=(HistoryStore&&) noexcept;
  HistoryStore(const HistoryStore&) = delete;
  HistoryStore& operator=(const HistoryStore&) = delete;
  ~HistoryStore();

  /// What number a series has in the ticks that follow. More than kMostSeries are not kept.
  void name_series(std::uint32_t number, const std::string& metric, const std::string& uuid);
  static constexpr std::uint32_t kMostSeries = 16384;

  /// Writes a tick; returns its number in the file. One that the file holds already (same boot, not later) is
  /// not written again. After an error nothing of it is there, and the store must be opened anew.
  base::Result<std::int64_t> write(const HistoryTick& tick);
  /// Packs rows into chunks, removes what is too old or too much. Call it now and then, between ticks.
  base::Status maintain();
  /// Errors: those of ask_history.
  base::Result<model::HistoryAnswer> ask(const model::HistoryQuery& query);

  /// Bytes of the file that hold something; the log beside it has a megabyte at most.
  base::Result<std::int64_t> used_bytes();
  /// The last error was a full disk.
  bool full() const;
  kit::SqliteDatabase& database();

 private:
  struct State;
  explicit HistoryStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::watch
