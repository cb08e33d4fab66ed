// Decoders fold what means the same into one event: they mix what tells two events apart into a hash. FNV-1a,
// because it is short and a key has few bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuwright::parse {

/// The key into which nothing is mixed yet.
constexpr std::uint64_t kEmptyKey = 1469598103934665603ULL;

/// The key with one more part. A part ends: "ab", "c" and "a", "bc" give different keys.
inline std::uint64_t mix_key(std::uint64_t key, std::string_view part) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  for (const char c : part) key = (key ^ static_cast<unsigned char>(c)) * kPrime;
  return (key ^ 0xFFU) * kPrime;
}

}  // namespace gpuwright::parse
