// SPDX-License-Identifier: Apache-2.0
#include "parse/prefilter.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gpuwright::parse {

namespace {

constexpr std::uint32_t kHashBits = 14;

std::uint32_t load(const char* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint32_t hash(std::uint32_t window) {
  return (window * 0x9E3779B1u) >> (32 - kHashBits);
}

/// How often a byte stands in healthy logs, coarsely: the smaller the rarer.
int commonness(char c) {
  if (c >= 'a' && c <= 'z') return std::strchr("etaoinsr", c) != nullptr ? 9 : 7;
  if (c == ' ') return 10;
  if (c >= '0' && c <= '9') return 8;
  if (c == ':' || c == '.' || c == '-' || c == '_' || c == '/' || c == '[' || c == ']' || c == '=') return 6;
  if (c >= 'A' && c <= 'Z') return 4;
  return 2;
}

/// Offset of the rarest window of four bytes.
std::uint32_t rarest_window(const std::string& literal) {
  std::uint32_t best = 0;
  int best_score = std::numeric_limits<int>::max();
  for (std::uint32_t i = 0; i + 4 <= literal.size(); ++i) {
    const int score = commonness(literal[i]) + commonness(literal[i + 1]) + commonness(literal[i + 2]) +
                      commonness(literal[i + 3]);
    if (score < best_score) {
      best_score = score;
      best = i;
    }
  }
  return best;
}

}  // namespace

Prefilter::Prefilter(std::vector<std::string> literals)
    : literals_(std::move(literals)),
      bucket_begin_((1u << kHashBits) + 1),
      seen_bits_((1u << kHashBits) / 64) {
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::uint32_t offset = rarest_window(literals_[i]);
    entries_.push_back(Entry{load(literals_[i].data() + offset), i, offset});
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return hash(a.window) < hash(b.window); });
  for (const Entry& entry : entries_) {
    const std::uint32_t bucket = hash(entry.window);
    seen_bits_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    ++bucket_begin_[bucket + 1];
  }
  for (std::size_t i = 1; i < bucket_begin_.size(); ++i) bucket_begin_[i] += bucket_begin_[i - 1];
}

void Prefilter::confirm(std::string_view text, std::size_t at, std::vector<Hit>& hits) const {
  const std::uint32_t window = load(text.data() + at);
  const std::uint32_t bucket = hash(window);
  for (std::uint32_t i = bucket_begin_[bucket]; i < bucket_begin_[bucket + 1]; ++i) {
    const Entry& entry = entries_[i];
    if (entry.window != window || entry.offset > at) continue;
    const std::string& literal = literals_[entry.literal];
    const std::size_t begin = at - entry.offset;
    if (begin + literal.size() <= text.size() &&
        std::memcmp(text.data() + begin, literal.data(), literal.size()) == 0) {
      hits.push_back(Hit{static_cast<std::uint32_t>(begin), entry.literal});
    }
  }
}

void Prefilter::find(std::string_view text, std::vector<Hit>& hits) const {
  if (text.size() < 4 || entries_.empty()) return;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    const std::uint32_t bucket = hash(load(text.data() + at));
    if ((seen_bits_[bucket / 64] >> (bucket % 64)) & 1) confirm(text, at, hits);
  }
}

}  // namespace gpuwright::parse
