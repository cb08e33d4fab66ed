// Packed bytes for the history: what goes over the socket to its process, and what stands in its file. Whole
// numbers are varints (seven bits a byte, least first; signed ones zigzag, as Protocol Buffers has them); a
// value is a whole number with a decimal exponent, since sensors count in milliwatts and per cent.
// Source: protobuf.dev/programming-guides/encoding (varints, zigzag).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

/// The decimal exponents that are kept, by their index in three bits; 7 is a plain double.
inline constexpr std::array<int, 7> kExponents = {0, 1, 2, 3, 5, 6, 9};
inline constexpr std::array<double, 7> kPowers = {1, 1e1, 1e2, 1e3, 1e5, 1e6, 1e9};
inline constexpr std::uint64_t kPlainDouble = 7;

/// A value as mantissa / kPowers[exponent].
struct Decimal {
  std::int64_t mantissa = 0;
  std::size_t exponent = 0;
  double value() const { return static_cast<double>(mantissa) / kPowers[exponent]; }
};
/// The value with as many decimals as it has, nine at most. One with more is rounded to six digits, but never
/// to less than a whole number. Nothing where a double must be kept as it is: infinite, huge (beyond 2^52),
/// or nearer to zero than a ten-thousandth with more than nine decimals.
std::optional<Decimal> decimal_of(double value);
/// The mantissa with another exponent of kExponents, not smaller than its own; nothing beyond 2^52.
std::optional<std::int64_t> mantissa_at(const Decimal& decimal, std::size_t exponent);

class PackWriter {
 public:
  PackWriter& varint(std::uint64_t value);
  PackWriter& zigzag(std::int64_t value);
  PackWriter& text(std::string_view bytes);  ///< with its length in front
  PackWriter& number(double value);          ///< as decimal_of keeps it
  PackWriter& plain(double value);           ///< eight bytes
  PackWriter& sixteen(std::uint16_t value);  ///< two bytes
  const std::string& bytes() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads what a PackWriter wrote, from bytes that may be damaged: after the first fault every answer is 0 or
/// empty, and ok() is false. The bytes must outlive it.
class PackReader {
 public:
  explicit PackReader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t varint();
  std::int64_t zigzag();
  std::string text();
  double number();
  double plain();
  std::uint16_t sixteen();
  /// A count of things of which each takes a byte or more.
  std::size_t count();

  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }
  bool done() const { return ok_ && left_.empty(); }
  void fail() {
    ok_ = false;
    left_ = {};
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

std::uint64_t to_zigzag(std::int64_t value);
std::int64_t from_zigzag(std::uint64_t value);

}  // namespace gpuwright::watch
