// `gpuwright top` on a terminal of its own, and without one.
// SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"
#include "support/run.h"
#include "support/sampling.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `top` in a terminal of 120 x 40, and what it wrote there.
class InTerminal {
 public:
  InTerminal() {
    winsize size{};
    size.ws_col = 120;
    size.ws_row = 40;
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    ::setenv("TERM", "xterm-256color", 1);
    const std::string path = program();
    ::execl(path.c_str(), path.c_str(), "top", nullptr);
    ::_exit(127);
  }
  ~InTerminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
  }
  InTerminal(const InTerminal&) = delete;
  InTerminal& operator=(const InTerminal&) = delete;

  void press(const std::string& keys) const {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// Reads until that was written since the last call, or 20 s are over.
  bool shows(const std::string& text) {
    seen_.clear();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (!read_some()) break;
      if (seen_.find(text) != std::string::npos) return true;
    }
    return false;
  }
  bool echoes() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(terminal_, &now), 0);
    return (now.c_lflag & ECHO) != 0;
  }
  /// Its exit code.
  int ended() {
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) return -1;
      (void)read_some();
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }
  const std::string& seen() const { return seen_; }

 private:
  bool read_some() {
    pollfd waiting{terminal_, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) return true;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(terminal_, buffer.data(), buffer.size());
    if (got <= 0) return false;
    seen_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string seen_;
};

class Top : public ::testing::Test {
 protected:
  void scenario(const std::string& text) { use_scenario(folder_.write("scenario", text)); }
  TempFolder folder_;
};

TEST_F(Top, IsUsedWithKeysAndGivesTheTerminalBack) {
  scenario("boards 8 h100-sxm\nload 60\ngpu 5 remap pending\n");
  InTerminal top;
  ASSERT_TRUE(top.shows("\x1b[?1049h"));
  ASSERT_TRUE(top.shows("Row remap waits")) << top.seen();
  EXPECT_FALSE(top.echoes());
  top.press("\x1b[B\r");
  EXPECT_TRUE(top.shows("energy_joules")) << top.seen();
  EXPECT_THAT(top.seen(), HasSubstr("\x1b[7mGPU 1")) << "the chosen one is marked";
  top.press("i");
  EXPECT_TRUE(top.shows("evidence")) << top.seen();
  top.press(" ");
  EXPECT_TRUE(top.shows("PAUSED"));
  top.press("q");
  EXPECT_EQ(top.ended(), 0);
  EXPECT_THAT(top.seen(), HasSubstr("\x1b[?1049l"));
}

TEST_F(Top, ASignalGivesTheTerminalBackToo) {
  scenario("boards 1 t4\n");
  InTerminal top;
  ASSERT_TRUE(top.shows("GPU 0"));
  EXPECT_FALSE(top.echoes());
  ::kill(top.pid(), SIGTERM);
  EXPECT_EQ(top.ended(), 0);
  EXPECT_TRUE(top.echoes());
}

TEST_F(Top, WithoutATerminalItPrintsOneLook) {
  scenario("boards 8 h100-sxm\nload 60\ngpu 3 lost\n");
  const Ran ran = run({program(), "top"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("SIMULATED"));
  EXPECT_THAT(ran.out, HasSubstr("7 / 8 up · busy 60 %"));
  EXPECT_THAT(ran.out, HasSubstr("lost: GPU is lost"));
  EXPECT_THAT(ran.out, HasSubstr("The driver cannot reach this GPU any more"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  const Ran json = run({program(), "top", "--json"});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_THAT(json.out, HasSubstr("\"sm_active_ratio\":0."));
}

TEST_F(Top, AHangingGpuHoldsUpNothing) {
  scenario("boards 2 h100-sxm\nload 60\ngpu 1 hang all\n");
  const Ran ran = run({program(), "top", "--once"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("60 %"));
  EXPECT_THAT(ran.out, HasSubstr("no answer for "));
  EXPECT_LT(ran.took, std::chrono::seconds(40));
}

TEST_F(Top, WithoutADriverItSaysSo) {
  ::setenv("GPUWRIGHT_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
  const Ran ran = run({program(), "top", "--once"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.out, HasSubstr("no driver: "));
  const Ran bad = run({program(), "top", "--period", "soon"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("'soon' is no time"));
}

}  // namespace
}  // namespace gpuwright::tests
