// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "base/frames.h"

#include "base/bytes.h"

namespace gpuwright::base {

namespace {

constexpr std::uint32_t kMostContent = std::uint32_t{1} << 20;

}  // namespace

std::string frame_bytes(char tag, std::string_view content) {
  ByteWriter writer;
  if (content.size() > kMostContent) content = {};
  writer.put(static_cast<std::uint32_t>(content.size()));
  writer.put(tag);
  return writer.take().append(content);
}

std::optional<Frame> take_frame(std::string_view& bytes, bool& broken) {
  constexpr std::size_t kHead = sizeof(std::uint32_t) + 1;
  if (bytes.size() < kHead) return std::nullopt;
  ByteReader head(bytes);
  const auto size = head.get<std::uint32_t>();
  const char tag = head.get<char>();
  broken = size > kMostContent;
  if (broken || bytes.size() - kHead < size) return std::nullopt;
  const Frame frame{tag, bytes.substr(kHead, size)};
  bytes.remove_prefix(kHead + size);
  return frame;
}

}  // namespace gpuwright::base
