// SPDX-License-Identifier: Apache-2.0
#include "base/stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::base {

Result<std::size_t> MemoryStream::read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), bytes_.size() - position_);
  std::copy_n(bytes_.data() + position_, count, buffer.data());
  position_ += count;
  return count;
}

Result<std::string> read_all(ByteStream& stream, std::size_t limit) {
  std::string bytes;
  std::array<char, 65536> buffer;
  for (;;) {
    GPUWRIGHT_TRY(const std::size_t count, stream.read(buffer));
    if (count == 0) return bytes;
    if (bytes.size() + count > limit) {
      return make_error(ErrorKind::Malformed, fmt::format("larger than the limit of {} bytes", limit));
    }
    bytes.append(buffer.data(), count);
  }
}

}  // namespace gpuwright::base
