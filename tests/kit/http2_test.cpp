// gRPC over a Unix socket, with services that behave and that do not.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http2.h"

#include "support/grpc_server.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using ::testing::HasSubstr;

class Grpc : public ::testing::Test {
 protected:
  void serve(GrpcManner manner, const std::string& message = "hello") {
    server_.reset();
    server_ = std::make_unique<GrpcServer>(path_, manner, message);
  }
  base::Result<std::string> call(int deadline_ms = 5000) {
    kit::GrpcLimits limits;
    limits.deadline = std::chrono::milliseconds(deadline_ms);
    limits.answer_limit = std::size_t{4} << 20;
    return channel_.call("/v1.PodResourcesLister/List", "question", limits);
  }
  ErrorKind kind_of_failure(int deadline_ms = 5000) {
    const auto answer = call(deadline_ms);
    EXPECT_FALSE(answer.ok());
    if (answer) return ErrorKind::Internal;
    said_ = answer.error().text();
    return answer.error().kind;
  }

  TempFolder folder_;
  std::string path_ = folder_.path() + "/kubelet.sock";
  std::unique_ptr<GrpcServer> server_;
  kit::GrpcChannel channel_{path_};
  std::string said_;
};

TEST_F(Grpc, OneConnectionServesManyCalls) {
  const std::string large(3'000'000, 'm');  // more than one window
  serve(GrpcManner::Good, large);
  for (int i = 0; i < 5; ++i) {
    const auto answer = call();
    ASSERT_TRUE(answer.ok()) << answer.error().text();
    EXPECT_EQ(*answer, large);
  }
  EXPECT_EQ(channel_.connections(), 1);
}

TEST_F(Grpc, AnEmptyMessageIsAnAnswer) {
  serve(GrpcManner::Good, "");
  EXPECT_EQ(call().value(), "");
}

TEST_F(Grpc, AConnectionThatWasClosedIsReplaced) {
  serve(GrpcManner::ClosesAfter);
  EXPECT_EQ(call().value(), "hello");
  EXPECT_EQ(call().value(), "hello");
  EXPECT_EQ(channel_.connections(), 2);
  serve(GrpcManner::Good, "again");
  EXPECT_EQ(call().value(), "again");
}

TEST_F(Grpc, SilenceEndsAtTheDeadline) {
  serve(GrpcManner::Hangs);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(kind_of_failure(200), ErrorKind::TimedOut);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  serve(GrpcManner::Good);
  EXPECT_EQ(call().value(), "hello") << "the next call has a connection of its own";
}

TEST_F(Grpc, WhatIsNoAnswer) {
  serve(GrpcManner::Garbage);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Malformed) << said_;
  serve(GrpcManner::Huge);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Malformed) << said_;
  EXPECT_THAT(said_, HasSubstr("larger"));
  serve(GrpcManner::Refuses);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Denied) << said_;
  EXPECT_THAT(said_, HasSubstr("not you"));
  serve(GrpcManner::NoGrpc);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Malformed) << said_;
  EXPECT_THAT(said_, HasSubstr("404"));
  serve(GrpcManner::Truncated);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Malformed) << said_;
  serve(GrpcManner::Breaks);
  EXPECT_EQ(kind_of_failure(), ErrorKind::Io) << said_;
}

TEST_F(Grpc, NobodyThere) {
  EXPECT_EQ(kind_of_failure(), ErrorKind::NotFound);
  server_ = std::make_unique<GrpcServer>(path_, GrpcManner::Good, "");
  kit::GrpcChannel other(std::string(300, 'a'));
  EXPECT_EQ(other.call("/a/b", "", {}).error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace gpuwright::tests
