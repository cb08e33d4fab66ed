// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/protobuf.h"

namespace gpuwright::parse {

namespace {

constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << 29) - 1;  // of a field
enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

}  // namespace

bool ProtobufReader::fail() {
  ok_ = false;
  rest_ = {};
  return false;
}

bool ProtobufReader::take_varint(std::uint64_t& value) {
  constexpr unsigned kBits = 7, kMostBits = 64;
  constexpr unsigned char kMore = 0x80;
  value = 0;
  for (unsigned shift = 0; shift < kMostBits; shift += kBits) {
    if (rest_.empty()) return fail();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & (kMore - 1)) << shift;
    if ((byte & kMore) == 0) return true;
  }
  return fail();
}

bool ProtobufReader::take_fixed(std::size_t size, std::uint64_t& value) {
  if (rest_.size() < size) return fail();
  value = 0;
  constexpr unsigned kBits = 8;
  for (std::size_t at = 0; at < size; ++at)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[at])) << (kBits * at);
  rest_.remove_prefix(size);
  return true;
}

bool ProtobufReader::next(ProtobufField& field) {
  if (!ok_ || rest_.empty()) return false;
  std::uint64_t key = 0;
  if (!take_varint(key)) return false;
  constexpr unsigned kTypeBits = 3;
  const std::uint64_t number = key >> kTypeBits;
  if (number == 0 || number > kMostNumber) return fail();
  field = {};
  field.number = static_cast<std::uint32_t>(number);
  switch (key & ((1U << kTypeBits) - 1)) {
    case kVarint:
      return take_varint(field.value);
    case kFixed64:
      return take_fixed(sizeof(std::uint64_t), field.value);
    case kFixed32:
      return take_fixed(sizeof(std::uint32_t), field.value);
    case kBytes: {
      std::uint64_t size = 0;
      if (!take_varint(size)) return false;
      if (size > rest_.size()) return fail();
      field.has_bytes = true;
      field.bytes = rest_.substr(0, static_cast<std::size_t>(size));
      rest_.remove_prefix(static_cast<std::size_t>(size));
      return true;
    }
    default:
      return fail();
  }
}

}  // namespace gpuwright::parse
