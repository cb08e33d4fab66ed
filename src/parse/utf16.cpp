// SPDX-License-Identifier: Apache-2.0
#include "parse/utf16.h"

#include <algorithm>

namespace gpuwright::parse {

std::size_t Utf16Detector::convert(std::span<char> piece) {
  const auto starts = [&](const char* mark, std::size_t size) {
    return piece.size() >= size && std::equal(mark, mark + size, piece.begin());
  };
  std::size_t from = 0;
  if (order_ == Order::Unknown) {
    order_ = starts("\xFF\xFE", 2) ? Order::Little : starts("\xFE\xFF", 2) ? Order::Big : Order::None;
    from = order_ != Order::None ? 2 : starts("\xEF\xBB\xBF", 3) ? 3 : 0;
    if (order_ == Order::None && from > 0) std::copy(piece.begin() + 3, piece.end(), piece.begin());
  }
  if (order_ == Order::None) return piece.size() - from;
  std::size_t to = 0;
  for (std::size_t i = from; i < piece.size(); ++i) {
    if (!odd_) {
      held_ = piece[i];
      odd_ = true;
      continue;
    }
    odd_ = false;
    const char low = order_ == Order::Little ? held_ : piece[i];
    const char high = order_ == Order::Little ? piece[i] : held_;
    piece[to++] = high == 0 && static_cast<unsigned char>(low) < 0x80 ? low : '?';
  }
  return to;
}

}  // namespace gpuwright::parse
