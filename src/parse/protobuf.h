// Fields of a Protocol Buffers message, one after the other, without a schema: just enough to read an answer
// of which a few fields are wanted. Source: https://protobuf.dev/programming-guides/encoding/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuwright::parse {

struct ProtobufField {
  std::uint32_t number = 0;
  bool has_bytes = false;   ///< a text, bytes or a message; else a number
  std::uint64_t value = 0;  ///< of a varint or a fixed number
  std::string_view bytes;   ///< into the message
};

class ProtobufReader {
 public:
  /// `message` must outlive this and what it gives.
  explicit ProtobufReader(std::string_view message) : rest_(message) {}
  /// False at the end, and where what follows is no field: then ok() is false. Groups, which nobody writes
  /// any more, are no fields.
  bool next(ProtobufField& field);
  bool ok() const { return ok_; }

 private:
  bool fail();
  bool take_varint(std::uint64_t& value);
  bool take_fixed(std::size_t size, std::uint64_t& value);
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace gpuwright::parse
