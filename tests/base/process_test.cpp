// Child processes: what they say, how they end, and that nothing of them outlives its deadline.
// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include "base/text.h"

#include "support/run.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

base::ProcessResult shell(const std::string& script, milliseconds deadline = milliseconds(10000)) {
  base::ProcessOptions options;
  options.deadline = deadline;
  auto result = base::run_process({"/bin/sh", "-c", script}, options);
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : base::ProcessResult{};
}

milliseconds took(const std::chrono::steady_clock::time_point& since) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - since);
}

TEST(Process, TellsOutputErrorsAndStatus) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, TellsTheSignalThatEndedIt) {
  const auto result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.status, -1);
}

TEST(Process, SeesOurEnvironmentWhereThatIsAskedFor) {
  ::setenv("GPUWRIGHT_SECRET", "visible", 1);
  base::ProcessOptions options;
  options.whole_environment = true;
  const auto result = base::run_process({"/bin/sh", "-c", "env"}, options);
  ::unsetenv("GPUWRIGHT_SECRET");
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->output, HasSubstr("GPUWRIGHT_SECRET=visible\n"));
  EXPECT_THAT(result->output, HasSubstr("LC_ALL=C\n"));
}

TEST(Process, DiesWithUs) {
  const TempFolder folder;
  const std::string note = folder.path() + "/pid";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    shell("echo $$ >" + note + "; exec sleep 600", milliseconds(600'000));
    ::_exit(0);
  }
  pid_t tool = 0;
  for (int tenths = 0; tool == 0 && tenths < 100; ++tenths) {
    ::usleep(100'000);
    std::ifstream(note) >> tool;
  }
  ASSERT_GT(tool, 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  bool gone = false;
  for (int tenths = 0; !gone && tenths < 100; ++tenths) {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(tool) + "/stat");
    std::getline(stat, state, ')');
    gone = !(stat >> state) || state == "Z";  // a zombie where nobody collects orphans
    if (!gone) ::usleep(100'000);
  }
  EXPECT_TRUE(gone);
}

TEST(Process, SeesOnlyACleanEnvironmentAndNoInput) {
  ::setenv("GPUWRIGHT_SECRET", "visible", 1);
  const auto result = shell("env; cat; echo end");
  EXPECT_THAT(result.output, Not(HasSubstr("GPUWRIGHT_SECRET")));
  EXPECT_THAT(result.output, HasSubstr("LC_ALL=C\n"));
  EXPECT_THAT(result.output, HasSubstr("PATH=/"));
  EXPECT_THAT(result.output, HasSubstr("end\n"));
  ::unsetenv("GPUWRIGHT_SECRET");
}

TEST(Process, ArgumentsPassNoShell) {
  const auto result = base::run_process({"echo", "$(id)", "; rm x", "`a`"});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "$(id) ; rm x `a`\n");
}

TEST(Process, IsKilledAtItsDeadlineAndKeepsWhatItSaid) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = shell("echo first; sleep 60; echo last", milliseconds(200));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_FALSE(result.abandoned);
  EXPECT_EQ(result.output, "first\n");
  EXPECT_LT(took(begin).count(), 5000);
}

TEST(Process, DeadlineKillsItsChildrenToo) {
  const auto result = shell("sleep 60 & echo $!; wait", milliseconds(200));
  const auto child = base::parse_int(base::trim(result.output));
  ASSERT_TRUE(child.has_value()) << result.output;
  for (int tries = 0; tries < 100 && ::kill(static_cast<pid_t>(*child), 0) == 0; ++tries) ::usleep(20000);
  const auto stat = base::run_process({"cat", "/proc/" + std::to_string(*child) + "/stat"});
  ASSERT_TRUE(stat.ok());
  EXPECT_TRUE(stat->output.empty() || base::contains(stat->output, ") Z ")) << stat->output;
}

TEST(Process, ThatEndsDoesNotWaitForAChildThatKeepsThePipe) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = shell("sleep 60 & echo done");
  EXPECT_EQ(result.output, "done\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_LT(took(begin).count(), 5000);
}

TEST(Process, IgnoringPoliteSignalsIsKilledAllTheSame) {
  const auto result = shell("trap '' TERM INT HUP; while :; do sleep 1; done", milliseconds(200));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(Process, OutputBeyondTheLimitIsCutAndSaid) {
  base::ProcessOptions options;
  options.output_limit = 1000;
  const auto result = base::run_process({"head", "-c", "3000000", "/dev/zero"}, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output.size(), 1000U);
  EXPECT_TRUE(result->output_cut);
  EXPECT_EQ(result->status, 0) << "the tool must not be stopped by our limit";
}

TEST(Process, OfAToolThatIsMissingIsNotFound) {
  const auto result = base::run_process({"no-such-tool-anywhere"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::NotFound);
}

TEST(Process, OfAFileThatIsNoProgramIsAnError) {
  const TempFolder folder;
  const std::string path = folder.write("tool",
                                        "\x7f"
                                        "ELF nonsense");
  EXPECT_EQ(base::run_process({path}).error().kind, ErrorKind::Denied);
  ::chmod(path.c_str(), 0755);
  EXPECT_FALSE(base::run_process({path}).ok());
}

TEST(FindTool, LooksInAbsoluteFoldersOfPathOnly) {
  const TempFolder folder;
  const std::string tool = folder.write("my-tool", "#!/bin/sh\necho mine\n");
  ::chmod(tool.c_str(), 0755);
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", (".::relative:" + folder.path() + ":" + before).c_str(), 1);
  EXPECT_EQ(*base::find_tool("my-tool"), tool);
  for (const auto& place : base::tool_folders()) EXPECT_EQ(place.front(), '/');
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_FALSE(base::find_tool("my-tool").ok());
}

TEST(Processes, RunBesideEachOther) {
  // Each waits for what the other makes: one after the other they would never end.
  const TempFolder folder;
  const auto script = [&folder](const std::string& makes, const std::string& needs) {
    return "touch " + folder.path() + "/" + makes + "; while [ ! -e " + folder.path() + "/" + needs +
           " ]; do sleep 0.01; done; echo " + makes;
  };
  base::Processes processes;
  const auto one = processes.start({"/bin/sh", "-c", script("one", "two")});
  const auto two = processes.start({"/bin/sh", "-c", script("two", "one")});
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_GT(processes.pid(*one), 0);
  EXPECT_EQ(processes.wait(*one)->output, "one\n");
  EXPECT_EQ(processes.wait(*two)->output, "two\n");
  EXPECT_EQ(processes.wait(*two).error().kind, ErrorKind::Internal) << "once";
}

TEST(Processes, WhoIsNotWaitedForIsReadAllTheSame) {
  const TempFolder folder;
  const std::string mark = folder.path() + "/mark";
  base::Processes processes;
  // More than a pipe holds, then the mark that the other waits for.
  const auto loud = processes.start({"/bin/sh", "-c", "head -c 300000 /dev/zero; touch " + mark});
  const auto patient = processes.start({"/bin/sh", "-c", "while [ ! -e " + mark + " ]; do sleep 0.01; done"});
  ASSERT_TRUE(loud.ok() && patient.ok());
  EXPECT_EQ(processes.wait(*patient)->status, 0);
  EXPECT_EQ(processes.wait(*loud)->output.size(), 300000U);
}

TEST(Processes, WaitNoLongerThanTheyAreTold) {
  base::Processes processes;
  const auto slow = processes.start({"sleep", "60"});
  ASSERT_TRUE(slow.ok());
  const auto result = processes.wait(*slow, std::chrono::steady_clock::now() + milliseconds(50));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->signal, SIGKILL);
}

TEST(Processes, EndWithTheirOwner) {
  pid_t child = -1;
  {
    base::Processes processes;
    const auto slow = processes.start({"sleep", "60"});
    ASSERT_TRUE(slow.ok());
    child = processes.pid(*slow);
  }
  EXPECT_NE(::kill(child, 0), 0);
}

TEST(Processes, KeepTheDescriptorThatTheyAreGiven) {
  const TempFolder folder;
  const int file = ::open(folder.write("file", "kept").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  base::ProcessOptions options;
  options.kept = file;
  const auto result = base::run_process({"/bin/sh", "-c", "cat <&" + std::to_string(file)}, options);
  ::close(file);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "kept");
}

}  // namespace
}  // namespace gpuwright::tests
