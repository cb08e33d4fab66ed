// Frames of a size, a tag and a content, for what two processes of this program tell each other over a stream
// socket (contents: base/bytes.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::base {

struct Frame {
  char tag = 0;
  std::string_view content;
};

inline constexpr std::size_t kMostFrameContent = std::size_t{1} << 20;

/// A frame as bytes. A content of more than `most` bytes is none and becomes an empty one.
std::string frame_bytes(char tag, std::string_view content, std::size_t most = kMostFrameContent);

/// Takes the first whole frame off `bytes`. Empty: there is none yet. Sets `broken` when there can be none.
std::optional<Frame> take_frame(std::string_view& bytes, bool& broken, std::size_t most = kMostFrameContent);

}  // namespace gpuwright::base
