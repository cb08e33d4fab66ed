// What means the same is folded into one event: what tells two events apart is mixed into a hash. FNV-1a,
// eight bytes at a step: a storm asks for a key with every line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace gpuwright::parse {

/// The key into which nothing is mixed yet.
constexpr std::uint64_t kEmptyKey = 1469598103934665603ULL;

/// The key with one more part. A part ends: "ab", "c" and "a", "bc" give different keys.
inline std::uint64_t mix_key(std::uint64_t key, std::string_view part) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  const auto mix = [&](std::uint64_t value) {
    key = (key ^ value) * kPrime;
    key ^= key >> 29;  // or the upper bytes of a step would not reach the lower bits
  };
  std::uint64_t value = 0;
  for (; part.size() >= sizeof value; part.remove_prefix(sizeof value)) {
    std::memcpy(&value, part.data(), sizeof value);
    mix(value);
  }
  value = 0xFF;
  for (const char c : part) value = value << 8 | static_cast<unsigned char>(c);
  mix(value);
  return key;
}

}  // namespace gpuwright::parse
