// SPDX-License-Identifier: Apache-2.0
#include "watch/pack.h"

#include <cmath>
#include <cstring>

namespace gpuwright::watch {

namespace {

constexpr double kLargest = 4503599627370496.0;  // 2^52: every whole number up to it is a double
constexpr double kSixDigits = 1e5;

}  // namespace

std::uint64_t to_zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

std::optional<Decimal> decimal_of(double value) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return std::nullopt;
  std::size_t rounded = kExponents.size();
  for (std::size_t at = 0; at < kExponents.size(); ++at) {
    const double scaled = value * kPowers[at];
    if (std::abs(scaled) > kLargest) break;
    const Decimal decimal{static_cast<std::int64_t>(std::llround(scaled)), at};
    if (decimal.value() == value) return decimal;
    if (rounded == kExponents.size() && std::abs(scaled) >= kSixDigits) rounded = at;
  }
  if (rounded == kExponents.size()) return std::nullopt;
  return Decimal{static_cast<std::int64_t>(std::llround(value * kPowers[rounded])), rounded};
}

std::optional<std::int64_t> mantissa_at(const Decimal& decimal, std::size_t exponent) {
  const double scaled =
      static_cast<double>(decimal.mantissa) * (kPowers[exponent] / kPowers[decimal.exponent]);
  if (std::abs(scaled) > kLargest) return std::nullopt;
  return static_cast<std::int64_t>(scaled);
}

PackWriter& PackWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
  return *this;
}

PackWriter& PackWriter::zigzag(std::int64_t value) {
  return varint(to_zigzag(value));
}

PackWriter& PackWriter::text(std::string_view bytes) {
  varint(bytes.size());
  out_ += bytes;
  return *this;
}

PackWriter& PackWriter::number(double value) {
  const std::optional<Decimal> decimal = decimal_of(value);
  if (!decimal) return varint(kPlainDouble).plain(value);
  return varint(to_zigzag(decimal->mantissa) << 3 | decimal->exponent);
}

PackWriter& PackWriter::plain(double value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out_.append(bytes, sizeof value);
  return *this;
}

PackWriter& PackWriter::sixteen(std::uint16_t value) {
  out_ += static_cast<char>(value & 0xff);
  out_ += static_cast<char>(value >> 8);
  return *this;
}

std::uint64_t PackReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::int64_t PackReader::zigzag() {
  return from_zigzag(varint());
}

std::string PackReader::text() {
  const std::size_t size = count();
  std::string bytes(left_.substr(0, size));
  left_.remove_prefix(size);
  return bytes;
}

double PackReader::number() {
  const std::uint64_t word = varint();
  const std::uint64_t exponent = word & 7;
  if (exponent == kPlainDouble) return plain();
  return Decimal{from_zigzag(word >> 3), static_cast<std::size_t>(exponent)}.value();
}

double PackReader::plain() {
  double value = 0;
  if (left_.size() < sizeof value) {
    fail();
    return 0;
  }
  std::memcpy(&value, left_.data(), sizeof value);
  left_.remove_prefix(sizeof value);
  return value;
}

std::uint16_t PackReader::sixteen() {
  if (left_.size() < 2) {
    fail();
    return 0;
  }
  const auto low = static_cast<unsigned char>(left_[0]);
  const auto high = static_cast<unsigned char>(left_[1]);
  left_.remove_prefix(2);
  return static_cast<std::uint16_t>(low | high << 8);
}

std::size_t PackReader::count() {
  const std::uint64_t value = varint();
  if (value <= left_.size()) return static_cast<std::size_t>(value);
  fail();
  return 0;
}

}  // namespace gpuwright::watch
