// Frames of a size, a tag and a content, for what two processes of this program tell each other over a stream
// socket (contents: base/bytes.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::base {

struct Frame {
  char tag = 0;
  std::string_view content;
};

/// A frame as bytes. Contents of more than 1 MiB are no frame and become an empty one.
std::string frame_bytes(char tag, std::string_view content);

/// Takes the first whole frame off `bytes`. Empty: there is none yet. Sets `broken` when there can be none.
std::optional<Frame> take_frame(std::string_view& bytes, bool& broken);

}  // namespace gpuwright::base
