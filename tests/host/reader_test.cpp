// Reading through a child: the same answers as directly, and files that never answer.
// SPDX-License-Identifier: Apache-2.0
#include "host/reader.h"

#include "support/run.h"
#include "support/stuck_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Clock = std::chrono::steady_clock;

TEST(Reader, AnswersAsTheFilesDo) {
  const TempFolder folder;
  folder.write("text", "one\ntwo\n");
  folder.write("none", "");
  const std::string large(300'000, 'x');
  folder.write("large", large);
  std::filesystem::create_directories(folder.path() + "/empty");
  ASSERT_EQ(::symlink("text", (folder.path() + "/link").c_str()), 0);
  host::Reader reader("");
  EXPECT_EQ(*reader.read_file(folder.path() + "/text", 100), "one\ntwo\n");
  EXPECT_EQ(*reader.read_file(folder.path() + "/none", 100), "");
  EXPECT_EQ(*reader.read_file(folder.path() + "/large", 1 << 20), large);
  EXPECT_EQ(reader.read_file(folder.path() + "/large", 1000).error().kind, ErrorKind::Malformed);
  const auto missing = reader.read_file(folder.path() + "/absent", 100);
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message, "no such file or directory");
  EXPECT_EQ(missing.error().where, folder.path() + "/absent");
  EXPECT_THAT(*reader.list_directory(folder.path()), ElementsAre("empty", "large", "link", "none", "text"));
  EXPECT_THAT(*reader.list_directory(folder.path() + "/empty"), IsEmpty());
  EXPECT_EQ(*reader.read_link(folder.path() + "/link"), "text");
  EXPECT_EQ(reader.read_link(folder.path() + "/text").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(reader.hangs(), 0);
}

TEST(Reader, TellsWhatAPathIs) {
  const TempFolder folder;
  const std::string file = folder.write("file", "");
  ASSERT_EQ(::chmod(file.c_str(), 04750), 0);
  ASSERT_EQ(::symlink("file", (folder.path() + "/link").c_str()), 0);
  host::Reader reader("");
  const auto status = reader.status_of(file);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->kind, base::FileKind::Regular);
  EXPECT_EQ(status->mode, 04750U);
  EXPECT_EQ(status->uid, static_cast<std::int64_t>(::getuid()));
  EXPECT_FALSE(status->device.has_value());
  EXPECT_EQ(reader.status_of(folder.path() + "/link")->kind, base::FileKind::Link);
  EXPECT_EQ(reader.status_of(folder.path())->kind, base::FileKind::Directory);
  const auto null = reader.status_of("/dev/null");
  EXPECT_EQ(null->kind, base::FileKind::CharacterDevice);
  EXPECT_EQ(null->device, (base::DeviceNumber{1, 3}));
  EXPECT_EQ(reader.status_of("/none").error().kind, ErrorKind::NotFound);
}

TEST(Reader, AsksTenThousandTimesThroughOneChild) {
  const TempFolder folder;
  const std::string path = folder.write("file", "text");
  host::Reader reader("");
  for (int at = 0; at < 10'000; ++at) ASSERT_EQ(*reader.read_file(path, 100), "text");
  EXPECT_EQ(reader.left_behind(), 0);
}

TEST(Subject, IsWhatCanBeSickAlone) {
  EXPECT_EQ(host::subject_of("/sys/bus/pci/devices/0000:3b:00.0/current_link_speed"),
            "/sys/bus/pci/devices/0000:3b:00.0");
  EXPECT_EQ(host::subject_of("/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/numa_node"),
            "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0");
  EXPECT_EQ(host::subject_of("/sys/class/infiniband/mlx5_0/ports/1/state"), "/sys/class/infiniband/mlx5_0");
  EXPECT_EQ(host::subject_of("/sys/block/nvme0n1/queue/scheduler"), "/sys/block/nvme0n1");
  EXPECT_EQ(host::subject_of("/proc/driver/nvidia/gpus/0000:3b:00.0/information"),
            "/proc/driver/nvidia/gpus/0000:3b:00.0");
  EXPECT_EQ(host::subject_of("/proc/driver/nvidia/params"), "/proc/driver/nvidia");
  EXPECT_EQ(host::subject_of("/proc/4711/cmdline"), "/proc/4711");
  EXPECT_EQ(host::subject_of("/proc/modules"), "/proc/modules");
  EXPECT_EQ(host::subject_of("/sys//devices/../module/nvidia/version"), "/sys/module/nvidia");
}

/// Two folders whose files never answer beside one whose files do.
class Stuck : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root() + "/healthy");
    folder_.write("root/healthy/file", "fine");
    for (const char* name : {"/sick", "/dead"}) std::filesystem::create_directories(root() + name);
  }
  std::string root() const { return folder_.path() + "/root"; }
  static host::ReaderLimits quick() {
    host::ReaderLimits limits;
    limits.request = milliseconds(150);
    limits.least = milliseconds(50);
    limits.purse = milliseconds(400);
    return limits;
  }

  host::Claims claims() const { return {claims_.path(), ""}; }

  TempFolder folder_;
  TempFolder claims_;
};

TEST_F(Stuck, AFileThatNeverAnswersIsTimedOutAndTheOthersAreRead) {
  const StuckFiles sick(root() + "/sick");
  if (!sick.mounted()) GTEST_SKIP() << sick.why();
  host::Reader reader(root(), quick(), claims());
  const auto begin = Clock::now();
  EXPECT_EQ(*reader.read_file("/healthy/file", 100), "fine");
  const auto stuck = reader.read_file("/sick/device/file", 100);
  EXPECT_EQ(stuck.error().kind, ErrorKind::NotFound) << "a name below a file";
  EXPECT_TRUE(reader.status_of("/sick/file").ok());
  const auto silent = reader.read_file("/sick/file", 100);
  ASSERT_FALSE(silent.ok());
  EXPECT_EQ(silent.error().kind, ErrorKind::TimedOut);
  EXPECT_THAT(silent.error().message, HasSubstr("no answer after 1"));
  EXPECT_EQ(*reader.read_file("/healthy/file", 100), "fine") << "by a fresh reader";
  EXPECT_EQ(reader.hangs(), 1);
  EXPECT_EQ(reader.left_behind(), 1) << "SIGKILL does not reach it";
  EXPECT_EQ(own_sleepers("gpuwright-read"), 1);
  EXPECT_LT(Clock::now() - begin, milliseconds(2000));
}

TEST_F(Stuck, WhatHungIsNotAskedAgain) {
  const StuckFiles sick(root() + "/sick");
  if (!sick.mounted()) GTEST_SKIP() << sick.why();
  host::ReaderLimits limits = quick();
  host::Reader reader(root(), limits, claims());
  for (int at = 0; at < 100; ++at) {
    // The folder counts, not the file: a thousand files of one device cost one reader.
    const auto silent = reader.read_file("/sys/class/net/eth0/" + std::to_string(at), 100);
    EXPECT_EQ(silent.error().kind, ErrorKind::NotFound);
  }
  std::filesystem::create_directories(root() + "/sys/class/net/eth0");
  const StuckFiles network(root() + "/sys/class/net/eth0");
  ASSERT_TRUE(network.mounted()) << network.why();
  for (int at = 0; at < 100; ++at) {
    const auto silent = reader.read_file("/sys/class/net/eth0/" + std::to_string(at), 100);
    EXPECT_EQ(silent.error().kind, ErrorKind::TimedOut);
    if (at > 0) {
      EXPECT_THAT(silent.error().message, HasSubstr("not asked: /sys/class/net/eth0/0"));
    }
  }
  EXPECT_EQ(reader.hangs(), 1);
}

TEST_F(Stuck, WhatAnEarlierReaderWaitsForIsNotAsked) {
  const StuckFiles sick(root() + "/sick");
  if (!sick.mounted()) GTEST_SKIP() << sick.why();
  {
    host::Reader reader(root(), quick(), claims());
    EXPECT_FALSE(reader.read_file("/sick/deep/file", 100).ok());
    EXPECT_FALSE(reader.read_file("/sick/file", 100).ok());
  }
  ASSERT_EQ(claims().holders().size(), 1U);
  EXPECT_EQ(claims().holders().front().what, root() + "/sick/file");
  host::Reader reader(root(), quick(), claims());
  const auto silent = reader.read_file("/sick/file", 100);
  EXPECT_EQ(silent.error().kind, ErrorKind::TimedOut);
  EXPECT_THAT(silent.error().message, HasSubstr("of an earlier look still waits"));
  EXPECT_EQ(*reader.read_file("/healthy/file", 100), "fine");
  EXPECT_EQ(own_sleepers("gpuwright-read"), 1);
  host::ReaderLimits none = quick();
  none.left_behind = 1;
  EXPECT_THAT(host::Reader(root(), none, claims()).read_file("/healthy/file", 100).error().message,
              HasSubstr("1 processes of earlier looks"));
}

TEST_F(Stuck, ManySickSubjectsAreBounded) {
  const StuckFiles sick(root() + "/sick");
  if (!sick.mounted()) GTEST_SKIP() << sick.why();
  host::Reader reader(root(), quick(), claims());
  const auto begin = Clock::now();
  for (int at = 0; at < 50; ++at) {
    // Each a subject of its own: links to the same silent folder.
    std::filesystem::create_directories(root() + "/sys/block");
    const std::string name = "/sys/block/disk" + std::to_string(at);
    ASSERT_EQ(::symlink("/sick", (root() + name).c_str()), 0);
    EXPECT_EQ(reader.read_file(name + "/stat", 100).error().kind, ErrorKind::TimedOut);
  }
  EXPECT_EQ(*host::Reader(root(), quick(), claims()).read_file("/healthy/file", 100), "fine");
  EXPECT_EQ(reader.hangs(), quick().hangs);
  EXPECT_THAT(reader.read_file("/healthy/file", 100).error().message, HasSubstr("other reads hang"));
  EXPECT_LT(Clock::now() - begin, milliseconds(3000));
}

TEST_F(Stuck, SleepersEndWithTheMount) {
  {
    const StuckFiles sick(root() + "/sick");
    if (!sick.mounted()) GTEST_SKIP() << sick.why();
    host::Reader reader(root(), quick(), claims());
    EXPECT_FALSE(reader.read_file("/sick/file", 100).ok());
    EXPECT_EQ(own_sleepers("gpuwright-read"), 1);
  }
  for (int tries = 0; tries < 200 && own_sleepers("gpuwright-read") > 0; ++tries) ::usleep(10'000);
  EXPECT_EQ(own_sleepers("gpuwright-read"), 0);
}

}  // namespace
}  // namespace gpuwright::tests
