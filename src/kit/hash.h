// Digests. SHA-256 proves that a bundle's members are those that were packed; a keyed hash (BLAKE2b) replaces
// names in evidence so that equal names stay equal and nobody without the key can try out guesses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuwright::kit {

/// SHA-256 of bytes that arrive piece by piece.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  /// The digest in lower-case hex (64 characters). Afterwards the object is spent.
  std::string finish();

 private:
  alignas(16) std::array<unsigned char, 128> state_;
};

std::string sha256_hex(std::string_view bytes);

/// 32 bytes that depend on the text and the key (1 to 64 bytes) alone. Source: BLAKE2b (RFC 7693) with the
/// key spread to 32 bytes by BLAKE2b.
std::string keyed_hash(std::string_view key, std::string_view text);

/// `count` random bytes from the kernel, for keys.
base::Result<std::string> random_bytes(std::size_t count);

std::string to_hex(std::string_view bytes);

/// Whether two secrets are the same, in a time that tells nothing about how much of them is, nor how long
/// they are.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace gpuwright::kit
