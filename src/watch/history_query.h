// Questions to the history's file, from its own process or from another that reads beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"
#include "model/history.h"

namespace gpuwright::watch {

/// Answers in the order of writing. A series is told in the finest step of which not more than the limit fit
/// into the time asked for, or that the file still has; old parts may be coarser. Errors: those of
/// SqliteStatement::step (TimedOut by the database's deadline).
base::Result<model::HistoryAnswer> ask_history(kit::SqliteDatabase& database,
                                               const model::HistoryQuery& query);

}  // namespace gpuwright::watch
