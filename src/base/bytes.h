// Plain numbers and texts as bytes, for what two processes of this program tell each other over a socket
// pair: both ends have the same byte order and sizes. The reader trusts nothing: what does not fit reads as
// zero, and ok() tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace gpuwright::base {

class ByteWriter {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  /// Reads what `bytes` hold, which must outlive this.
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    T value{};
    if (bytes_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  /// A count of things of at least `least` bytes each; 0 where so many cannot be there.
  std::size_t get_count(std::size_t least) {
    const auto count = get<std::uint32_t>();
    if (least > 0 && count > bytes_.size() / least) fail();
    return ok_ ? count : 0;
  }
  bool ok() const { return ok_; }

 private:
  void fail() {
    ok_ = false;
    bytes_ = {};
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace gpuwright::base
