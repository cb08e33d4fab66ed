// Small text helpers that the whole house shares. Text from a machine is hostile: it is bounded, and stripped
// of control bytes before a person sees it. No locale, no exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::base {

/// The text without white space (space, tab, CR, LF, VT, FF) at both ends. Views into `text`.
std::string_view trim(std::string_view text);

/// A string that is about to go: views into it would dangle.
template <class Text>
concept Temporary = std::same_as<Text, std::string>;

/// Pieces between separators; an empty text gives one empty piece. Views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split(Temporary auto&& text, char separator) = delete;

/// Lines without their line ends (LF or CRLF). A last line without line end counts. Views into `text`.
std::vector<std::string_view> lines(std::string_view text);
std::vector<std::string_view> lines(Temporary auto&& text) = delete;

/// How many line feeds the text holds. Many bytes at once: for texts of gigabytes.
std::int64_t count_line_feeds(std::string_view text);

/// Non-empty runs between white space. Views into `text`.
std::vector<std::string_view> words(std::string_view text);
std::vector<std::string_view> words(Temporary auto&& text) = delete;

/// Whether `size` bytes are the same; without a call, for the few bytes that most comparisons are about.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
  const auto same_eight = [&](std::size_t at) {
    std::uint64_t left = 0, right = 0;
    std::memcpy(&left, a + at, sizeof left);
    std::memcpy(&right, b + at, sizeof right);
    return left == right;
  };
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      if (!same_eight(at)) return false;
    }
    return same_eight(size - 8);
  }
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

bool contains(std::string_view text, std::string_view needle);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);
bool equals_ignoring_case(std::string_view a, std::string_view b);
/// ASCII lower case.
std::string lower(std::string_view text);
std::string replace_all(std::string text, std::string_view from, std::string_view to);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// A whole decimal integer (optional sign, nothing else), or nothing (also on overflow).
std::optional<std::int64_t> parse_int(std::string_view text);
/// A whole hexadecimal number with or without 0x, or nothing.
std::optional<std::uint64_t> parse_hex(std::string_view text);
/// A whole decimal number ("312.45"), or nothing.
std::optional<double> parse_double(std::string_view text);
/// The number at the start of "312.45 W" and the unit behind it ("W"); nothing if no number leads.
struct NumberAndUnit {
  double number = 0;
  std::string unit;
};
std::optional<NumberAndUnit> parse_number_and_unit(std::string_view text);

/// Length in bytes of the valid UTF-8 character at the start of a non-empty text; 0 if there is none. Source:
/// RFC 3629, table 3.
std::size_t utf8_length(std::string_view text);

/// Text safe to print: control bytes and invalid UTF-8 become '?', tabs a space, cut to `limit` bytes at a
/// character border ("…" added).
std::string printable(std::string_view text, std::size_t limit = 400);

/// Compares dotted versions part by part as numbers ("525.60.13" < "525.105.17"), kernel releases too
/// ("6.8.0-87-generic" < "6.8.0-101-generic"). Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);

/// The candidate that a misspelt word most likely means, or nothing when none is near (more than a third of
/// its letters differ). Case, and '_' against '-', count little.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates);

/// Cuts a Debian or RPM version to that of the software: "580.65.06-0ubuntu1" and "3:580.65.06-1.el9" ->
/// "580.65.06".
std::string upstream_version(std::string_view version);

/// Compares names with the numbers in them counted ("n9" < "n10"). Negative, zero or positive; zero also for
/// "n1" and "n01".
int compare_naturally(std::string_view a, std::string_view b);

/// True when `text` is `pattern`, where each '*' stands for any text, also none.
bool matches_wildcard(std::string_view pattern, std::string_view text);

/// True when `text` matches `pattern`, where a final ".*" stands for any suffix after the dot ("sxid.*"
/// matches "sxid.20034").
bool matches_signal_glob(std::string_view pattern, std::string_view text);

}  // namespace gpuwright::base
