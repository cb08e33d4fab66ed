// The history's file: which tables it has, who made it, and how an older one becomes a newer one. A file of
// another program is refused and never changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/sqlite.h"

#include <cstdint>
#include <string>

namespace gpuwright::watch {

/// "GPWR" in the file's header. Source: sqlite.org/fileformat2.html, application id.
inline constexpr std::int64_t kApplicationId = 0x47505752;
/// Grows with each migration.
inline constexpr std::int64_t kSchemaVersion = 2;

/// Opens the file for writing, makes it where there is none (mode 0640), and brings its tables up to date.
/// Errors: Unsupported (another program's database, or made by a newer gpuwright; nothing was changed),
/// Malformed (damaged), Denied, NotFound (no such folder), Conflict (locked), Io (see SqliteDatabase::full).
base::Result<kit::SqliteDatabase> open_history(const std::string& path);

/// Opens the file for reading, also while a daemon writes it. Errors: as above.
base::Result<kit::SqliteDatabase> open_history_for_reading(const std::string& path);

/// Moves a damaged file and its log to PATH.corrupt-DATE, and forgets all but the newest three of them.
/// Returns the new name. Errors: Io, Denied.
base::Result<std::string> set_aside(const std::string& path, std::int64_t unix_seconds);

/// Rows, blocks and their chunks are numbered so that those of one tier, or of one block, stand together.
inline constexpr std::int64_t kTierStride = std::int64_t{1} << 48;
inline constexpr std::int64_t kBlockStride = std::int64_t{1} << 20;
inline std::int64_t row_id(std::size_t tier, std::int64_t tick) {
  return static_cast<std::int64_t>(tier) * kTierStride + tick;
}

}  // namespace gpuwright::watch
