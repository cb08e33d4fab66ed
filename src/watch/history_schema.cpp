// SPDX-License-Identifier: Apache-2.0
#include "watch/history_schema.h"

#include "base/day.h"
#include "base/files.h"
#include "base/text.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <vector>

namespace gpuwright::watch {

namespace {

using base::ErrorKind;

// Order is that of ticks, which only grow; time_ms is what the wall clock said, which may jump. elapsed_ms is
// how long history has been written, and decides what is too old: no jump of a clock removes anything.
// ticks.data: pack_values. rows.data: pack_ranges. chunks.data: pack_chunk.
// rows.id: row_id(tier, last tick). chunks.id: block * kBlockStride + series.
constexpr const char* kFirstTables = R"sql(
CREATE TABLE series(id INTEGER PRIMARY KEY, metric TEXT NOT NULL, uuid TEXT NOT NULL, UNIQUE(metric, uuid));
CREATE TABLE boots(id INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE);
CREATE TABLE ticks(tick INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, mono_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL, boot INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE rows(id INTEGER PRIMARY KEY, first_tick INTEGER NOT NULL, time_ms INTEGER NOT NULL,
  step_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE blocks(id INTEGER PRIMARY KEY, tier INTEGER NOT NULL, first_tick INTEGER NOT NULL,
  last_tick INTEGER NOT NULL, time_ms INTEGER NOT NULL, last_time_ms INTEGER NOT NULL, step_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL);
CREATE TABLE chunks(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE events(id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
  time_ms INTEGER NOT NULL, boot TEXT NOT NULL, kind TEXT NOT NULL, uuid TEXT NOT NULL, pci TEXT NOT NULL,
  code TEXT NOT NULL, text TEXT NOT NULL, verified INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE INDEX events_by_time ON events(time_ms);
CREATE TABLE incidents(id TEXT PRIMARY KEY, tick INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
  cause TEXT NOT NULL, subject TEXT NOT NULL, severity TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER,
  ended_by TEXT NOT NULL, evidence BLOB NOT NULL);
CREATE TABLE changes(id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
  time_ms INTEGER NOT NULL, subject TEXT NOT NULL, what TEXT NOT NULL, was TEXT NOT NULL, became TEXT NOT NULL,
  reason TEXT NOT NULL);
CREATE TABLE jobs(kind TEXT NOT NULL, id TEXT NOT NULL, start_ms INTEGER NOT NULL, tick INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL, user TEXT NOT NULL, queue TEXT NOT NULL, gpus BLOB NOT NULL, end_ms INTEGER,
  PRIMARY KEY(kind, id, start_ms));
)sql";

// What an incident needs to go on when a daemon starts anew. params: names and values, as pack_texts.
constexpr const char* kIncidentsGoOn = R"sql(
ALTER TABLE incidents ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE incidents ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE incidents ADD COLUMN params BLOB NOT NULL DEFAULT x'';
ALTER TABLE incidents ADD COLUMN boot TEXT NOT NULL DEFAULT '';
)sql";

/// What makes version n + 1 of version n. A new one is one more line.
constexpr std::array<const char*, 2> kMigrations = {kFirstTables, kIncidentsGoOn};
static_assert(kMigrations.size() == kSchemaVersion);

constexpr std::array<const char*, 10> kTables = {"series", "boots",  "ticks",     "rows",    "blocks",
                                                 "chunks", "events", "incidents", "changes", "jobs"};

base::Status foreign(const std::string& path) {
  return base::make_error(ErrorKind::Unsupported,
                          "this is another program's database, and stays as it is; name another file", path);
}

/// The version of our tables; 0 for a database without any table.
base::Result<std::int64_t> version_of(kit::SqliteDatabase& database, const std::string& path) {
  GPUWRIGHT_TRY(const std::int64_t application, database.number("PRAGMA application_id"));
  GPUWRIGHT_TRY(const std::int64_t tables, database.number("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0 && (application == 0 || application == kApplicationId)) return std::int64_t{0};
  if (application != kApplicationId) return foreign(path).error();
  GPUWRIGHT_TRY(const std::int64_t version, database.number("PRAGMA user_version"));
  if (version > kSchemaVersion)
    return base::make_error(
        ErrorKind::Unsupported,
        fmt::format("written by a newer gpuwright (tables {}, known here {}); it stays as it is", version,
                    kSchemaVersion),
        path);
  for (const char* table : kTables) {
    GPUWRIGHT_TRY(const std::int64_t there,
                  database.number(fmt::format("SELECT count(*) FROM sqlite_schema WHERE name='{}'", table)));
    if (version < 1 || there != 1)
      return base::make_error(ErrorKind::Malformed, fmt::format("the table '{}' is missing", table), path);
  }
  return version;
}

base::Status migrate(kit::SqliteDatabase& database, std::int64_t version) {
  if (version == kSchemaVersion) return base::Done{};
  GPUWRIGHT_TRY([[maybe_unused]] const auto begun, database.begin());
  for (auto next = static_cast<std::size_t>(version); next < kMigrations.size(); ++next) {
    const base::Status made = database.execute(kMigrations[next]);
    if (!made) {
      database.rollback();
      return made.error();
    }
  }
  const base::Status marked = database.execute(
      fmt::format("PRAGMA application_id={};PRAGMA user_version={};", kApplicationId, kSchemaVersion));
  if (!marked) {
    database.rollback();
    return marked.error();
  }
  return database.commit();
}

/// A file that SQLite has not made yet, with our mode; who has it already keeps his.
base::Status make_file(const std::string& path) {
  const base::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (fd.valid()) return base::Done{};
  return base::system_error(errno, path);
}

/// Looks without changing anything. True when the file is there and holds something.
base::Result<bool> look_first(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    return base::system_error(errno, path);
  }
  if (!S_ISREG(status.st_mode))
    return base::make_error(ErrorKind::Unsupported, "this is no plain file", path);
  if (status.st_size == 0) return false;
  // A writer was killed before the file had its log: who only reads cannot undo what was half done
  // (sqlite.org, SQLITE_READONLY_ROLLBACK); who writes does, and then looks.
  if (::access((path + "-journal").c_str(), F_OK) == 0) return true;
  GPUWRIGHT_TRY(kit::SqliteDatabase database, kit::SqliteDatabase::open(path, {}));
  GPUWRIGHT_TRY([[maybe_unused]] const std::int64_t version, version_of(database, path));
  return true;
}

constexpr std::size_t kSetAsideKept = 3;

void forget_older(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string prefix = path.substr(slash == std::string::npos ? 0 : slash + 1) + ".corrupt-";
  const auto names = base::list_directory(folder);
  if (!names) return;
  std::vector<std::string> ours;
  for (const std::string& name : *names) {
    const bool log = name.ends_with("-wal");
    if (name.starts_with(prefix) && !log) ours.push_back(name);
  }
  if (ours.size() <= kSetAsideKept) return;
  ours.resize(ours.size() - kSetAsideKept);
  for (const std::string& name : ours) {
    ::unlink(base::join_path(folder, name).c_str());
    ::unlink((base::join_path(folder, name) + "-wal").c_str());
  }
}

/// "20261130T140559Z".
std::string stamp(std::int64_t unix_seconds) {
  return base::replace_all(base::replace_all(base::second_text(unix_seconds), "-", ""), ":", "");
}

}  // namespace

base::Result<kit::SqliteDatabase> open_history(const std::string& path) {
  GPUWRIGHT_TRY(const bool there, look_first(path));
  if (!there) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto made, make_file(path));
  }
  kit::SqliteOptions options;
  options.access = kit::SqliteAccess::ReadWrite;
  GPUWRIGHT_TRY(kit::SqliteDatabase database, kit::SqliteDatabase::open(path, options));
  GPUWRIGHT_TRY(const std::int64_t version, version_of(database, path));
  GPUWRIGHT_TRY([[maybe_unused]] const auto migrated, migrate(database, version));
  return database;
}

base::Result<kit::SqliteDatabase> open_history_for_reading(const std::string& path) {
  GPUWRIGHT_TRY(kit::SqliteDatabase database, kit::SqliteDatabase::open(path, {}));
  GPUWRIGHT_TRY(const std::int64_t version, version_of(database, path));
  if (version != kSchemaVersion)
    return base::make_error(ErrorKind::Unsupported,
                            "no history was written here yet, or by an older gpuwright only", path);
  return database;
}

base::Result<std::string> set_aside(const std::string& path, std::int64_t unix_seconds) {
  const std::string target = path + ".corrupt-" + stamp(unix_seconds);
  std::string name = target;
  for (int i = 2; ::access(name.c_str(), F_OK) == 0; ++i) name = fmt::format("{}-{}", target, i);
  if (std::rename(path.c_str(), name.c_str()) != 0) return base::system_error(errno, path);
  // A log that stayed would be taken for that of the fresh file.
  if (std::rename((path + "-wal").c_str(), (name + "-wal").c_str()) != 0) ::unlink((path + "-wal").c_str());
  ::unlink((path + "-shm").c_str());
  forget_older(path);
  return name;
}

}  // namespace gpuwright::watch
