// Frames come back as they were; damaged ones are refused.
// SPDX-License-Identifier: Apache-2.0
#include "watch/history_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace gpuwright::tests {
namespace {

using namespace watch;  // NOLINT(google-build-using-namespace): the room under test

TickFrame example() {
  TickFrame frame;
  frame.number = 17;
  frame.tick.time_ms = -5;
  frame.tick.mono_ms = 123456789;
  frame.tick.boot_id = "boot";
  frame.tick.values = {{3, 1.5}, {1, -7}, {4000000000U, 1e300}};
  frame.tick.events = {{1, "b", "xid", "GPU-0", "0000:3b:00.0", "79", "text", model::Origin::Unverified, 4}};
  frame.tick.incidents = {{"id", "cause", "GPU-0", "error", 1, 2, "reset", {"one", "two"}, "", "", {}, ""},
                          {"id2", "cause", "host", "info", 1, std::nullopt, "", {}, "", "", {}, ""}};
  frame.tick.incidents[0].device = "0000:3b:00";
  frame.tick.incidents[0].title = "what it is";
  frame.tick.incidents[0].params = {{"gpu", "0"}, {"xid", ""}};
  frame.tick.incidents[0].boot_id = "b";
  frame.tick.changes = {{1, "GPU-0", "health", "ok", "failed", "why"}};
  frame.tick.jobs = {{"slurm", "1", "ada", "gpu", {"GPU-0"}, 1, std::nullopt}};
  return frame;
}

TEST(Frames, ComeBackAsTheyWere) {
  const TickFrame frame = example();
  const auto tick = decode_tick(encode(frame));
  ASSERT_TRUE(tick.ok());
  EXPECT_EQ(tick->number, 17U);
  EXPECT_EQ(tick->tick.values, frame.tick.values);
  EXPECT_EQ(tick->tick.events, frame.tick.events);
  EXPECT_EQ(tick->tick.incidents, frame.tick.incidents);
  EXPECT_EQ(tick->tick.changes, frame.tick.changes);
  EXPECT_EQ(tick->tick.jobs, frame.tick.jobs);
  EXPECT_EQ(tick->tick.time_ms, -5);

  QueryFrame query;
  query.number = 9;
  query.query = {model::HistoryTopic::Series, -1, INT64_MAX, "GPU-0", "power_watts", 5, "boot"};
  EXPECT_EQ(decode_query(encode(query))->query, query.query);
  AnswerFrame answer;
  answer.answer.cut = true;
  answer.answer.error = "no";
  answer.answer.newest_ms = 99;
  answer.answer.newest_boot = "boot";
  answer.answer.series = {{"m", "u", 1000, {{1, 0.1, 0.2, 0.3}}}};
  EXPECT_EQ(decode_answer(encode(answer))->answer, answer.answer);
  StateFrame state;
  state.condition = HistoryCondition::Full;
  state.message = "full";
  state.lost = 3;
  EXPECT_EQ(decode_state(encode(state))->condition, HistoryCondition::Full);
  EXPECT_EQ(decode_state(encode(state))->lost, 3U);
  EXPECT_EQ(decode_name(encode(NameFrame{5, "a", "b"}))->uuid, "b");
}

TEST(Frames, EveryCutIsRefused) {
  const std::string bytes = encode(example());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(decode_tick(bytes.substr(0, cut)).ok()) << cut;
  EXPECT_FALSE(decode_tick(bytes + "x").ok());
}

TEST(Frames, AStreamIsCutWhereverItArrives) {
  std::string stream;
  for (int i = 0; i < 50; ++i)
    stream += encode_frame(FrameKind::Tick, std::string(static_cast<std::size_t>(i), 'x'));
  std::mt19937 random(3);
  FrameCutter cutter;
  std::size_t at = 0;
  std::size_t frames = 0;
  while (at < stream.size()) {
    const std::size_t size = std::min<std::size_t>(random() % 40, stream.size() - at);
    cutter.feed(stream.substr(at, size));
    at += size;
    while (true) {
      const auto frame = cutter.next();
      ASSERT_TRUE(frame.ok());
      if (!*frame) break;
      EXPECT_EQ((*frame)->content.size(), frames++);
    }
  }
  EXPECT_EQ(frames, 50U);
  EXPECT_TRUE(cutter.empty());
  cutter.feed("GET / HTTP/1.1");
  EXPECT_FALSE(cutter.next().ok());
}

}  // namespace
}  // namespace gpuwright::tests
