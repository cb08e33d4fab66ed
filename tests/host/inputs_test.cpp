// What a person names: files, folders, archives, in all their states.
// SPDX-License-Identifier: Apache-2.0
#include "host/inputs.h"

#include "kit/compress.h"

#include "support/run.h"
#include "support/tar.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Opened {
  std::vector<std::string> texts;  ///< "name=text", the folder's own path cut off
  std::vector<std::string> notes;
  std::string error;
};

Opened open_all(const TempFolder& folder, const std::vector<std::string>& paths,
                host::InputLimits limits = {}) {
  Opened opened;
  auto inputs = host::open_inputs(paths, limits);
  if (!inputs) return {{}, {}, inputs.error().text()};
  for (auto& document : inputs->documents) {
    const auto text = base::read_all(*document.content, 1 << 20);
    opened.texts.push_back(document.name.substr(folder.path().size() + 1) + "=" +
                           (text ? *text : "! " + text.error().message));
  }
  opened.notes = inputs->could_not_look;
  return opened;
}

TEST(OpenInputs, ReadsFilesInTheOrderGivenAndUnpacksThem) {
  const TempFolder folder;
  const std::string b = folder.write("b.log", "bee");
  const std::string a = folder.write("a.log.gz", kit::gzip("ay"));
  EXPECT_THAT(open_all(folder, {b, a}).texts, ElementsAre("b.log=bee", "a.log.gz=ay"));
}

TEST(OpenInputs, ReadsFoldersSortedAndDeep) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/d/z/y");
  folder.write("d/c", "1");
  folder.write("d/a.gz", kit::gzip("2"));
  folder.write("d/z/y/x", "3");
  const Opened opened = open_all(folder, {folder.path() + "/d"});
  EXPECT_THAT(opened.texts, ElementsAre("d/a.gz=2", "d/c=1", "d/z/y/x=3"));
  EXPECT_THAT(opened.notes, IsEmpty());
}

TEST(OpenInputs, TellsWhatItPassedOverInAFolder) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/d");
  folder.write("d/a", "1");
  ASSERT_EQ(::symlink("/etc/shadow", (folder.path() + "/d/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder.path() + "/d/pipe").c_str(), 0600), 0);
  const Opened opened = open_all(folder, {folder.path() + "/d"});
  EXPECT_THAT(opened.texts, ElementsAre("d/a=1"));
  EXPECT_THAT(opened.notes,
              ElementsAre(HasSubstr("1 links were not followed"), HasSubstr("1 pipes, sockets or devices")));
}

TEST(OpenInputs, OfAnEmptyFolderSaysThatItHoldsNothing) {
  const TempFolder folder;
  EXPECT_THAT(open_all(folder, {folder.path()}).notes, ElementsAre(HasSubstr("holds no file")));
}

TEST(OpenInputs, OfSomethingMissingIsAnErrorThatNamesIt) {
  const TempFolder folder;
  EXPECT_EQ(open_all(folder, {"/nonexistent/x.log"}).error, "/nonexistent/x.log: no such file or directory");
}

TEST(OpenInputs, BoundsTheNumberOfDocuments) {
  const TempFolder folder;
  for (int number = 0; number < 5; ++number) folder.write("f" + std::to_string(number), "x");
  host::InputLimits limits;
  limits.max_documents = 3;
  EXPECT_THAT(open_all(folder, {folder.path()}, limits).error, HasSubstr("more than 3 files"));
}

TEST(OpenInputs, GivesOneDocumentAMemberOfAnArchive) {
  const TempFolder folder;
  const std::string inner = tar_member({"deep.log", "deep"}) + tar_end();
  const std::string bytes = tar_member({"var/log/syslog", "sys"}) + tar_member({"./a.gz", kit::gzip("ay")}) +
                            tar_member({"inner.tar.gz", kit::gzip(inner)}) +
                            tar_member({"l", "", '2', "/etc/shadow"}) +
                            tar_member({"var/log/syslog", "again"}) + tar_end();
  const std::string path = folder.write("logs.tgz", kit::gzip(bytes));
  const Opened opened = open_all(folder, {path});
  EXPECT_THAT(opened.texts, ElementsAre("logs.tgz/a.gz=ay", "logs.tgz/inner.tar.gz/deep.log=deep",
                                        "logs.tgz/var/log/syslog=sys", "logs.tgz/var/log/syslog (2)=again"));
  EXPECT_THAT(opened.notes, ElementsAre(HasSubstr("1 links in the archive were not followed")));
}

TEST(OpenInputs, RefusesAnArchiveThatPointsOutside) {
  const TempFolder folder;
  for (const char* name : {"/etc/x", "../x"}) {
    const std::string path =
        folder.write("evil.tar", tar_member({"fine", "fine"}) + tar_member({name, "x"}) + tar_end());
    EXPECT_THAT(open_all(folder, {path}).error, HasSubstr("refused")) << name;
  }
}

TEST(OpenInputs, RefusesAnArchiveThatUnpacksToTooMuch) {
  const TempFolder folder;
  const std::string path =
      folder.write("bomb.tgz", kit::gzip(tar_member({"big", std::string(1'000'000, 'x')}) + tar_end()));
  host::InputLimits limits;
  limits.max_unpacked = 100'000;
  EXPECT_THAT(open_all(folder, {path}, limits).error, HasSubstr("refused"));
}

TEST(OpenInputs, RefusesToDigThroughArchivesWithoutEnd) {
  const TempFolder folder;
  std::string bytes = tar_member({"log", "text"}) + tar_end();
  for (int depth = 0; depth < 8; ++depth) bytes = tar_member({"next.tar", bytes}) + tar_end();
  const Opened opened = open_all(folder, {folder.write("onion.tar", bytes)});
  EXPECT_THAT(opened.texts, IsEmpty());
  EXPECT_THAT(opened.notes, ElementsAre(HasSubstr("too deep")));
}

TEST(OpenInputs, OfACutArchiveGivesWhatItStillHolds) {
  const TempFolder folder;
  const std::string bytes = tar_member({"a.log", "whole"}) + tar_member({"b.log", std::string(3000, 'x')});
  const Opened opened = open_all(folder, {folder.write("cut.tar", bytes.substr(0, bytes.size() - 2000))});
  ASSERT_GE(opened.texts.size(), 1U);
  EXPECT_EQ(opened.texts[0], "cut.tar/a.log=whole");
  EXPECT_THAT(opened.notes, ElementsAre(HasSubstr("read up to there")));
}

TEST(OpenInputs, OfACutCompressedFileGivesItsGoodPartAndThenTheError) {
  const TempFolder folder;
  std::string text;
  for (int line = 0; line < 50000; ++line) text += "line " + std::to_string(line * 7919 % 100003) + "\n";
  const std::string bytes = kit::gzip(text);
  auto inputs = host::open_inputs({folder.write("x.gz", bytes.substr(0, bytes.size() / 2))});
  ASSERT_TRUE(inputs.ok());
  std::string buffer(1000, '\0');
  const auto first = inputs->documents[0].content->read(std::span<char>(buffer.data(), buffer.size()));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(buffer.substr(0, *first), text.substr(0, *first));
  EXPECT_THAT(base::read_all(*inputs->documents[0].content, 1 << 24).error().message,
              HasSubstr("truncated gzip"));
}

}  // namespace
}  // namespace gpuwright::tests
