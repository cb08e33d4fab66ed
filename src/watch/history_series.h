// Reads series from the history's file: chunks, rows and ticks of several tiers become one sequence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"
#include "model/history.h"

#include <vector>

namespace gpuwright::watch {

/// The series of the query's metric, one for each UUID. Errors: as ask_history.
base::Result<std::vector<model::SeriesData>> read_series(kit::SqliteDatabase& database,
                                                         const model::HistoryQuery& query);

}  // namespace gpuwright::watch
