// Quantities carry their unit in the type: a Watts cannot become a Celsius, nor a bare double, by accident.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace gpuwright::base {

template <class Tag, class Rep>
class Quantity {
 public:
  constexpr explicit Quantity(Rep count) : count_(count) {}
  /// The bare number, only for parsing and rendering.
  constexpr Rep count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
  constexpr Quantity operator+(Quantity other) const { return Quantity(count_ + other.count_); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(count_ - other.count_); }

 private:
  Rep count_;
};

using Watts = Quantity<struct WattsTag, double>;
using Celsius = Quantity<struct CelsiusTag, double>;
using Bytes = Quantity<struct BytesTag, std::int64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using Percent = Quantity<struct PercentTag, double>;

}  // namespace gpuwright::base
