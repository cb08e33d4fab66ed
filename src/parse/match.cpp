// SPDX-License-Identifier: Apache-2.0
#include "parse/match.h"

#include <algorithm>

namespace gpuwright::parse {

namespace {

using catalog::CaptureClass;
using catalog::Template;
using catalog::TemplatePart;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_id(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool belongs(CaptureClass capture_class, char c) {
  switch (capture_class) {
    case CaptureClass::Int:
      return is_digit(c);
    case CaptureClass::Hex:
      return is_hex(c) || c == 'x' || c == 'X';
    case CaptureClass::Num:
      return is_digit(c) || c == '.' || c == '-';
    case CaptureClass::Id:
      return is_id(c);
    case CaptureClass::Word:
      return is_id(c) || c == '.' || c == '-' || c == '/' || c == '@' || c == '+';
    case CaptureClass::Token:
      return !is_white(c);
    case CaptureClass::Bdf:
      return is_hex(c) || c == ':' || c == '.';
    case CaptureClass::Any:
      return true;
  }
  return false;
}

/// The longest run of the class at the start of `text`; a final ':' or '.' does not belong to an address, nor
/// a final '.' to a word or number.
std::size_t run_length(CaptureClass capture_class, std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && belongs(capture_class, text[length])) ++length;
  const bool dotted = capture_class == CaptureClass::Bdf || capture_class == CaptureClass::Num ||
                      capture_class == CaptureClass::Word;
  while (dotted && length > 0 && (text[length - 1] == ':' || text[length - 1] == '.')) --length;
  return length;
}

/// Matches parts from `index` on at `at`, which follows what has matched so far.
bool match_rest(const Template& pattern, std::size_t index, std::string_view line, std::size_t at,
                Match& match) {
  for (; index < pattern.parts.size(); ++index) {
    const TemplatePart& part = pattern.parts[index];
    if (part.kind == TemplatePart::Kind::Literal) {
      if (line.compare(at, part.literal.size(), part.literal) != 0) return false;
      at += part.literal.size();
      continue;
    }
    std::size_t length = line.size() - at;
    if (part.capture_class != CaptureClass::Any) {
      length = run_length(part.capture_class, line.substr(at));
      // A run may have swallowed the start of the literal behind it ("3b:00.0: text" with class token): give
      // back that much.
      const bool literal_follows = index + 1 < pattern.parts.size();
      if (literal_follows && line.compare(at + length, pattern.parts[index + 1].literal.size(),
                                          pattern.parts[index + 1].literal) != 0) {
        const std::size_t inside = line.substr(at, length + pattern.parts[index + 1].literal.size())
                                       .rfind(pattern.parts[index + 1].literal);
        if (inside == std::string_view::npos) return false;
        length = inside;
      }
      if (length == 0) return false;
    } else if (index + 1 < pattern.parts.size()) {
      const std::size_t next = line.find(pattern.parts[index + 1].literal, at);
      if (next == std::string_view::npos) return false;
      length = next - at;
    }
    if (part.capture >= 0) match.captures[static_cast<std::size_t>(part.capture)] = line.substr(at, length);
    at += length;
  }
  return true;
}

/// A leading capture takes the run of its class that ends at `end`.
bool match_leading(const TemplatePart& part, std::string_view line, std::size_t end, Match& match) {
  std::size_t begin = end;
  while (begin > 0 &&
         (part.capture_class == CaptureClass::Any || belongs(part.capture_class, line[begin - 1])))
    --begin;
  if (begin == end && part.capture_class != CaptureClass::Any) return false;
  if (part.capture >= 0)
    match.captures[static_cast<std::size_t>(part.capture)] = line.substr(begin, end - begin);
  return true;
}

}  // namespace

std::string_view Match::capture(std::string_view name) const {
  for (std::size_t i = 0; i < signature->captures.size() && i < kMaxCaptures; ++i) {
    if (signature->captures[i] == name) return captures[i];
  }
  return {};
}

bool match_template(const Template& pattern, std::string_view line, Match& match) {
  const std::size_t first = pattern.parts.front().kind == TemplatePart::Kind::Literal ? 0 : 1;
  const std::string& literal = pattern.parts[first].literal;
  constexpr int kMaxTries = 8;  // bounds the work on a hostile line that repeats the first literal
  std::size_t at = line.find(literal);
  for (int tries = 0; at != std::string_view::npos && tries < kMaxTries; ++tries) {
    const bool leading_fits = first == 0 || match_leading(pattern.parts[0], line, at, match);
    if (leading_fits && match_rest(pattern, first + 1, line, at + literal.size(), match)) return true;
    at = line.find(literal, at + 1);
  }
  return false;
}

}  // namespace gpuwright::parse
