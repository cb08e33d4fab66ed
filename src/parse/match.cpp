// SPDX-License-Identifier: Apache-2.0
#include "parse/match.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gpuwright::parse {

namespace {

using catalog::CaptureClass;
using catalog::Template;
using catalog::TemplatePart;

constexpr std::uint8_t bit_of(CaptureClass capture_class) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(capture_class));
}

/// For each byte, the classes that it belongs to, one bit each.
constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&](CaptureClass capture_class, std::string_view bytes) {
    for (const char c : bytes) classes[static_cast<unsigned char>(c)] |= bit_of(capture_class);
  };
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kHexLetters = "abcdefABCDEF";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  for (const CaptureClass numeric : {CaptureClass::Int, CaptureClass::Hex, CaptureClass::Num,
                                     CaptureClass::Id, CaptureClass::Word, CaptureClass::Bdf}) {
    add(numeric, kDigits);
  }
  add(CaptureClass::Hex, kHexLetters);
  add(CaptureClass::Hex, "xX");
  add(CaptureClass::Num, ".-");
  add(CaptureClass::Id, kLetters);
  add(CaptureClass::Word, kLetters);
  add(CaptureClass::Word, ".-/@+");
  add(CaptureClass::Bdf, kHexLetters);
  add(CaptureClass::Bdf, ":.");
  for (std::uint8_t& classes_of_byte : classes) {
    classes_of_byte |= static_cast<std::uint8_t>(bit_of(CaptureClass::Any) | bit_of(CaptureClass::Token));
  }
  for (const char white : {' ', '\t', '\r', '\v', '\f'}) {
    classes[static_cast<unsigned char>(white)] &= static_cast<std::uint8_t>(~bit_of(CaptureClass::Token));
  }
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool belongs(std::uint8_t bit, char c) {
  return (kClasses[static_cast<unsigned char>(c)] & bit) != 0;
}

bool stands_at(std::string_view line, std::size_t at, std::string_view literal) {
  return line.size() - at >= literal.size() &&
         base::equal_bytes(line.data() + at, literal.data(), literal.size());
}

/// The longest run of the class at the start of `text`; a final ':' or '.' does not belong to an address, nor
/// a final '.' to a word or number.
std::size_t run_length(CaptureClass capture_class, std::string_view text) {
  const std::uint8_t bit = bit_of(capture_class);
  std::size_t length = 0;
  while (length < text.size() && belongs(bit, text[length])) ++length;
  const bool dotted = capture_class == CaptureClass::Bdf || capture_class == CaptureClass::Num ||
                      capture_class == CaptureClass::Word;
  while (dotted && length > 0 && (text[length - 1] == ':' || text[length - 1] == '.')) --length;
  return length;
}

/// How much of the line from `at` on the capture takes; `next` is the literal behind it, empty at the end.
/// Nothing: no match.
std::optional<std::size_t> capture_length(const TemplatePart& part, std::string_view next,
                                          std::string_view line, std::size_t at) {
  if (part.capture_class == CaptureClass::Any) {
    if (next.empty()) return line.size() - at;
    const std::size_t found = line.find(next, at);
    return found == std::string_view::npos ? std::nullopt : std::optional(found - at);
  }
  std::size_t length = run_length(part.capture_class, line.substr(at));
  if (!next.empty() && !stands_at(line, at + length, next)) {
    // The run may have swallowed the start of the literal ("3b:00.0: text" with class token): give back that
    // much.
    length = line.substr(at, length + next.size()).rfind(next);
  }
  if (length == 0 || length == std::string_view::npos) return std::nullopt;
  return length;
}

/// Matches parts from `index` on at `at`, which follows what has matched so far.
bool match_rest(const Template& pattern, std::size_t index, std::string_view line, std::size_t at,
                Match& match) {
  for (; index < pattern.parts.size(); ++index) {
    const TemplatePart& part = pattern.parts[index];
    if (part.kind == TemplatePart::Kind::Literal) {
      if (!stands_at(line, at, part.literal)) return false;
      at += part.literal.size();
      continue;
    }
    const bool is_last = index + 1 == pattern.parts.size();
    const std::string_view next =
        is_last ? std::string_view() : std::string_view(pattern.parts[index + 1].literal);
    const std::optional<std::size_t> length = capture_length(part, next, line, at);
    if (!length) return false;
    if (part.capture >= 0) match.captures[static_cast<std::size_t>(part.capture)] = line.substr(at, *length);
    at += *length;
  }
  return true;
}

/// A leading capture takes the run of its class that ends at `end`.
bool match_leading(const TemplatePart& part, std::string_view line, std::size_t end, Match& match) {
  const std::uint8_t bit = bit_of(part.capture_class);
  std::size_t begin = end;
  while (begin > 0 && belongs(bit, line[begin - 1])) --begin;
  if (begin == end && part.capture_class != CaptureClass::Any) return false;
  if (part.capture >= 0)
    match.captures[static_cast<std::size_t>(part.capture)] = line.substr(begin, end - begin);
  return true;
}

}  // namespace

std::string_view Match::capture(std::string_view name) const {
  for (std::size_t i = 0; i < signature->captures.size() && i < kMaxCaptures; ++i) {
    const std::string& known = signature->captures[i];
    if (known.size() == name.size() && base::equal_bytes(known.data(), name.data(), name.size()))
      return captures[i];
  }
  return {};
}

bool match_template(const Template& pattern, std::string_view line, Match& match, std::size_t from) {
  const std::size_t first = pattern.parts.front().kind == TemplatePart::Kind::Literal ? 0 : 1;
  const std::string& literal = pattern.parts[first].literal;
  constexpr int kMaxTries = 8;  // bounds the work on a hostile line that repeats the first literal
  std::size_t at = from <= line.size() && stands_at(line, from, literal) ? from : line.find(literal, from);
  for (int tries = 0; at != std::string_view::npos && tries < kMaxTries; ++tries) {
    const bool leading_fits = first == 0 || match_leading(pattern.parts[0], line, at, match);
    if (leading_fits && match_rest(pattern, first + 1, line, at + literal.size(), match)) return true;
    at = line.find(literal, at + 1);
  }
  return false;
}

}  // namespace gpuwright::parse
