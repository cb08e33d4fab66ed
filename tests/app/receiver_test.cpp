// Notices to a receiver that answers, refuses, is late, or is not there.
// SPDX-License-Identifier: Apache-2.0
#include "app/receiver.h"

#include "support/background.h"
#include "support/http_site.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using app::Receiver;
using app::ReceiverOptions;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A receiver of ours, and one to send to it.
class Receiving : public ::testing::Test {
 protected:
  kit::HttpResponse answer(const kit::HttpRequest& request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bodies_.push_back(request.body);
    authorization_ = request.header("authorization").value_or("");
    return kit::text_response(status_.load(), "said\n");
  }
  HttpSite site_{kit::HttpOptions(), [this](const kit::HttpRequest& request) { return answer(request); }};
  std::unique_ptr<Receiver> receiver(const std::string& url, const std::string& header_file = {}) {
    ReceiverOptions options;
    options.name = "webhook";
    options.url = url;
    options.header_file = header_file;
    options.most_waiting = 3;
    options.deadline = milliseconds(500);
    options.first_retry = milliseconds(50);
    options.longest_retry = milliseconds(200);
    return std::make_unique<Receiver>(loop_, options,
                                      [this](const std::string& line) { log_ += line + "\n"; });
  }
  bool run_until(const std::function<bool()>& done, std::chrono::seconds limit = std::chrono::seconds(20)) {
    bool seen = false;
    const auto look = loop_.every(milliseconds(10), [&] {
      seen = done();
      if (seen) loop_.stop();
    });
    const auto end = loop_.after(limit, [this] { loop_.stop(); });
    loop_.run();
    return seen;
  }
  std::vector<std::string> bodies() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bodies_;
  }

  std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::string authorization_;
  std::atomic<int> status_{200};
  kit::EventLoop loop_;
  std::string log_;
  TempFolder folder_;
};

TEST_F(Receiving, TakesThemInOrderWithTheHeaderOfTheFile) {
  const std::string secret = folder_.write("header", "Authorization: Bearer hush-hush\n");
  const auto one = receiver(site_.url("/hook/also-secret"), secret);
  for (const char* text : {"1", "2", "3"}) one->send(text);
  ASSERT_TRUE(run_until([&] { return one->state().delivered == 3; }));
  EXPECT_THAT(bodies(), ElementsAre("1", "2", "3"));
  EXPECT_EQ(authorization_, "Bearer hush-hush");
  EXPECT_TRUE(one->state().up);
  EXPECT_EQ(one->state().waiting, 0U);
  EXPECT_EQ(log_, "") << "nothing to say of what goes well";
}

TEST_F(Receiving, WhoIsNotThereIsTriedAgainAndNoSecretIsTold) {
  const int port = free_port();
  const auto one = receiver("http://127.0.0.1:" + std::to_string(port) + "/services/T0/secret");
  one->send("1");
  ASSERT_TRUE(run_until([&] { return one->state().failed >= 3; }));
  EXPECT_FALSE(one->state().up);
  EXPECT_EQ(one->state().waiting, 1U);
  EXPECT_EQ(std::count(log_.begin(), log_.end(), '\n'), 1) << "said once: " << log_;
  EXPECT_THAT(log_ + one->state().where + one->state().why, Not(HasSubstr("secret")));
  EXPECT_THAT(log_, HasSubstr("127.0.0.1:" + std::to_string(port)));
}

TEST_F(Receiving, ComesThroughWhenTheReceiverIsWellAgain) {
  status_ = 503;
  const auto one = receiver(site_.url("/"));
  one->send("1");
  one->send("2");
  ASSERT_TRUE(run_until([&] { return one->state().failed >= 2; }));
  EXPECT_THAT(one->state().why, HasSubstr("503"));
  status_ = 204;
  ASSERT_TRUE(run_until([&] { return one->state().delivered == 2; }));
  EXPECT_EQ(bodies().back(), "2");
  EXPECT_THAT(log_, HasSubstr("takes notices again"));
  EXPECT_EQ(one->state().dropped, 0U);
}

TEST_F(Receiving, WhatIsRefusedForGoodIsGivenUp) {
  status_ = 400;
  const auto one = receiver(site_.url("/"));
  one->send("bad");
  ASSERT_TRUE(run_until([&] { return one->state().dropped == 1; }));
  status_ = 200;
  one->send("good");
  ASSERT_TRUE(run_until([&] { return one->state().delivered == 1; }));
  EXPECT_THAT(bodies(), ElementsAre("bad", "good"));
}

TEST_F(Receiving, OnlySoManyWaitAndTheOldestGo) {
  const auto one = receiver("http://127.0.0.1:" + std::to_string(free_port()) + "/");
  for (int i = 0; i < 10; ++i) one->send(std::to_string(i));
  ASSERT_TRUE(run_until([&] { return one->state().failed >= 2; }));
  EXPECT_LE(one->state().waiting, 3U);
  EXPECT_GE(one->state().dropped, 6U);
}

TEST_F(Receiving, OfAlertsOnlyTheNewestCounts) {
  status_ = 500;
  const auto one = receiver(site_.url("/"));
  one->send_newest("old");
  ASSERT_TRUE(run_until([&] { return one->state().failed >= 1; }));
  one->send_newest("new");
  one->send_newest("newest");
  status_ = 200;
  ASSERT_TRUE(run_until([&] { return one->state().delivered >= 1 && !one->busy(); }));
  EXPECT_EQ(bodies().back(), "newest");
  EXPECT_EQ(one->state().delivered, 1U);
}

/// Nobody accepts, or nobody answers: the child is late, the loop is not.
TEST_F(Receiving, WhoGivesNoAnswerIsLateAndTheLoopGoesOn) {
  HttpSite silent{kit::HttpOptions(), [](const kit::HttpRequest&) {
                    kit::HttpResponse later;
                    later.later = std::make_shared<kit::HttpLater>();
                    return later;
                  }};
  const auto one = receiver(silent.url("/"));
  one->send("1");
  int ticks = 0;
  const auto ticking = loop_.every(milliseconds(10), [&ticks] { ++ticks; });
  ASSERT_TRUE(run_until([&] { return one->state().failed == 1; }));
  EXPECT_GT(ticks, 10);
  EXPECT_THAT(one->state().why, HasSubstr("no answer in time"));
}

TEST_F(Receiving, OverTlsOnlyWhomTheMachineTrusts) {
  const Certificates certificates;
  kit::HttpOptions options;
  options.tls = kit::TlsFiles{certificates.path("server.pem"), certificates.path("server.key"), ""};
  HttpSite secure(options, [this](const kit::HttpRequest& request) { return answer(request); });
  ReceiverOptions to;
  to.name = "webhook";
  to.url = secure.url("/");
  to.first_retry = milliseconds(50);
  to.authorities = certificates.path("other.pem");
  {
    Receiver stranger(loop_, to, {});
    stranger.send("1");
    ASSERT_TRUE(run_until([&] { return stranger.state().failed == 1; }));
    EXPECT_THAT(bodies(), ElementsAre()) << "it was not told";
  }
  to.authorities = certificates.path("authority.pem");
  Receiver trusted(loop_, to, {});
  trusted.send("2");
  ASSERT_TRUE(run_until([&] { return trusted.state().delivered == 1; }));
  EXPECT_THAT(bodies(), ElementsAre("2"));
}

TEST(HeaderFile, HoldsHeadersAndSaysWhatIsWrongWithoutTheSecret) {
  const TempFolder folder;
  const auto good = app::read_header_file(folder.write("good", "X-Key: a:b\n\nAuthorization:  Bearer x \n"));
  ASSERT_TRUE(good.ok());
  ASSERT_EQ(good->size(), 2U);
  EXPECT_EQ((*good)[0].first + "=" + (*good)[0].second, "X-Key=a:b");
  EXPECT_EQ((*good)[1].second, "Bearer x");
  for (const char* wrong : {"hush\n", ": hush\n", "Bad Name: hush\n", "X: hush\x01\n"}) {
    const auto read = app::read_header_file(folder.write("wrong", wrong));
    ASSERT_FALSE(read.ok()) << wrong;
    EXPECT_THAT(read.error().text(), Not(HasSubstr("hush")));
  }
  EXPECT_FALSE(app::read_header_file("/no/such/file").ok());
}

}  // namespace
}  // namespace gpuwright::tests
