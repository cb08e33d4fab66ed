// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "base/frames.h"

#include "base/bytes.h"

namespace gpuwright::base {

std::string frame_bytes(char tag, std::string_view content, std::size_t most) {
  ByteWriter writer;
  if (content.size() > most) content = {};
  writer.put(static_cast<std::uint32_t>(content.size()));
  writer.put(tag);
  return writer.take().append(content);
}

std::optional<Frame> take_frame(std::string_view& bytes, bool& broken, std::size_t most) {
  constexpr std::size_t kHead = sizeof(std::uint32_t) + 1;
  if (bytes.size() < kHead) return std::nullopt;
  ByteReader head(bytes);
  const auto size = head.get<std::uint32_t>();
  const char tag = head.get<char>();
  broken = size > most;
  if (broken || bytes.size() - kHead < size) return std::nullopt;
  const Frame frame{tag, bytes.substr(kHead, size)};
  bytes.remove_prefix(kHead + size);
  return frame;
}

}  // namespace gpuwright::base
