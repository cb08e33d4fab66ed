// SPDX-License-Identifier: Apache-2.0
#include "parse/prefilter.h"

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
constexpr std::uint32_t kBitmapBits = 18;  // 32 KiB: lives in the first-level cache
constexpr std::uint32_t kSlotBits = 13;
constexpr std::uint32_t kFirstFactor =
    0x9E3779B1u;  // 2^32 divided by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4
constexpr std::uint32_t kSecondFactor = 0x85EBCA77u;  // another odd number without structure

std::uint32_t four_hash(const char* at) {
  return load_window(at) * kFirstFactor;
}

/// Of eight bytes. Two 32-bit products, so that vector instructions can do eight positions at once.
std::uint32_t eight_hash(const char* at) {
  return load_window(at) * kFirstFactor + load_window(at + 4) * kSecondFactor;
}

void set_bit(std::vector<std::uint32_t>& bits, std::uint32_t hash) {
  const std::uint32_t bit = hash >> (32 - kBitmapBits);
  bits[bit / 32] |= 1u << (bit % 32);
}

std::uint32_t get_bit(const std::uint32_t* bits, std::uint32_t hash) {
  const std::uint32_t bit = hash >> (32 - kBitmapBits);
  return (bits[bit / 32] >> (bit % 32)) & 1u;
}

struct Span {
  std::size_t offset = 0;
  std::uint32_t cost = std::numeric_limits<std::uint32_t>::max();
};

bool is_roomy(std::string_view literal) {
  return literal.size() >= 8 + kStride - 1;
}

/// Where to watch: the bytes whose four windows are rarest. A window of eight bytes is as rare as the rarest
/// four in it.
Span rarest_span(std::string_view literal, const WindowCosts& costs) {
  const std::size_t width = is_roomy(literal) ? 8 : 4;
  Span best;
  if (literal.size() < width + kStride - 1) return best;
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

template <class Hash>
Prefilter::Index Prefilter::make_index(std::vector<Entry> entries, Hash hash) {
  Index index;
  index.seen.assign((std::size_t{1} << kBitmapBits) / 32, 0);
  index.begin.assign((std::size_t{1} << kSlotBits) + 1, 0);
  for (Entry& entry : entries) {
    entry.hash = hash(literals_[entry.literal].data() + entry.offset);
    set_bit(index.seen, entry.hash);
    ++index.begin[(entry.hash >> (32 - kSlotBits)) + 1];
  }
  for (std::size_t i = 1; i < index.begin.size(); ++i) index.begin[i] += index.begin[i - 1];
  std::vector<std::uint32_t> next(index.begin.begin(), index.begin.end() - 1);
  index.entries.resize(entries.size());
  for (const Entry& entry : entries) index.entries[next[entry.hash >> (32 - kSlotBits)]++] = entry;
  return index;
}

Prefilter::Prefilter(std::vector<std::string> literals, const WindowCosts& costs)
    : literals_(std::move(literals)) {
  std::vector<Entry> roomy, tight;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string& literal = literals_[i];
    if (literal.size() < kShortestLiteral) continue;
    const std::size_t span = rarest_span(literal, costs).offset;
    std::vector<Entry>& entries = is_roomy(literal) ? roomy : tight;
    for (std::size_t offset = span; offset < span + kStride; ++offset) {
      const std::size_t corner = offset * 2 >= literal.size() ? 0 : literal.size() - 4;
      Entry entry;
      entry.literal = i;
      entry.offset = static_cast<std::uint32_t>(offset);
      entry.size = static_cast<std::uint32_t>(literal.size());
      entry.corner = load_window(literal.data() + corner);
      entry.corner_from_window = static_cast<std::int32_t>(corner) - static_cast<std::int32_t>(offset);
      entries.push_back(entry);
    }
  }
  by_eight_ = make_index(std::move(roomy), eight_hash);
  by_four_ = make_index(std::move(tight), four_hash);
}

void Prefilter::confirm_in(const Index& index, std::uint32_t hash, std::string_view text, std::size_t at,
                           std::vector<Hit>& hits) const {
  const std::uint32_t slot = hash >> (32 - kSlotBits);
  for (std::uint32_t i = index.begin[slot]; i < index.begin[slot + 1]; ++i) {
    const Entry& entry = index.entries[i];
    if (entry.hash != hash || entry.offset > at || at - entry.offset + entry.size > text.size()) continue;
    if (load_window(text.data() + at + entry.corner_from_window) != entry.corner) continue;
    const std::size_t begin = at - entry.offset;
    if (std::memcmp(text.data() + begin, literals_[entry.literal].data(), entry.size) == 0) {
      hits.push_back(Hit{static_cast<std::uint32_t>(begin), entry.literal});
    }
  }
}

void Prefilter::confirm(std::string_view text, std::size_t at, std::vector<Hit>& hits) const {
  const std::uint32_t four = four_hash(text.data() + at);
  if (get_bit(by_four_.seen.data(), four) != 0) confirm_in(by_four_, four, text, at, hits);
  if (at + 8 > text.size()) return;
  const std::uint32_t eight = eight_hash(text.data() + at);
  if (get_bit(by_eight_.seen.data(), eight) != 0) confirm_in(by_eight_, eight, text, at, hits);
}

namespace {

/// The positions among `probes` (a multiple of eight, kStride apart from `text` on) whose window some literal
/// has, put into `suspects`. Returns how many. May read four bytes behind the last window.
std::size_t probe_portably(const char* text, std::size_t probes, const std::uint32_t* seen_eight,
                           const std::uint32_t* seen_four, std::uint32_t* suspects) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < probes; ++i) {
    const char* at = text + i * kStride;
    suspects[count] = static_cast<std::uint32_t>(i * kStride);
    count += get_bit(seen_eight, eight_hash(at)) | get_bit(seen_four, four_hash(at));
  }
  return count;
}

#if defined(__x86_64__)

/// One bit a lane: whether the bitmap has the lane's hash. The bit is shifted into the sign.
__attribute__((target("avx2"))) inline __m256i lookup(const std::uint32_t* bits, __m256i hash) {
  const __m256i bit = _mm256_srli_epi32(hash, 32 - kBitmapBits);
  const __m256i word =
      _mm256_i32gather_epi32(reinterpret_cast<const int*>(bits), _mm256_srli_epi32(bit, 5), 4);
  return _mm256_sllv_epi32(word, _mm256_andnot_si256(bit, _mm256_set1_epi32(31)));
}

__attribute__((target("avx2"))) std::size_t probe_avx2(const char* text, std::size_t probes,
                                                       const std::uint32_t* seen_eight,
                                                       const std::uint32_t* seen_four,
                                                       std::uint32_t* suspects) {
  const __m256i first = _mm256_set1_epi32(static_cast<int>(kFirstFactor));
  const __m256i second = _mm256_set1_epi32(static_cast<int>(kSecondFactor));
  std::size_t count = 0;
  for (std::size_t i = 0; i < probes; i += 8) {
    const char* at = text + i * kStride;
    const __m256i low = _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), first);
    const __m256i high =
        _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 4)), second);
    const __m256i found =
        _mm256_or_si256(lookup(seen_eight, _mm256_add_epi32(low, high)), lookup(seen_four, low));
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
        probe(text.data() + at, probes, by_eight_.seen.data(), by_four_.seen.data(), suspects.data());
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
