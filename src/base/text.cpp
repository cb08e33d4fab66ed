// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace gpuwright::base {

namespace {

constexpr std::string_view kWhite = " \t\r\n\v\f";

char lower_char(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first <= 0xF4  ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    result.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return result;
}

std::int64_t count_line_feeds(std::string_view text) {
  // Sixteen bytes at a time in the vector type that g++ and clang map to SSE2 or NEON; a lane counts to 255
  // at most before it is added up.
  using Lanes = unsigned char __attribute__((vector_size(16)));
  constexpr std::size_t kWidth = sizeof(Lanes);
  std::int64_t count = 0;
  const Lanes feed = Lanes{} + static_cast<unsigned char>('\n');
  while (text.size() >= kWidth) {
    const std::size_t steps = std::min<std::size_t>(255, text.size() / kWidth);
    Lanes sums{};
    for (std::size_t i = 0; i < steps; ++i) {
      Lanes bytes;
      std::memcpy(&bytes, text.data() + i * kWidth, kWidth);
      sums -= static_cast<Lanes>(bytes == feed);  // a lane that is equal is all ones: minus one
    }
    for (std::size_t lane = 0; lane < kWidth; ++lane) count += sums[lane];
    text.remove_prefix(steps * kWidth);
  }
  return count + std::count(text.begin(), text.end(), '\n');
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kWhite);
    if (begin == std::string_view::npos) return result;
    std::size_t end = text.find_first_of(kWhite, begin);
    if (end == std::string_view::npos) end = text.size();
    result.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

bool contains(std::string_view text, std::string_view needle) {
  return text.find(needle) != std::string_view::npos;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower_char(x) == lower_char(y); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower_char);
  return result;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string result;
  for (const std::string& part : parts) {
    if (!result.empty()) result += separator;
    result += part;
  }
  return result;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (starts_with_ignoring_case(text, "0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<NumberAndUnit> parse_number_and_unit(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  return NumberAndUnit{value, std::string(trim(text.substr(static_cast<std::size_t>(end - text.data()))))};
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  result.reserve(std::min(text.size(), limit) + 3);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::size_t step = length == 0 ? 1 : length;
    if (result.size() + step > limit) {
      result += "…";
      return result;
    }
    const unsigned char first = static_cast<unsigned char>(text[0]);
    const bool c1_control = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (first == '\t') {
      result += ' ';
    } else if (length == 0 || first < 0x20 || first == 0x7F || c1_control) {
      result += '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(step);
  }
  return result;
}

int compare_versions(std::string_view a, std::string_view b) {
  // "6.8.0-90-generic": a dash parts numbers as a dot does
  const std::string first = replace_all(std::string(a), "-", "."),
                    second = replace_all(std::string(b), "-", ".");
  const std::vector<std::string_view> left = split(first, '.');
  const std::vector<std::string_view> right = split(second, '.');
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::int64_t x = i < left.size() ? parse_int(left[i]).value_or(0) : 0;
    const std::int64_t y = i < right.size() ? parse_int(right[i]).value_or(0) : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

namespace {

constexpr std::size_t kLongestCompared = 64;

/// Letters to change, add, drop or swap with their neighbour to make one word of the other, no letter touched
/// twice. Source: optimal string alignment distance.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto plain = [](std::string_view text) { return replace_all(lower(text), "-", "_"); };
  const std::string wanted = plain(word.substr(0, kLongestCompared));
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestCompared) continue;
    const std::size_t edits = edits_between(wanted, plain(candidate));
    if (edits >= least || edits >= candidate.size()) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

std::string upstream_version(std::string_view version) {
  const std::size_t epoch = version.find(':');
  if (epoch != std::string_view::npos) version.remove_prefix(epoch + 1);
  std::size_t end = 0;
  while (end < version.size() && ((version[end] >= '0' && version[end] <= '9') || version[end] == '.')) ++end;
  while (end > 0 && version[end - 1] == '.') --end;
  return std::string(version.substr(0, end));
}

int compare_naturally(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto take_number = [&](std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    while (!digits.empty() && digits.front() == '0') digits.remove_prefix(1);
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    int order = 0;
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a);
      const std::string_view right = take_number(b);
      order = left.size() != right.size() ? (left.size() < right.size() ? -1 : 1) : left.compare(right);
    } else {
      order = a.substr(0, 1).compare(b.substr(0, 1));
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (order != 0) return order;
  }
  return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, in = 0;
  std::size_t star = std::string_view::npos, resume = 0;  // the last star, and where its text may end next
  while (in < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = in;
    } else if (at < pattern.size() && pattern[at] == text[in]) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool matches_signal_glob(std::string_view pattern, std::string_view text) {
  if (pattern.size() >= 2 && pattern.substr(pattern.size() - 2) == ".*") {
    pattern.remove_suffix(1);
    return text.size() > pattern.size() && text.substr(0, pattern.size()) == pattern;
  }
  return pattern == text;
}

}  // namespace gpuwright::base
