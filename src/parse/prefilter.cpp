// SPDX-License-Identifier: Apache-2.0
#include "parse/prefilter.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuwright::parse {

namespace {

constexpr std::size_t kStride = 4;
constexpr std::size_t kWidest = 8;  // bytes of a window
// Each filter has 32 KiB, as the first-level cache: words of 32 bits, and all bits of a window lie in one of
// them.
constexpr std::uint32_t kWordBits = 13;

/// Where a window stands in its filter.
struct Place {
  std::uint32_t word = 0;
  std::uint32_t bits = 0;
};

constexpr std::uint32_t kFirstFactor = spread_window(1);
constexpr std::uint32_t kSecondFactor = 0x85EBCA77u;  // another odd number without structure
constexpr std::uint32_t kFirstBit = 14;               // from here on, five bits of the hash say which bit
constexpr std::uint32_t kSecondBit = 9;

/// Windows of eight bytes: two bits, as a Bloom filter has. Two 32-bit products, so that vector instructions
/// can do eight positions at once.
Place wide_place(std::uint32_t first_four, std::uint32_t next_four) {
  const std::uint32_t hash = first_four * kFirstFactor + next_four * kSecondFactor;
  return {hash >> (32 - kWordBits), 1u << (hash >> kFirstBit) % 32 | 1u << (hash >> kSecondBit) % 32};
}

/// Windows of four to seven bytes: the first four say which word; eight bits of it stand for the fifth byte,
/// eight for the sixth, sixteen for the seventh. A window without one of them has all of its bits: whatever
/// may stand there.
Place narrow_place(std::uint32_t first_four, std::uint32_t next_four, std::size_t width) {
  const std::uint32_t fifth = width > 4 ? 1u << (next_four & 7u) : 0xFFu;
  const std::uint32_t sixth = width > 5 ? 1u << (8 + (next_four >> 8 & 7u)) : 0xFF00u;
  const std::uint32_t seventh = width > 6 ? 1u << (16 + (next_four >> 16 & 15u)) : 0xFFFF0000u;
  return {first_four * kFirstFactor >> (32 - kWordBits), fifth | sixth | seventh};
}

bool may_have(const std::uint32_t* filter, const Place& place) {
  return (~filter[place.word] & place.bits) == 0;
}

/// As many windows as there are bytes in a stride must fit into the literal.
std::size_t width_of(std::string_view literal) {
  return std::min(kWidest, literal.size() - (kStride - 1));
}

/// Up to eight bytes; those behind the end are zero.
std::uint64_t load_eight(std::string_view text, std::size_t at) {
  std::uint64_t value = 0;
  if (at + sizeof value <= text.size()) {
    std::memcpy(&value, text.data() + at, sizeof value);
  } else {
    std::memcpy(&value, text.data() + at, text.size() - at);
  }
  return value;
}

struct Span {
  std::size_t offset = 0;
  std::uint32_t cost = std::numeric_limits<std::uint32_t>::max();
};

/// Where to watch: the bytes whose windows are rarest. A window is as rare as the rarest four bytes in it.
Span rarest_span(std::string_view literal, const WindowCosts& costs) {
  Span best;
  if (literal.size() < Prefilter::kShortestLiteral) return best;
  const std::size_t width = width_of(literal);
  std::array<std::uint32_t, 256>
      cost;  // of the four bytes at each place; a literal's first 256 places are enough
  const std::size_t places = std::min(cost.size(), literal.size() - 3);
  for (std::size_t i = 0; i < places; ++i) cost[i] = costs.cost(load_window(literal.data() + i));
  const std::size_t in_window = width - 3;  // places in one window
  for (std::size_t offset = 0; offset + in_window + kStride - 1 <= places; ++offset) {
    std::uint32_t sum = 0;
    for (std::size_t window = offset; window < offset + kStride; ++window) {
      sum += *std::min_element(cost.begin() + static_cast<std::ptrdiff_t>(window),
                               cost.begin() + static_cast<std::ptrdiff_t>(window + in_window));
    }
    if (sum < best.cost) best = Span{offset, sum};
  }
  return best;
}

}  // namespace

std::uint32_t Prefilter::cost(std::string_view literal, const WindowCosts& costs) {
  return rarest_span(literal, costs).cost;
}

Prefilter::Prefilter(std::vector<std::string> literals, const WindowCosts& costs)
    : literals_(std::move(literals)) {
  std::vector<Entry> wide, narrow;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string& literal = literals_[i];
    if (literal.size() < kShortestLiteral) continue;
    const std::size_t span = rarest_span(literal, costs).offset;
    std::vector<Entry>& entries = width_of(literal) == kWidest ? wide : narrow;
    for (std::size_t offset = span; offset < span + kStride; ++offset) {
      entries.push_back(make_entry(i, offset));
    }
  }
  wide_ = make_index(wide);
  narrow_ = make_index(narrow);
}

Prefilter::Entry Prefilter::make_entry(std::uint32_t index, std::size_t offset) const {
  const std::string& literal = literals_[index];
  const std::size_t width = width_of(literal);
  const std::size_t corner = offset * 2 >= literal.size() ? 0 : literal.size() - 4;
  const std::uint64_t window = load_eight(literal, offset);
  const auto first_four = static_cast<std::uint32_t>(window);
  const auto next_four = static_cast<std::uint32_t>(window >> 32);
  const Place place =
      width == kWidest ? wide_place(first_four, next_four) : narrow_place(first_four, next_four, width);
  Entry entry;
  entry.beyond = static_cast<std::uint32_t>(8 * (kWidest - width));
  entry.window = window << entry.beyond;
  entry.literal = index;
  entry.offset = static_cast<std::uint32_t>(offset);
  entry.size = static_cast<std::uint32_t>(literal.size());
  entry.corner = load_window(literal.data() + corner);
  entry.corner_from_window = static_cast<std::int32_t>(corner) - static_cast<std::int32_t>(offset);
  entry.word = place.word;
  entry.bits = place.bits;
  return entry;
}

Prefilter::Index Prefilter::make_index(const std::vector<Entry>& entries) {
  constexpr std::size_t kWords = std::size_t{1} << kWordBits;
  Index index;
  index.filter.assign(kWords, 0);
  index.begin.assign(kWords + 1, 0);
  for (const Entry& entry : entries) {
    index.filter[entry.word] |= entry.bits;
    ++index.begin[entry.word + 1];
  }
  for (std::size_t i = 1; i <= kWords; ++i) index.begin[i] += index.begin[i - 1];
  std::vector<std::uint32_t> next(index.begin.begin(), index.begin.end() - 1);
  index.entries.resize(entries.size());
  for (const Entry& entry : entries) index.entries[next[entry.word]++] = entry;
  return index;
}

void Prefilter::confirm(std::string_view text, std::size_t at, std::vector<Hit>& hits) const {
  const std::uint64_t window = load_eight(text, at);
  const auto first_four = static_cast<std::uint32_t>(window);
  const auto next_four = static_cast<std::uint32_t>(window >> 32);
  const Place wide = wide_place(first_four, next_four);
  if (may_have(wide_.filter.data(), wide)) confirm_in(wide_, {at, window, wide.word}, text, hits);
  const Place narrow = narrow_place(first_four, next_four, kWidest);
  if (may_have(narrow_.filter.data(), narrow)) confirm_in(narrow_, {at, window, narrow.word}, text, hits);
}

void Prefilter::confirm_in(const Index& index, const Suspect& suspect, std::string_view text,
                           std::vector<Hit>& hits) const {
  const std::size_t at = suspect.at;
  for (std::uint32_t i = index.begin[suspect.word]; i < index.begin[suspect.word + 1]; ++i) {
    const Entry& entry = index.entries[i];
    if (suspect.window << entry.beyond != entry.window) continue;
    if (entry.offset > at || at - entry.offset + entry.size > text.size()) continue;
    if (load_window(text.data() + at + entry.corner_from_window) != entry.corner) continue;
    const std::size_t begin = at - entry.offset;
    if (base::equal_bytes(text.data() + begin, literals_[entry.literal].data(), entry.size)) {
      hits.push_back(Hit{static_cast<std::uint32_t>(begin), entry.literal});
    }
  }
}

namespace {

/// The positions among `probes` (a multiple of eight, kStride apart from `text` on) whose window some literal
/// may have, put into `suspects`. Returns how many. May read four bytes behind the last position's first
/// four.
std::size_t probe_portably(const char* text, std::size_t probes, const std::uint32_t* wide,
                           const std::uint32_t* narrow, std::uint32_t* suspects) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < probes; ++i) {
    const std::uint32_t first = load_window(text + i * kStride);
    const std::uint32_t next = load_window(text + i * kStride + 4);
    suspects[count] = static_cast<std::uint32_t>(i * kStride);
    const bool suspicious =
        may_have(wide, wide_place(first, next)) || may_have(narrow, narrow_place(first, next, kWidest));
    count += suspicious ? 1 : 0;
  }
  return count;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) inline __m256i words_of(const std::uint32_t* filter, __m256i hash) {
  return _mm256_i32gather_epi32(reinterpret_cast<const int*>(filter), _mm256_srli_epi32(hash, 32 - kWordBits),
                                4);
}

/// The word's bit with the number that `where` holds in its lower bits, as the sign of each lane: of the
/// `count` (a power of two) bits from `from` on.
__attribute__((target("avx2"))) inline __m256i bit_of(__m256i word, __m256i where, int from, int count) {
  const __m256i from_the_top = _mm256_add_epi32(_mm256_andnot_si256(where, _mm256_set1_epi32(count - 1)),
                                                _mm256_set1_epi32(32 - from - count));
  return _mm256_sllv_epi32(word, from_the_top);
}

__attribute__((target("avx2"))) std::size_t probe_avx2(const char* text, std::size_t probes,
                                                       const std::uint32_t* wide, const std::uint32_t* narrow,
                                                       std::uint32_t* suspects) {
  const __m256i first_factor = _mm256_set1_epi32(static_cast<int>(kFirstFactor));
  const __m256i second_factor = _mm256_set1_epi32(static_cast<int>(kSecondFactor));
  std::size_t count = 0;
  for (std::size_t i = 0; i < probes; i += 8) {
    const char* at = text + i * kStride;
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 4));
    const __m256i four_hash =
        _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), first_factor);
    const __m256i hash = _mm256_add_epi32(four_hash, _mm256_mullo_epi32(next, second_factor));
    const __m256i word = words_of(wide, hash);
    const __m256i in_wide = _mm256_and_si256(bit_of(word, _mm256_srli_epi32(hash, kFirstBit), 0, 32),
                                             bit_of(word, _mm256_srli_epi32(hash, kSecondBit), 0, 32));
    const __m256i other = words_of(narrow, four_hash);
    const __m256i in_narrow = _mm256_and_si256(
        _mm256_and_si256(bit_of(other, next, 0, 8), bit_of(other, _mm256_srli_epi32(next, 8), 8, 8)),
        bit_of(other, _mm256_srli_epi32(next, 16), 16, 16));
    const __m256i found = _mm256_or_si256(in_wide, in_narrow);
    for (auto mask = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found))); mask != 0;
         mask &= mask - 1) {
      suspects[count++] =
          static_cast<std::uint32_t>((i + static_cast<std::size_t>(__builtin_ctz(mask))) * kStride);
    }
  }
  return count;
}

#endif

}  // namespace

template <class Probe>
void Prefilter::find_with(Probe probe, std::string_view text, std::vector<Hit>& hits) const {
  constexpr std::size_t kBatch = 1024;  // probes before the few suspects are confirmed
  std::array<std::uint32_t, kBatch> suspects;
  std::size_t at = 0;
  while (at + 8 * kStride + 4 <= text.size()) {
    const std::size_t probes = std::min(kBatch, (text.size() - at - 4) / kStride / 8 * 8);
    const std::size_t count =
        probe(text.data() + at, probes, wide_.filter.data(), narrow_.filter.data(), suspects.data());
    for (std::size_t i = 0; i < count; ++i) confirm(text, at + suspects[i], hits);
    at += probes * kStride;
  }
  for (; at + 4 <= text.size(); at += kStride) confirm(text, at, hits);
}

void Prefilter::find_portably(std::string_view text, std::vector<Hit>& hits) const {
  find_with(probe_portably, text, hits);
}

void Prefilter::find(std::string_view text, std::vector<Hit>& hits) const {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    find_with(probe_avx2, text, hits);
    return;
  }
#endif
  find_with(probe_portably, text, hits);
}

}  // namespace gpuwright::parse
