// Digests by libsodium; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "kit/hash.h"

#include <sodium.h>
#include <sys/random.h>

#include <cerrno>
#include <new>

namespace gpuwright::kit {

namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(state_), "the state must fit");
  static_assert(alignof(crypto_hash_sha256_state) <= 16, "the state must be aligned");
  crypto_hash_sha256_init(new (state_.data()) crypto_hash_sha256_state);
}

void Sha256::update(std::string_view bytes) {
  auto* state = std::launder(reinterpret_cast<crypto_hash_sha256_state*>(state_.data()));
  crypto_hash_sha256_update(state, bytes_of(bytes), bytes.size());
}

std::string Sha256::finish() {
  auto* state = std::launder(reinterpret_cast<crypto_hash_sha256_state*>(state_.data()));
  std::string digest(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256_final(state, reinterpret_cast<unsigned char*>(digest.data()));
  return to_hex(digest);
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  std::array<unsigned char, crypto_generichash_KEYBYTES> spread = {};
  crypto_generichash(spread.data(), spread.size(), bytes_of(key), key.size(), nullptr, 0);
  std::string digest(32, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(), bytes_of(text),
                     text.size(), spread.data(), spread.size());
  return digest;
}

base::Result<std::string> random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = ::getrandom(bytes.data() + have, count - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::make_error(base::ErrorKind::Io, "the kernel gives no random bytes");
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  constexpr std::string_view kKey = "gpuwright compares";  // digests are of one length
  const std::string left = keyed_hash(kKey, a);
  const std::string right = keyed_hash(kKey, b);
  return ::sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace gpuwright::kit
