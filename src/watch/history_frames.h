// What the daemon and the process of its history say to each other over a socket pair: frames of a length
// (four bytes, least first), a letter and packed content. Both ends are one program, so there is one version;
// still every byte is checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/history.h"
#include "watch/history_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::watch {

enum class FrameKind : char { Name = 'N', Tick = 'T', Query = 'Q', Done = 'D', State = 'S', Answer = 'A' };

struct Frame {
  FrameKind kind = FrameKind::Tick;
  std::string content;
};

inline constexpr std::size_t kMostFrameBytes = std::size_t{8} << 20;

/// The frame as bytes of the stream.
std::string encode_frame(FrameKind kind, std::string_view content);

/// Cuts a stream into frames.
class FrameCutter {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole frame. Malformed: a length or a letter that no frame has; nothing more can be read then.
  base::Result<std::optional<Frame>> next();
  bool empty() const { return at_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

/// A series' number from now on.
struct NameFrame {
  std::uint32_t number = 0;
  std::string metric;
  std::string uuid;
};
/// A tick with its number in the stream.
struct TickFrame {
  std::uint64_t number = 0;
  HistoryTick tick;
};
struct QueryFrame {
  std::uint64_t number = 0;
  model::HistoryQuery query;
};
struct AnswerFrame {
  std::uint64_t number = 0;
  model::HistoryAnswer answer;
};

enum class HistoryCondition { Opening, Ok, Full, SetAside, Hung, Off };
/// "opening", "ok", "full", "set aside", "hung", "off".
const char* condition_name(HistoryCondition condition);

/// How history is, after each tick.
struct StateFrame {
  std::uint64_t taken = 0;      ///< the last tick of the stream that is written, or given up
  std::uint64_t lost = 0;       ///< ticks that were given up since the process began
  std::int64_t used_bytes = 0;  ///< of the file
  std::int64_t write_us = 0;    ///< what the last tick took
  HistoryCondition condition = HistoryCondition::Opening;
  std::string message;  ///< what a person should know; empty: nothing
};

std::string encode(const NameFrame& name);
std::string encode(const TickFrame& tick);
std::string encode(const QueryFrame& query);
std::string encode(const AnswerFrame& answer);
std::string encode(const StateFrame& state);
/// Malformed when the bytes are no such content.
base::Result<NameFrame> decode_name(std::string_view content);
base::Result<TickFrame> decode_tick(std::string_view content);
base::Result<QueryFrame> decode_query(std::string_view content);
base::Result<AnswerFrame> decode_answer(std::string_view content);
base::Result<StateFrame> decode_state(std::string_view content);

}  // namespace gpuwright::watch
