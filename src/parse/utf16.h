// Text saved by a Windows editor or redirected in PowerShell is UTF-16 with a byte order mark. Turned into
// UTF-8 in place (never longer for the ASCII that logs are; other characters beyond the basic Latin block
// become '?'). Source: RFC 2781.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace gpuwright::parse {

class Utf16Detector {
 public:
  /// Converts a piece of the stream in place; returns the bytes that remain at its front. A UTF-8 byte order
  /// mark is dropped.
  std::size_t convert(std::span<char> piece);
  bool active() const { return order_ == Order::Little || order_ == Order::Big; }

 private:
  enum class Order { Unknown, None, Little, Big };
  Order order_ = Order::Unknown;
  bool odd_ = false;  ///< the last piece ended inside a character
  char held_ = 0;
};

}  // namespace gpuwright::parse
