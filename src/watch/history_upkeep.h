// What the history's file needs now and then: rows become chunks, what is old goes, and the file stays within
// its size. Age is counted in time that was written, so that a clock which jumps removes nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"
#include "watch/history_store.h"

#include <cstdint>

namespace gpuwright::watch {

/// All of it, in transactions of their own; `elapsed_ms` is now. The slow part (events, jobs) is for once an
/// hour. Errors: those of SqliteStatement::step; Malformed where packed values are damaged.
base::Status keep_up(kit::SqliteDatabase& database, const HistoryOptions& options, std::int64_t elapsed_ms,
                     bool slow);

/// Bytes of the file that hold something.
base::Result<std::int64_t> used_history_bytes(kit::SqliteDatabase& database);

}  // namespace gpuwright::watch
