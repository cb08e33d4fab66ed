// Files: bounded reading, and writing that is whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "support/paths.h"
#include "support/run.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using ::testing::ElementsAre;

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(ReadFile, GivesTheWholeFileUpToTheLimitAndRefusesMore) {
  const TempFolder folder;
  const std::string path = folder.write("a", "0123456789");
  const auto whole = base::read_file(path, 10);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(*whole, "0123456789");
  const auto cut = base::read_file(path, 9);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(cut.error().where, path);
}

TEST(ReadFile, OfWhatIsMissingOrNoFileSaysSo) {
  const TempFolder folder;
  EXPECT_EQ(base::read_file(folder.path() + "/none", 10).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(base::read_file(folder.path(), 10).error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(base::read_file("/dev/zero", 10).error().kind, ErrorKind::Unsupported);
}

TEST(ReadFile, OfAPipeWithoutWriterDoesNotHang) {
  const TempFolder folder;
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(base::read_file(path, 10).error().kind, ErrorKind::Unsupported);
}

TEST(AtomicFile, AppearsWholeWithItsModeAndReplacesTheOldOne) {
  const TempFolder folder;
  const std::string path = folder.write("out", "old");
  ASSERT_TRUE(base::write_file_atomically(path, "new content", 0640).ok());
  EXPECT_EQ(read_file(path), "new content");
  EXPECT_EQ(mode_of(path), 0640U);
  EXPECT_THAT(*base::list_directory(folder.path()), ElementsAre("out"));
}

TEST(AtomicFile, DroppedBeforeCommitLeavesTheOldFileAndNoRubbish) {
  const TempFolder folder;
  const std::string path = folder.write("out", "old");
  {
    auto file = base::AtomicFile::create(path, 0600);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("half of").ok());
    EXPECT_EQ(read_file(path), "old");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(*base::list_directory(folder.path()), ElementsAre("out"));
}

TEST(AtomicFile, InAFolderThatDoesNotExistIsAnError) {
  const auto status = base::write_file_atomically("/nonexistent/folder/out", "x", 0600);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::NotFound);
}

TEST(ListDirectory, IsSortedAndBounded) {
  const TempFolder folder;
  folder.write("b", "");
  folder.write("a", "");
  folder.write("c", "");
  EXPECT_THAT(*base::list_directory(folder.path()), ElementsAre("a", "b", "c"));
  EXPECT_EQ(base::list_directory(folder.path(), 2).error().kind, ErrorKind::Malformed);
  EXPECT_EQ(base::list_directory(folder.path() + "/a").error().kind, ErrorKind::NotFound);
}

TEST(ReadLink, TellsTheTargetAndRefusesFiles) {
  const TempFolder folder;
  ASSERT_EQ(::symlink("../else/where", (folder.path() + "/link").c_str()), 0);
  EXPECT_EQ(*base::read_link(folder.path() + "/link"), "../else/where");
  EXPECT_EQ(base::read_link(folder.write("file", "")).error().kind, ErrorKind::Unsupported);
}

TEST(Fd, ClosesWhatItOwnsAndForgetsWhatItGaveAway) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  {
    base::Fd reader(ends[0]);
    base::Fd moved(std::move(reader));
    EXPECT_FALSE(reader.valid());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(moved.get(), ends[0]);
  }
  EXPECT_EQ(::fcntl(ends[0], F_GETFD), -1);
  base::Fd writer(ends[1]);
  EXPECT_EQ(writer.release(), ends[1]);
  EXPECT_FALSE(writer.valid());
  EXPECT_EQ(::close(ends[1]), 0);
}

TEST(RangeStream, GivesItsPartOnly) {
  auto file = base::temporary_file();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(base::write_all(file->get(), "0123456789", "temporary").ok());
  base::RangeStream stream(file->get(), 3, 4);
  EXPECT_EQ(*base::read_all(stream, 100), "3456");
  base::RangeStream beyond(file->get(), 8, 100);
  EXPECT_EQ(*base::read_all(beyond, 1000), "89");
}

TEST(JoinPath, PutsOneSlashBetween) {
  EXPECT_EQ(base::join_path("a", "b"), "a/b");
  EXPECT_EQ(base::join_path("a/", "/b"), "a/b");
  EXPECT_EQ(base::join_path("/", "b"), "/b");
}

}  // namespace
}  // namespace gpuwright::tests
