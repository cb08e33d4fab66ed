// SQLite: one file that survives being killed at any instant. Made for a small daemon: its memory is bounded,
// its waiting for locks and its work for one question too. A full disk, a damaged file and a lock of another
// process are told apart, since each is answered differently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gpuwright::kit {

enum class SqliteAccess { ReadOnly, ReadWrite, Create };

struct SqliteOptions {
  SqliteAccess access = SqliteAccess::ReadOnly;
  std::chrono::milliseconds busy{2000};  ///< how long another's lock is waited for
  std::int64_t cache_kib = 256;          ///< pages kept in memory
  std::int64_t wal_pages = 256;          ///< pages in the log before they go to the file
};

/// A prepared statement. It borrows its database, which must outlive it.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&& other) noexcept;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement();

  /// Parameters count from 1. Texts and blobs are copied. A fault shows in step().
  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, double value);
  SqliteStatement& bind_text(int parameter, std::string_view text);
  SqliteStatement& bind_blob(int parameter, std::string_view bytes);
  SqliteStatement& bind_null(int parameter);

  /// The next row: true while there is one. Errors: Io (a full disk among them, see SqliteDatabase::full),
  /// Malformed (the file is damaged), Conflict (locked), TimedOut (the deadline of the database passed).
  base::Result<bool> step();
  /// Steps to the end and makes it ready for other parameters.
  base::Status run();
  /// Makes it ready for other parameters.
  void reset();

  /// Columns count from 0. Another type is converted as SQLite does; null is 0 or "".
  std::int64_t integer(int column) const;
  double real(int column) const;
  bool is_null(int column) const;
  /// A copy; both also for blobs.
  std::string text(int column) const;
  /// Valid until the next step() or reset().
  std::string_view bytes(int column) const;

 private:
  friend class SqliteDatabase;
  struct State;
  std::unique_ptr<State> state_;
};

/// One connection. For one thread.
class SqliteDatabase {
 public:
  /// Opens a file. A file that is written gets a write-ahead log, so that readers do not wait, and gives the
  /// space of what was deleted back on request. A file whose log cannot be used (a folder that we may not
  /// write) is read as it is. Errors: NotFound, Denied, Malformed (no database, or damaged), Conflict
  /// (locked), Io.
  static base::Result<SqliteDatabase> open(const std::string& path, const SqliteOptions& options);
  SqliteDatabase(SqliteDatabase&& other) noexcept;
  SqliteDatabase& operator=(SqliteDatabase&& other) noexcept;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;
  ~SqliteDatabase();

  base::Result<SqliteStatement> prepare(std::string_view sql);
  /// Runs one or more statements without parameters.
  base::Status execute(const std::string& sql);
  /// The first column of the first row; NotFound where there is no row.
  base::Result<std::int64_t> number(std::string_view sql);

  /// A transaction that writes. Only one at a time.
  base::Status begin();
  base::Status commit();
  /// Drops what was not committed. Never fails.
  void rollback();

  /// From now on work is ended after so long with TimedOut; zero: never.
  void set_deadline(std::chrono::milliseconds deadline);
  /// Malformed with what is wrong, when the file's structure is damaged. Reads all of it. The quick check
  /// leaves out whether indexes agree with their tables.
  base::Status check(bool quick);
  /// The last error was a disk without room, or a quota.
  bool full() const;
  /// Bytes of the heap that SQLite holds now in this process.
  static std::int64_t heap_bytes();

 private:
  SqliteDatabase();
  base::Status begin_file();
  friend class SqliteStatement;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::kit
