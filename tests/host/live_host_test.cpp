// A mounted disk: its links stay inside it, its pipes do not hang us, its programs are not run.
// SPDX-License-Identifier: Apache-2.0
#include "host/live_host.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using ::testing::ElementsAre;

class Sysroot : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("secret", "outside");
    std::filesystem::create_directories(root() + "/var/log");
    folder_.write("root/var/log/kern.log", "inside");
  }
  std::string root() const { return folder_.path() + "/root"; }
  void link(const std::string& target, const std::string& name) const {
    ASSERT_EQ(::symlink(target.c_str(), (root() + name).c_str()), 0);
  }
  std::string read(const std::string& path) const {
    auto text = host::LiveHost(root()).read_file(path, 1000);
    return text ? *text : std::string("error: ") + base::kind_name(text.error().kind);
  }

  TempFolder folder_;
};

TEST_F(Sysroot, FilesAreReadBelowIt) {
  EXPECT_EQ(read("/var/log/kern.log"), "inside");
  EXPECT_EQ(read("var/log/../log/./kern.log"), "inside");
  EXPECT_EQ(read("/none"), "error: not found");
  EXPECT_THAT(*host::LiveHost(root()).list_directory("/var/log"), ElementsAre("kern.log"));
}

TEST_F(Sysroot, LinksNeverLeadOutOfIt) {
  link("../../../../../secret", "/var/log/relative");
  link(folder_.path() + "/secret", "/var/log/absolute");
  link("/", "/top");
  link("..", "/up");
  EXPECT_EQ(read("/var/log/relative"), "error: not found");
  EXPECT_EQ(read("/var/log/absolute"), "error: not found");
  EXPECT_EQ(read("/top/../secret"), "error: not found");
  EXPECT_EQ(read("/up/secret"), "error: not found");
  EXPECT_EQ(read("/../secret"), "error: not found");
  EXPECT_EQ(read("/top/var/log/kern.log"), "inside") << "an absolute link begins at the sysroot";
}

TEST_F(Sysroot, LinksInsideAreFollowed) {
  link("kern.log", "/var/log/current");
  link("/var/log", "/logs");
  EXPECT_EQ(read("/var/log/current"), "inside");
  EXPECT_EQ(read("/logs/current"), "inside");
  EXPECT_EQ(*host::LiveHost(root()).read_link("/logs"), "/var/log");
  EXPECT_THAT(*host::LiveHost(root()).list_directory("/logs"), ElementsAre("current", "kern.log"));
}

TEST_F(Sysroot, ALoopOfLinksIsAnError) {
  link("b", "/a");
  link("a", "/b");
  EXPECT_EQ(read("/a"), "error: malformed");
}

TEST_F(Sysroot, PipesAndFoldersAreNoFiles) {
  ASSERT_EQ(::mkfifo((root() + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("/pipe"), "error: unsupported");
  EXPECT_EQ(read("/var"), "error: unsupported");
}

TEST_F(Sysroot, NothingIsRunAndNoLogIsInMemory) {
  host::LiveHost disk(root());
  EXPECT_FALSE(disk.live());
  EXPECT_EQ(disk.run({"true"}, std::chrono::seconds(1)).error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(disk.kernel_log().error().kind, ErrorKind::Unsupported);
}

TEST(LiveHost, RunsToolsWithADeadline) {
  host::LiveHost machine;
  const auto answer = machine.run({"echo", "hello"}, std::chrono::seconds(10));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->output, "hello\n");
  const auto late = machine.run({"sleep", "60"}, std::chrono::milliseconds(100));
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late->timed_out);
  EXPECT_EQ(machine.run({"no-such-tool-anywhere"}, std::chrono::seconds(1)).error().kind,
            ErrorKind::NotFound);
}

TEST(CommandSlug, IsSafeAndOneForEachArgv) {
  EXPECT_EQ(host::command_slug({"nvidia-smi", "-q"}), "nvidia-smi_-q");
  EXPECT_EQ(host::command_slug({"a", "../b c"}), "a_..%2fb%20c");
  EXPECT_NE(host::command_slug({"a_b"}), host::command_slug({"a", "b"}));
}

TEST(NormalPath, StaysBelowTheRoot) {
  EXPECT_EQ(host::normal_path("a//b/./c/"), "/a/b/c");
  EXPECT_EQ(host::normal_path("/a/../../../b"), "/b");
  EXPECT_EQ(host::normal_path(""), "/");
}

}  // namespace
}  // namespace gpuwright::tests
