// Events, incidents, changes and jobs of one tick, written to the history's tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"
#include "model/history.h"
#include "watch/history_store.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

/// Within the transaction of a tick. Texts are made printable and cut (kMostText bytes).
struct HistoryWords {
  kit::SqliteDatabase& database;
  std::int64_t tick = 0;
  std::int64_t elapsed_ms = 0;

  base::Status write(const model::HistoryEvent& event);
  base::Status write(const model::Incident& incident);
  base::Status write(const model::StateChange& change);
  base::Status write(const model::JobSeen& job);
  base::Status write_all(const HistoryTick& tick_told);
};

inline constexpr std::size_t kMostText = 2000;
/// Lines of evidence, and GPUs of a job.
inline constexpr std::size_t kMostLines = 64;

/// A list of texts as one blob.
std::string pack_texts(const std::vector<std::string>& texts);
/// The list, as far as it is sound.
std::vector<std::string> unpack_texts(std::string_view bytes);
/// The same for names with values.
std::string pack_pairs(const std::map<std::string, std::string>& pairs);
std::map<std::string, std::string> unpack_pairs(std::string_view bytes);

}  // namespace gpuwright::watch
