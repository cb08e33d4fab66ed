// Names by shape; see name_spans.h. Source: RFC 9562 (UUID), RFC 4291 (IPv6), IEEE 802 (MAC, EUI-64),
// InfiniBand Architecture (GUID, GID).
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "host/name_spans.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

namespace gpuwright::host {

namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_hex(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}
bool is_alnum(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

std::size_t hex_run(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && is_hex(line[end])) ++end;
  return end - at;
}

bool ends_word(std::string_view line, std::size_t end) {
  return end >= line.size() || !is_alnum(line[end]);
}

/// Length of a UUID at `at`, or 0.
std::size_t uuid_at(std::string_view line, std::size_t at) {
  static constexpr std::array<std::size_t, 5> kGroups = {8, 4, 4, 4, 12};
  std::size_t here = at;
  // Kubernetes writes pod UUIDs with underscores into cgroup names.
  const char separator = at + 8 < line.size() && line[at + 8] == '_' ? '_' : '-';
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    if (group > 0 && (here >= line.size() || line[here++] != separator)) return 0;
    if (hex_run(line, here) != kGroups[group]) return 0;
    here += kGroups[group];
  }
  return ends_word(line, here) ? here - at : 0;
}

/// Length of `groups` groups of `digits` hex digits, or 0. `groups` comes back as their number.
std::size_t groups_at(std::string_view line, std::size_t at, std::size_t digits, std::size_t& groups) {
  groups = 0;
  std::size_t here = at;
  char separator = '\0';
  while (hex_run(line, here) == digits) {
    here += digits;
    ++groups;
    const bool more = here + 1 < line.size() && (line[here] == ':' || (line[here] == '-' && digits == 2)) &&
                      is_hex(line[here + 1]);
    if (!more || (separator != '\0' && line[here] != separator)) break;
    separator = line[here];
    ++here;
  }
  return ends_word(line, here) &&
                 !(here + 1 < line.size() && line[here] == separator && is_alnum(line[here + 1]))
             ? here - at
             : 0;
}

/// MAC (6 groups of two), EUI-64 (8), IPoIB hardware address (20), GUID (4 groups of four).
std::size_t hardware_address_at(std::string_view line, std::size_t at) {
  std::size_t groups = 0;
  const std::size_t pairs = groups_at(line, at, 2, groups);
  if (pairs > 0 && (groups == 6 || groups == 8 || groups == 20)) return pairs;
  const std::size_t quads = groups_at(line, at, 4, groups);
  return quads > 0 && groups == 4 ? quads : 0;
}

/// The word before `at`, in lower case, without punctuation between.
std::string word_before(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && !is_alnum(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_alnum(line[begin - 1])) --begin;
  return base::lower(line.substr(begin, end - begin));
}

bool announces_version(std::string_view word) {
  static constexpr std::array<std::string_view, 20> kWords = {
      "version", "ver",  "v",    "release", "firmware", "fw",    "driver",   "cudnn",   "nccl",     "cuda",
      "toolkit", "ofed", "hpcx", "ucx",     "bios",     "vbios", "libcudnn", "libnccl", "revision", "cublas"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::size_t ipv4_at(std::string_view line, std::size_t at) {
  std::size_t here = at;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0 && (here >= line.size() || line[here++] != '.')) return 0;
    std::size_t end = here;
    while (end < line.size() && is_digit(line[end])) ++end;
    const auto digits = line.substr(here, end - here);
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits.front() == '0')) return 0;
    if (base::parse_int(digits).value_or(999) > 255) return 0;
    here = end;
  }
  // "1.2.3.4.5" and "1.2.3.4-rc1" are versions; "10.0.0.7." ends a sentence.
  if (!ends_word(line, here) || (here + 1 < line.size() && line[here] == '.' && is_alnum(line[here + 1])))
    return 0;
  if (here < line.size() && line[here] == '_') return 0;
  // "libcudnn9|9.13.0.50-1" in a list of packages.
  if (at > 0 && line[at - 1] == '|' && here < line.size() && (line[here] == '-' || line[here] == '+'))
    return 0;
  if (here + 1 < line.size() && line[here] == '-' && is_alnum(line[here + 1]) && !is_digit(line[here + 1]))
    return 0;
  return announces_version(word_before(line, at)) ? 0 : here - at;
}

/// IPv6 in full (eight groups) or with "::" behind a first group that addresses really begin with: global
/// 2xxx 3xxx, local fc fd, link fe8-feb, multicast ff.
std::size_t ipv6_at(std::string_view line, std::size_t at) {
  std::size_t end = at;
  std::size_t colons = 0;
  bool doubled = false;
  while (end < line.size() && end - at < 45 && (is_hex(line[end]) || line[end] == ':')) {
    colons += line[end] == ':' ? 1 : 0;
    doubled = doubled || (line[end] == ':' && end > at && line[end - 1] == ':');
    ++end;
  }
  while (end > at + 1 && line[end - 1] == ':' &&
         line[end - 2] != ':') {  // a port or the end of a clause follows
    --end;
    --colons;
  }
  if (!ends_word(line, end) || (colons != 7 && !doubled)) return 0;
  const std::string text(line.substr(at, end - at));
  const std::string first = base::lower(line.substr(at, hex_run(line, at)));
  const bool known_start = first.size() == 4 && (first[0] == '2' || first[0] == '3' || first[0] == 'f');
  if (doubled && !known_start) return 0;
  std::array<unsigned char, 16> bytes = {};
  return ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 ? end - at : 0;
}

/// Where a shape may begin: not inside a word, and behind no character that makes it part of a longer number.
bool may_begin(std::string_view line, std::size_t at) {
  if (!is_hex(line[at])) return false;
  if (at == 0) return true;
  const char before = line[at - 1];
  return !is_alnum(before) && before != '.';
}

std::optional<NameSpan> shape_at(std::string_view line, std::size_t at) {
  const char before = at > 0 ? line[at - 1] : ' ';
  if (const auto length = uuid_at(line, at); length > 0) return NameSpan{at, at + length, NameKind::Uuid};
  if (before == ':' && at > 1 && is_hex(line[at - 2])) {
    // "eth0:10.0.0.1" and "::ffff:10.0.0.1": an IPv4 address may stand behind a colon, nothing else may.
    const auto length = is_digit(line[at]) ? ipv4_at(line, at) : 0;
    return length > 0 ? std::optional<NameSpan>(NameSpan{at, at + length, NameKind::Ipv4}) : std::nullopt;
  }
  if (const auto length = hardware_address_at(line, at); length > 0 && before != '-') {
    // An IPoIB address of 20 bytes ends with the port's GUID; what stands before it names nobody.
    constexpr std::size_t kIpoib = 59;
    constexpr std::size_t kBeforeGuid = 36;
    return NameSpan{length == kIpoib ? at + kBeforeGuid : at, at + length, NameKind::HexId};
  }
  if (const auto length = ipv6_at(line, at); length > 0) return NameSpan{at, at + length, NameKind::Ipv6};
  if (!is_digit(line[at]) || before == '-' || before == '_') return std::nullopt;
  if (const auto length = ipv4_at(line, at); length > 0) return NameSpan{at, at + length, NameKind::Ipv4};
  return std::nullopt;
}

}  // namespace

std::vector<NameSpan> shaped_names(std::string_view line) {
  std::vector<NameSpan> spans;
  std::size_t at = 0;
  while (at < line.size()) {
    const auto span = may_begin(line, at) ? shape_at(line, at) : std::nullopt;
    if (span) {
      spans.push_back(*span);
      at = span->end;
      continue;
    }
    // On to the next place where something may begin. Kubernetes writes "pod" and the UUID as one word.
    if (line.substr(at).starts_with("pod") && uuid_at(line, at + 3) > 0) {
      at += 3;
      spans.push_back({at, at + uuid_at(line, at), NameKind::Uuid});
      at = spans.back().end;
    } else if (is_alnum(line[at])) {
      while (at < line.size() && is_alnum(line[at])) ++at;
    } else {
      ++at;
    }
  }
  return spans;
}

}  // namespace gpuwright::host
