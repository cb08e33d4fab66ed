// Sources: sqlite.org/c3ref (result codes, sqlite3_db_config, sqlite3_progress_handler), sqlite.org/wal.html
// (read-only databases), sqlite.org/malloc.html (lookaside), sqlite.org/uri.html (immutable).
// SPDX-License-Identifier: Apache-2.0
#include "kit/sqlite.h"

#include "base/files.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <utility>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;

/// Steps of SQLite's machine between two looks at the clock: some tens of microseconds.
constexpr int kStepsBetweenLooks = 2000;
/// Small objects of one connection; the default would be 48 KB more.
constexpr int kLookasideSlot = 256;
constexpr int kLookasideSlots = 64;

ErrorKind kind_of_code(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorKind::Malformed;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::Conflict;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return ErrorKind::Denied;
    case SQLITE_INTERRUPT:
      return ErrorKind::TimedOut;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_INTERNAL:
      return ErrorKind::Internal;
    default:
      return ErrorKind::Io;
  }
}

const char* words_of_code(int code, sqlite3* handle) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "no room is left on the disk";
    case SQLITE_CORRUPT:
      return "the file is damaged";
    case SQLITE_NOTADB:
      return "the file is no SQLite database";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds its lock";
    case SQLITE_INTERRUPT:
      return "the work took too long and was ended";
    default:
      return handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  }
}

bool exists(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0;
}

/// The path as a URI: what has a meaning there is escaped.
std::string uri_of(const std::string& path, const char* query) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri + query;
}

}  // namespace

struct SqliteDatabase::State {
  sqlite3* handle = nullptr;
  std::string path;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool full = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { sqlite3_close_v2(handle); }

  base::Error error(int code) {
    const int extended = handle != nullptr ? sqlite3_extended_errcode(handle) : code;
    const int at_write = handle != nullptr ? sqlite3_system_errno(handle) : 0;
    const bool io = (code & 0xff) == SQLITE_IOERR || (extended & 0xff) == SQLITE_IOERR;
    full = (code & 0xff) == SQLITE_FULL || (io && (at_write == ENOSPC || at_write == EDQUOT));
    return base::make_error(kind_of_code(code), words_of_code(full ? SQLITE_FULL : code, handle), path);
  }
};

struct SqliteStatement::State {
  sqlite3_stmt* handle = nullptr;
  SqliteDatabase::State* database = nullptr;
  int bound = SQLITE_OK;  ///< the first error of a bind

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { sqlite3_finalize(handle); }

  void note(int code) {
    if (bound == SQLITE_OK) bound = code;
  }
};

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept = default;
SqliteStatement& SqliteStatement::operator=(SqliteStatement&& other) noexcept = default;
SqliteStatement::~SqliteStatement() = default;

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  state_->note(sqlite3_bind_int64(state_->handle, parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, double value) {
  state_->note(sqlite3_bind_double(state_->handle, parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind_text(int parameter, std::string_view text) {
  state_->note(sqlite3_bind_text64(state_->handle, parameter, text.empty() ? "" : text.data(), text.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int parameter, std::string_view bytes) {
  state_->note(sqlite3_bind_blob64(state_->handle, parameter, bytes.empty() ? "" : bytes.data(), bytes.size(),
                                   SQLITE_TRANSIENT));
  return *this;
}

SqliteStatement& SqliteStatement::bind_null(int parameter) {
  state_->note(sqlite3_bind_null(state_->handle, parameter));
  return *this;
}

base::Result<bool> SqliteStatement::step() {
  if (state_->bound != SQLITE_OK) return state_->database->error(std::exchange(state_->bound, SQLITE_OK));
  const int code = sqlite3_step(state_->handle);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return state_->database->error(code);
}

base::Status SqliteStatement::run() {
  base::Result<bool> row = true;
  while (row.ok() && *row) row = step();
  reset();
  if (!row) return std::move(row).error();
  return base::Done{};
}

void SqliteStatement::reset() {
  sqlite3_reset(state_->handle);
  sqlite3_clear_bindings(state_->handle);
  state_->bound = SQLITE_OK;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(state_->handle, column);
}

double SqliteStatement::real(int column) const {
  return sqlite3_column_double(state_->handle, column);
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(state_->handle, column) == SQLITE_NULL;
}

std::string SqliteStatement::text(int column) const {
  return std::string(bytes(column));
}

std::string_view SqliteStatement::bytes(int column) const {
  const void* data = sqlite3_column_blob(state_->handle, column);
  const int size = sqlite3_column_bytes(state_->handle, column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

namespace {

int flags_of(SqliteAccess access) {
  const int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  if (access == SqliteAccess::ReadOnly) return common | SQLITE_OPEN_READONLY;
  return common | SQLITE_OPEN_READWRITE | (access == SqliteAccess::Create ? SQLITE_OPEN_CREATE : 0);
}

/// What every connection is: bounded, distrustful of what a damaged or planted schema may do.
std::string settings_of(const SqliteOptions& options) {
  std::string sql = fmt::format(
      "PRAGMA cache_size=-{};PRAGMA temp_store=MEMORY;PRAGMA trusted_schema=OFF;PRAGMA mmap_size=0;"
      "PRAGMA cell_size_check=ON;",
      options.cache_kib);
  if (options.access == SqliteAccess::ReadOnly) return sql + "PRAGMA query_only=ON;";
  return sql + fmt::format(
                   "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;"
                   "PRAGMA wal_autocheckpoint={};PRAGMA journal_size_limit={};",
                   options.wal_pages, options.wal_pages * 4096);
}

}  // namespace

SqliteDatabase::SqliteDatabase() : state_(std::make_unique<State>()) {}
SqliteDatabase::SqliteDatabase(SqliteDatabase&& other) noexcept = default;
SqliteDatabase& SqliteDatabase::operator=(SqliteDatabase&& other) noexcept = default;
SqliteDatabase::~SqliteDatabase() = default;

base::Result<SqliteDatabase> SqliteDatabase::open(const std::string& path, const SqliteOptions& options) {
  if (options.access != SqliteAccess::Create) {
    GPUWRIGHT_TRY([[maybe_unused]] const base::FileKind kind, base::kind_behind(path));
  }
  const auto try_open = [&](const char* query) -> base::Result<SqliteDatabase> {
    SqliteDatabase database;
    State& state = *database.state_;
    state.path = path;
    const int code =
        sqlite3_open_v2(uri_of(path, query).c_str(), &state.handle, flags_of(options.access), nullptr);
    if (code != SQLITE_OK) return state.error(code);
    sqlite3_db_config(state.handle, SQLITE_DBCONFIG_LOOKASIDE, nullptr, kLookasideSlot, kLookasideSlots);
    sqlite3_db_config(state.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_busy_timeout(state.handle, static_cast<int>(options.busy.count()));
    if (options.access != SqliteAccess::ReadOnly) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto fresh, database.begin_file());
    }
    GPUWRIGHT_TRY([[maybe_unused]] const auto set, database.execute(settings_of(options)));
    GPUWRIGHT_TRY([[maybe_unused]] const auto version, database.number("PRAGMA schema_version"));
    return database;
  };
  auto opened = try_open("");
  const bool may_be_read_as_it_is = !opened && options.access == SqliteAccess::ReadOnly &&
                                    opened.error().kind == ErrorKind::Io && !exists(path + "-wal");
  return may_be_read_as_it_is ? try_open("?immutable=1") : std::move(opened);
}

/// Says how a file that is empty will give space back. One that holds something would be written by this.
base::Status SqliteDatabase::begin_file() {
  GPUWRIGHT_TRY(const std::int64_t pages, number("PRAGMA page_count"));
  return pages == 0 ? execute("PRAGMA auto_vacuum=INCREMENTAL") : base::Status(base::Done{});
}

base::Result<SqliteStatement> SqliteDatabase::prepare(std::string_view sql) {
  SqliteStatement statement;
  statement.state_ = std::make_unique<SqliteStatement::State>();
  statement.state_->database = state_.get();
  const int code = sqlite3_prepare_v2(state_->handle, sql.data(), static_cast<int>(sql.size()),
                                      &statement.state_->handle, nullptr);
  if (code != SQLITE_OK) return state_->error(code);
  return statement;
}

base::Status SqliteDatabase::execute(const std::string& sql) {
  const int code = sqlite3_exec(state_->handle, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return state_->error(code);
  return base::Done{};
}

base::Result<std::int64_t> SqliteDatabase::number(std::string_view sql) {
  GPUWRIGHT_TRY(SqliteStatement statement, prepare(sql));
  GPUWRIGHT_TRY(const bool row, statement.step());
  if (!row) return base::make_error(ErrorKind::NotFound, "no such row", state_->path);
  return statement.integer(0);
}

base::Status SqliteDatabase::begin() {
  return execute("BEGIN IMMEDIATE");
}

base::Status SqliteDatabase::commit() {
  return execute("COMMIT");
}

void SqliteDatabase::rollback() {
  if (sqlite3_get_autocommit(state_->handle) == 0)
    sqlite3_exec(state_->handle, "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteDatabase::set_deadline(std::chrono::milliseconds deadline) {
  if (deadline.count() <= 0) {
    sqlite3_progress_handler(state_->handle, 0, nullptr, nullptr);
    return;
  }
  state_->deadline = std::chrono::steady_clock::now() + deadline;
  const auto passed = [](void* state) {
    return std::chrono::steady_clock::now() > static_cast<State*>(state)->deadline ? 1 : 0;
  };
  sqlite3_progress_handler(state_->handle, kStepsBetweenLooks, passed, state_.get());
}

base::Status SqliteDatabase::check(bool quick) {
  GPUWRIGHT_TRY(SqliteStatement statement,
                prepare(quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)"));
  GPUWRIGHT_TRY(const bool row, statement.step());
  const std::string answer = row ? statement.text(0) : "no answer";
  if (answer == "ok") return base::Done{};
  return base::make_error(ErrorKind::Malformed, "the file is damaged: " + answer.substr(0, 200),
                          state_->path);
}

bool SqliteDatabase::full() const {
  return state_->full;
}

std::int64_t SqliteDatabase::heap_bytes() {
  return sqlite3_memory_used();
}

}  // namespace gpuwright::kit
