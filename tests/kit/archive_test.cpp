// Archives: ours are reproducible, others' are hostile.
// SPDX-License-Identifier: Apache-2.0
#include "kit/archive.h"

#include "base/files.h"
#include "kit/compress.h"

#include "support/paths.h"
#include "support/run.h"
#include "support/tar.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

/// "name=content" of each file, "name(kind)" of the rest; then "! message" of the error that ended it.
std::vector<std::string> members(const std::string& bytes, kit::ArchiveLimits limits = {}) {
  std::vector<std::string> found;
  auto plain = kit::decompressed(std::make_unique<base::MemoryStream>(bytes));
  auto reader = kit::ArchiveReader::open(std::move(*plain), limits);
  if (!reader) return {"! " + reader.error().message};
  std::string buffer(1000, '\0');
  while (true) {
    auto entry = (*reader)->next();
    if (!entry) found.push_back("! " + entry.error().message);
    if (!entry || !*entry) return found;
    if ((*entry)->kind != kit::ArchiveEntryKind::File) {
      found.push_back((*entry)->path + "(" + std::to_string(static_cast<int>((*entry)->kind)) + ")");
      continue;
    }
    std::string content;
    while (true) {
      const auto got = (*reader)->read(std::span<char>(buffer.data(), buffer.size()));
      if (!got) found.push_back("! " + got.error().message);
      if (!got) return found;
      if (*got == 0) break;
      content.append(buffer.data(), *got);
    }
    found.push_back((*entry)->path + "=" + content);
  }
}

std::string archive_of(const TarMember& member) {
  return tar_member({"fine.log", "fine"}) + tar_member(member) + tar_end();
}

TEST(Archive, MembersComeWithTidiedNames) {
  const std::string bytes =
      tar_member({"./a//b/./c.log", "text"}) + tar_member({"dir/", "", '5'}) + tar_end();
  EXPECT_THAT(members(bytes), ::testing::ElementsAre("a/b/c.log=text", "dir(1)"));
}

TEST(Archive, WithAnAbsolutePathIsRefused) {
  EXPECT_THAT(members(archive_of({"/etc/cron.d/x", "boo"})).back(), HasSubstr("absolute path: refused"));
}

TEST(Archive, WithAPathOutsideIsRefused) {
  for (const char* name : {"../x", "a/../../x", "a/..", ".."}) {
    EXPECT_THAT(members(archive_of({name, "boo"})).back(), HasSubstr("refused")) << name;
  }
}

TEST(Archive, WithControlBytesInANameIsRefused) {
  EXPECT_THAT(members(archive_of({"a\x1b[31m", "boo"})).back(), HasSubstr("control bytes"));
  EXPECT_THAT(members(archive_of({"a\nb", "boo"})).back(), HasSubstr("control bytes"));
}

TEST(Archive, LinksAndDevicesAreToldApartFromFiles) {
  EXPECT_EQ(members(archive_of({"l", "", '2', "/etc/shadow"})).back(), "l(2)");
  EXPECT_EQ(members(archive_of({"h", "", '1', "/etc/shadow"})).back(), "h(2)");
  EXPECT_EQ(members(archive_of({"d", "", '3'})).back(), "d(3)");
  EXPECT_EQ(members(archive_of({"p", "", '6'})).back(), "p(3)");
}

TEST(Archive, BeyondItsLimitsIsRefused) {
  kit::ArchiveLimits few;
  few.max_entries = 3;
  std::string many;
  for (int number = 0; number < 10; ++number) many += tar_member({"f" + std::to_string(number), "x"});
  EXPECT_EQ(members(many + tar_end(), few).size(), 4U);
  EXPECT_THAT(members(many + tar_end(), few).back(), HasSubstr("more than 3 members: refused"));

  kit::ArchiveLimits small;
  small.max_entry_bytes = 100;
  EXPECT_THAT(members(archive_of({"big", std::string(101, 'x')}), small).back(), HasSubstr("refused"));

  kit::ArchiveLimits total;
  total.max_total_bytes = 5;
  EXPECT_THAT(members(many + tar_end(), total).back(), HasSubstr("more than 5 bytes: refused"));
}

TEST(Archive, ThatClaimsMoreThanItHoldsEndsWithAnError) {
  TarMember liar{"liar", "few bytes"};
  liar.claimed_size = 1'000'000;
  EXPECT_THAT(members(tar_member(liar)).back(), HasSubstr("! "));
  TarMember huge{"huge", ""};
  huge.claimed_size = std::uint64_t{1} << 32;
  kit::ArchiveLimits limits;
  limits.max_entry_bytes = 1000;
  EXPECT_THAT(members(tar_member(huge) + tar_end(), limits).back(), HasSubstr("refused"));
}

TEST(Archive, ThatIsCutGivesTheMembersBefore) {
  const std::string bytes = tar_member({"a", "whole"}) + tar_member({"b", std::string(2000, 'x')});
  const auto found = members(bytes.substr(0, bytes.size() - 1000));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "a=whole");
  EXPECT_THAT(found[1], HasSubstr("! damaged"));
}

TEST(LooksLikeTar, ChecksTheHeadersSum) {
  std::string block = tar_member({"a", "text"});
  EXPECT_TRUE(kit::looks_like_tar(block));
  block[0] = 'b';
  EXPECT_FALSE(kit::looks_like_tar(block));
  EXPECT_FALSE(kit::looks_like_tar(std::string(512, '\0')));
  EXPECT_FALSE(kit::looks_like_tar("short"));
}

std::string write_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  const TempFolder folder;
  const std::string path = folder.path() + "/out.tar.gz";
  const base::Fd fd(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  auto writer = kit::ArchiveWriter::open(fd.get());
  EXPECT_TRUE(writer.ok());
  for (const auto& file : files) {
    base::MemoryStream content(file.second);
    EXPECT_TRUE((*writer)->add(file.first, file.second.size(), content).ok());
  }
  EXPECT_TRUE((*writer)->finish().ok());
  return read_file(path);
}

TEST(ArchiveWriter, GivesEqualBytesForEqualMembersAndIsReadByTar) {
  const std::string long_name = "files/" + std::string(150, 'n') + "/" + std::string(90, 'm');
  const std::vector<std::pair<std::string, std::string>> files = {
      {"manifest.json", "{}"}, {long_name, "long"}, {"empty", ""}, {"big", std::string(100'000, 'b')}};
  const std::string bytes = write_archive(files);
  EXPECT_EQ(bytes, write_archive(files));
  const auto found = members(bytes);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "manifest.json={}");
  EXPECT_EQ(found[1], long_name + "=long");
  EXPECT_EQ(found[2], "empty=");
  EXPECT_EQ(found[3], "big=" + std::string(100'000, 'b'));
  const Ran listed = run({"tar", "tzf", "-"}, bytes);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(listed.out, "manifest.json\n" + long_name + "\nempty\nbig\n");
}

TEST(ArchiveWriter, RefusesAMemberThatIsShorterThanAnnounced) {
  const TempFolder folder;
  const base::Fd fd(::open((folder.path() + "/out").c_str(), O_CREAT | O_WRONLY, 0600));
  auto writer = kit::ArchiveWriter::open(fd.get());
  base::MemoryStream content("short");
  EXPECT_FALSE((*writer)->add("a", 100, content).ok());
}

}  // namespace
}  // namespace gpuwright::tests
