// The loop over pipes, timers and signals.
// SPDX-License-Identifier: Apache-2.0
#include "kit/event_loop.h"

#include "base/files.h"

#include "support/run.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

namespace gpuwright::tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Pipe {
  base::Fd read, write;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    read = base::Fd(ends[0]);
    write = base::Fd(ends[1]);
  }
  void say(const char* text) const { EXPECT_TRUE(base::write_all(write.get(), text, "pipe").ok()); }
};

TEST(EventLoop, EndsWhenNothingIsLeftToWaitFor) {
  kit::EventLoop loop;
  loop.run();
  int calls = 0;
  const auto timer = loop.after(1ms, [&] { ++calls; });
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, CallsWhileADescriptorCanBeRead) {
  kit::EventLoop loop;
  const Pipe pipe;
  std::string heard;
  auto watch = loop.on_readable(pipe.read.get(), [&] {
    char byte = 0;  // one at a time: what is left must be told of again
    ASSERT_EQ(::read(pipe.read.get(), &byte, 1), 1);
    heard += byte;
    if (heard == "abc") pipe.say("de");
    if (heard == "abcde") loop.stop();
  });
  ASSERT_TRUE(watch.ok());
  pipe.say("abc");
  loop.run();
  EXPECT_EQ(heard, "abcde");
}

TEST(EventLoop, TellsOfTheEnd) {
  kit::EventLoop loop;
  Pipe pipe;
  bool ended = false;
  kit::Waiting watch;
  auto made = loop.on_readable(pipe.read.get(), [&] {
    char byte = 0;
    ended = ::read(pipe.read.get(), &byte, 1) == 0;
    watch.cancel();  // by what it calls back
  });
  ASSERT_TRUE(made.ok());
  watch = std::move(made).value();
  pipe.write.reset();
  loop.run();
  EXPECT_TRUE(ended);
}

TEST(EventLoop, WatchesBothDirectionsOfOneDescriptor) {
  kit::EventLoop loop;
  const Pipe pipe;
  int reads = 0, writes = 0;
  kit::Watch watch;
  auto made = loop.watch(
      pipe.read.get(),
      [&] {
        char byte = 0;
        EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 1);
        if (++reads == 2) watch.cancel();
      },
      [&] {
        if (++writes == 3) watch.want(true, false);
      });
  ASSERT_TRUE(made.ok());
  watch = std::move(made).value();
  watch.want(false, true);
  pipe.say("x");
  const auto later = loop.after(20ms, [&] { pipe.say("y"); });
  loop.run();
  EXPECT_EQ(writes, 3);
  EXPECT_EQ(reads, 2);
}

TEST(EventLoop, NeverCallsWhatWasCancelledAndLeavesTheDescriptorOpen) {
  kit::EventLoop loop;
  const Pipe pipe;
  int calls = 0;
  {
    auto watch = loop.on_readable(pipe.read.get(), [&] { ++calls; });
    ASSERT_TRUE(watch.ok());
    pipe.say("x");
  }
  loop.run();
  EXPECT_EQ(calls, 0);
  EXPECT_GE(::fcntl(pipe.read.get(), F_GETFD), 0);
  auto again = loop.on_readable(pipe.read.get(), [&] {
    ++calls;
    loop.stop();
  });
  ASSERT_TRUE(again.ok());
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, RefusesWhatNeverWaits) {
  kit::EventLoop loop;
  const TempFolder folder;
  const base::Fd file(::open(folder.write("file", "x").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(loop.on_readable(file.get(), [] {}).error().kind, base::ErrorKind::Unsupported);
  EXPECT_FALSE(loop.on_readable(-1, [] {}).ok());
}

TEST(EventLoop, RingsInTheOrderOfTime) {
  kit::EventLoop loop;
  std::string rung;
  const auto b = loop.after(20ms, [&] { rung += 'b'; });
  const auto a = loop.after(5ms, [&] { rung += 'a'; });
  auto never = loop.after(10ms, [&] { rung += '!'; });
  never.cancel();
  loop.run();
  EXPECT_EQ(rung, "ab");
}

TEST(EventLoop, KeepsTheRhythmAndLeavesOutWhatItMissed) {
  kit::EventLoop loop;
  int ticks = 0;
  const auto start = Clock::now();
  kit::Waiting timer = loop.every(20ms, [&] {
    if (++ticks == 1) ::usleep(110'000);  // five ticks pass meanwhile
    if (ticks == 4) timer.cancel();
  });
  loop.run();
  EXPECT_EQ(ticks, 4);
  // 20, then 140 (the next of the rhythm after 130), 160, 180; not four in a burst.
  EXPECT_GE(Clock::now() - start, 175ms);
}

TEST(EventLoop, TakesSignals) {
  kit::EventLoop loop;
  int got = 0;
  auto signals = loop.on_signal({SIGUSR1, SIGUSR2}, [&](int number) {
    got = number;
    loop.stop();
  });
  ASSERT_TRUE(signals.ok());
  const auto later = loop.after(1ms, [] { ::raise(SIGUSR2); });
  loop.run();
  EXPECT_EQ(got, SIGUSR2);
}

TEST(EventLoop, MayBeDroppedWhileOthersWait) {
  const Pipe pipe;
  auto loop = std::make_unique<kit::EventLoop>();
  auto timer = loop->every(1ms, [] {});
  auto watch = loop->on_readable(pipe.read.get(), [] {});
  loop->soon([&] { loop->stop(); });
  loop->run();
  watch = kit::Waiting();
  timer.cancel();
  loop.reset();
  EXPECT_GE(::fcntl(pipe.read.get(), F_GETFD), 0);
}

}  // namespace
}  // namespace gpuwright::tests
