// Claims: one holder at a time, seen by others, gone with its process.
// SPDX-License-Identifier: Apache-2.0
#include "host/claims.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::LeftBehind gpu_three() {
  model::LeftBehind holder = host::claim_of("GPU 3");
  holder.pci = "0000:3b:00.0";
  return holder;
}

/// A process that does something and then waits to be killed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      [[maybe_unused]] const auto written = ::write(ends[1], "!", 1);
      for (;;) ::pause();
    }
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST(Claims, AreSeenByOthersAndReleased) {
  const TempFolder folder;
  const host::Claims claims(folder.path(), "");
  auto claim = claims.take("gpu-3", gpu_three());
  ASSERT_TRUE(claim.ok());
  const auto holder = claims.holder("gpu-3");
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->what, "GPU 3");
  EXPECT_EQ(holder->pci, "0000:3b:00.0");
  EXPECT_EQ(holder->pid, ::getpid());
  EXPECT_FALSE(host::is_stuck(*holder)) << "it has just begun";
  EXPECT_EQ(claims.take("gpu-3", gpu_three()).error().kind, base::ErrorKind::Conflict);
  EXPECT_TRUE(claims.take("gpu-4", gpu_three()).ok());
  claim->release();
  EXPECT_FALSE(claims.holder("gpu-3").has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "no file stays";
  EXPECT_TRUE(claims.take("gpu-3", gpu_three()).ok());
}

TEST(Claims, EndWithTheirProcess) {
  const TempFolder folder;
  const host::Claims claims(folder.path(), "");
  Child child([&] {
    // Held until the process ends: not released in order.
    static host::Claim claim = claims.take("gpu-3", gpu_three()).value();
  });
  ASSERT_TRUE(claims.holder("gpu-3").has_value());
  EXPECT_EQ(claims.holder("gpu-3")->pid, child.pid());
  EXPECT_THAT(claims.holders("gpu-"), SizeIs(1));
  child.kill();
  EXPECT_THAT(claims.holders("gpu-"), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "what the dead left is removed";
}

TEST(Claims, OfAChildOutliveTheirParentsDescriptor) {
  const TempFolder folder;
  const host::Claims claims(folder.path(), "");
  host::Claim claim = claims.take("read-1", host::claim_of("/proc/one")).value();
  Child child([] {});
  claim.leave();
  EXPECT_TRUE(claims.holder("read-1").has_value());
  child.kill();
  EXPECT_FALSE(claims.holder("read-1").has_value());
}

TEST(Claims, OfOtherScopesAreOthers) {
  const TempFolder folder;
  const host::Claims real(folder.path(), "");
  const host::Claims simulated(folder.path(), "a1");
  const auto one = simulated.take("gpu-3", gpu_three());
  const auto other = real.take("gpu-3", gpu_three());
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(other.ok());
  EXPECT_THAT(real.holders("gpu-"), SizeIs(1));
  EXPECT_THAT(simulated.holders("gpu-"), SizeIs(1));
  EXPECT_THAT(host::Claims(folder.path(), "b2").holders("gpu-"), IsEmpty());
}

TEST(Claims, WhoHoldsTooLongIsStuck) {
  const TempFolder folder;
  const host::Claims claims(folder.path(), "");
  model::LeftBehind old = gpu_three();
  old.since_ms -= 60'000;
  const auto claim = claims.take("gpu-3", old);
  ASSERT_TRUE(claim.ok());
  EXPECT_THAT(claims.stuck("gpu-"), SizeIs(1));
  EXPECT_GE(host::age_ms(*claims.holder("gpu-3")), 60'000);
  EXPECT_THAT(claims.stuck("nvml-"), IsEmpty());
}

TEST(Claims, GarbageInTheFolderHarmsNobody) {
  const TempFolder folder;
  folder.write("gpu-3", "what is this");
  std::filesystem::create_directories(folder.path() + "/gpu-4");
  ASSERT_EQ(::symlink("/etc/passwd", (folder.path() + "/gpu-5").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder.path() + "/gpu-6").c_str(), 0600), 0);
  const host::Claims claims(folder.path(), "");
  EXPECT_THAT(claims.holders("gpu-"), IsEmpty());
  EXPECT_TRUE(claims.take("gpu-3", gpu_three()).ok());
  EXPECT_TRUE(claims.take("gpu-5", gpu_three()).ok()) << "a claim of nothing: the link is not followed";
  EXPECT_FALSE(claims.holder("gpu-5").has_value());
}

TEST(Claims, WithoutAFolderNothingIsClaimed) {
  const host::Claims claims("", "");
  EXPECT_TRUE(claims.take("gpu-3", gpu_three()).ok());
  EXPECT_TRUE(claims.take("gpu-3", gpu_three()).ok());
  EXPECT_THAT(claims.holders(), IsEmpty());
}

TEST(OwnFolder, IsOursAlone) {
  const TempFolder folder;
  const std::string path = folder.path() + "/own";
  EXPECT_EQ(host::own_folder(path), path) << "made";
  EXPECT_EQ(host::own_folder(path), path) << "found";
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  EXPECT_EQ(host::own_folder(path), "") << "open to others";
  ASSERT_EQ(::symlink(path.c_str(), (folder.path() + "/link").c_str()), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  EXPECT_EQ(host::own_folder(folder.path() + "/link"), "");
  EXPECT_EQ(host::own_folder(folder.write("file", "")), "");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
    EXPECT_EQ(host::own_folder(path), "") << "of another";
  }
}

}  // namespace
}  // namespace gpuwright::tests
