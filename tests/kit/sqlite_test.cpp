// What the history relies on: bounded memory, errors that are told apart, and a file that outlives its
// writer.
// SPDX-License-Identifier: Apache-2.0
#include "kit/sqlite.h"

#include "base/files.h"

#include "support/paths.h"
#include "support/run.h"
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using kit::SqliteAccess;
using kit::SqliteDatabase;
using kit::SqliteOptions;

SqliteOptions writing() {
  SqliteOptions options;
  options.access = SqliteAccess::Create;
  options.busy = std::chrono::milliseconds(20);
  return options;
}

TEST(Sqlite, KeepsWhatWasCommittedAndNothingElse) {
  const TempFolder folder;
  const std::string path = folder.path() + "/a?b#c%d.db";  // each means something in a URI
  auto database = SqliteDatabase::open(path, writing());
  ASSERT_TRUE(database.ok()) << database.error().text();
  ASSERT_TRUE(database->execute("CREATE TABLE t(a INTEGER, b REAL, c TEXT, d BLOB)").ok());
  auto insert = database->prepare("INSERT INTO t VALUES(?, ?, ?, ?)");
  ASSERT_TRUE(insert.ok());
  const std::string zero("a\0b", 3);
  ASSERT_TRUE(database->begin().ok());
  EXPECT_TRUE(
      insert->bind(1, std::int64_t{1} << 60).bind(2, 0.1).bind_text(3, "ä").bind_blob(4, zero).run().ok());
  EXPECT_TRUE(database->commit().ok());
  ASSERT_TRUE(database->begin().ok());
  EXPECT_TRUE(insert->bind(1, std::int64_t{2}).bind_null(2).run().ok());
  database->rollback();
  database->rollback();  // without a transaction it does nothing

  auto reader = SqliteDatabase::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  EXPECT_EQ(reader->number("SELECT count(*) FROM t").value_or(-1), 1);
  auto row = reader->prepare("SELECT * FROM t");
  ASSERT_TRUE(row.ok() && row->step().value_or(false));
  EXPECT_EQ(row->integer(0), std::int64_t{1} << 60);
  EXPECT_EQ(row->real(1), 0.1);
  EXPECT_EQ(row->text(2), "ä");
  EXPECT_EQ(row->text(3), zero);
  EXPECT_FALSE(row->is_null(3));
  EXPECT_EQ(reader->execute("DELETE FROM t").error().kind, ErrorKind::Denied);
  EXPECT_TRUE(reader->check(false).ok());
}

TEST(Sqlite, TellsErrorsApart) {
  const TempFolder folder;
  EXPECT_EQ(SqliteDatabase::open(folder.path() + "/none.db", {}).error().kind, ErrorKind::NotFound);
  const std::string text = folder.write("text.db", std::string(5000, 'x'));
  EXPECT_EQ(SqliteDatabase::open(text, {}).error().kind, ErrorKind::Malformed);

  auto one = SqliteDatabase::open(folder.path() + "/a.db", writing());
  auto two = SqliteDatabase::open(folder.path() + "/a.db", writing());
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE(one->begin().ok());
  EXPECT_EQ(two->begin().error().kind, ErrorKind::Conflict);
  one->rollback();
  EXPECT_TRUE(two->begin().ok());
  EXPECT_EQ(one->prepare("SELEC").error().kind, ErrorKind::Internal);
  auto wrong = one->prepare("SELECT ?");
  ASSERT_TRUE(wrong.ok());
  EXPECT_EQ(wrong->bind(7, std::int64_t{1}).step().error().kind, ErrorKind::Internal);
}

TEST(Sqlite, AFullFileIsTold) {
  const TempFolder folder;
  auto database = SqliteDatabase::open(folder.path() + "/a.db", writing());
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE(database->execute("CREATE TABLE t(a BLOB); PRAGMA max_page_count = 20;").ok());
  const base::Status filled = database->execute("INSERT INTO t VALUES(zeroblob(500000))");
  ASSERT_FALSE(filled.ok());
  EXPECT_EQ(filled.error().kind, ErrorKind::Io);
  EXPECT_TRUE(database->full());
  EXPECT_FALSE(database->execute("nonsense").ok());
  EXPECT_FALSE(database->full());
}

TEST(Sqlite, WorkEndsAtItsDeadline) {
  const TempFolder folder;
  auto database = SqliteDatabase::open(folder.path() + "/a.db", writing());
  ASSERT_TRUE(database.ok());
  const char* endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  database->set_deadline(std::chrono::milliseconds(30));
  EXPECT_EQ(database->number(endless).error().kind, ErrorKind::TimedOut);
  database->set_deadline(std::chrono::milliseconds(0));
  EXPECT_EQ(database->number("SELECT 7").value_or(0), 7);
}

TEST(Sqlite, ADamagedPageIsFound) {
  const TempFolder folder;
  const std::string path = folder.path() + "/a.db";
  {
    auto database = SqliteDatabase::open(path, writing());
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->execute("CREATE TABLE t(a BLOB)").ok());
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(database->execute("INSERT INTO t VALUES(randomblob(3000))").ok());
  }
  std::string bytes = read_file(path);
  ASSERT_GT(bytes.size(), 100000U);
  bytes.replace(20 * 4096, 200, std::string(200, '\xff'));
  folder.write("a.db", bytes);
  auto database = SqliteDatabase::open(path, {});
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(database->check(true).error().kind, ErrorKind::Malformed);
}

TEST(Sqlite, MemoryStaysBounded) {
  const TempFolder folder;
  auto database = SqliteDatabase::open(folder.path() + "/a.db", writing());
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE(database->execute("CREATE TABLE t(a BLOB)").ok());
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(database->execute("INSERT INTO t VALUES(randomblob(3000))").ok());
  EXPECT_TRUE(database->number("SELECT count(*) FROM t WHERE hex(a) LIKE '%00%'").ok());
  EXPECT_LT(SqliteDatabase::heap_bytes(), 1500000);
}

}  // namespace
}  // namespace gpuwright::tests
