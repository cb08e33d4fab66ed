// Compiles the template language of data/signatures (docs/KNOWLEDGE.md, section 2) into steps that match
// without backtracking.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/signature.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gpuwright::catalog {

namespace {

using base::ErrorKind;
using base::make_error;

std::optional<CaptureClass> class_of(const std::string& name) {
  static constexpr std::array<std::pair<const char*, CaptureClass>, 8> kClasses = {{
      {"int", CaptureClass::Int},
      {"hex", CaptureClass::Hex},
      {"num", CaptureClass::Num},
      {"id", CaptureClass::Id},
      {"word", CaptureClass::Word},
      {"token", CaptureClass::Token},
      {"bdf", CaptureClass::Bdf},
      {"*", CaptureClass::Any},
  }};
  for (const auto& entry : kClasses) {
    if (name == entry.first) return entry.second;
  }
  return std::nullopt;
}

/// Reads "{name:class}" or "{*}" whose inside is `inside`.
base::Result<TemplatePart> parse_capture(const std::string& inside, std::vector<std::string>& captures) {
  const std::size_t colon = inside.find(':');
  const std::string name = colon == std::string::npos ? "" : inside.substr(0, colon);
  const std::string class_name = colon == std::string::npos ? inside : inside.substr(colon + 1);
  const std::optional<CaptureClass> capture_class = class_of(class_name);
  if (!capture_class)
    return make_error(ErrorKind::Malformed, fmt::format("unknown class in '{{{}}}'", inside));
  TemplatePart part;
  part.kind = TemplatePart::Kind::Capture;
  part.capture_class = *capture_class;
  if (!name.empty()) {
    const auto known = std::find(captures.begin(), captures.end(), name);
    part.capture = static_cast<std::int32_t>(known - captures.begin());
    if (known == captures.end()) captures.push_back(name);
  }
  return part;
}

void add_literal(std::vector<TemplatePart>& parts, char c) {
  if (parts.empty() || parts.back().kind != TemplatePart::Kind::Literal) parts.emplace_back();
  parts.back().literal += c;
}

base::Status check(const Template& compiled) {
  bool has_literal = false;
  for (std::size_t i = 0; i < compiled.parts.size(); ++i) {
    const TemplatePart& part = compiled.parts[i];
    has_literal = has_literal || (part.kind == TemplatePart::Kind::Literal && part.literal.size() >= 7);
    const bool followed_by_capture =
        i + 1 < compiled.parts.size() && compiled.parts[i + 1].kind == TemplatePart::Kind::Capture;
    if (part.kind == TemplatePart::Kind::Capture && followed_by_capture) {
      return make_error(ErrorKind::Malformed,
                        fmt::format("two captures without text between in '{}'", compiled.text));
    }
  }
  if (!has_literal) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("needs a literal of 7 bytes or more: '{}'", compiled.text));
  }
  return base::Done{};
}

}  // namespace

base::Result<Template> compile_template(const std::string& text, std::vector<std::string>& captures) {
  Template compiled;
  compiled.text = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if (text[i] == '{' && !doubled) {
      const std::size_t end = text.find('}', i);
      if (end == std::string::npos)
        return make_error(ErrorKind::Malformed, fmt::format("'{{' is not closed in '{}'", text));
      GPUWRIGHT_TRY(TemplatePart part, parse_capture(text.substr(i + 1, end - i - 1), captures));
      compiled.parts.push_back(std::move(part));
      i = end;
    } else {
      add_literal(compiled.parts, text[i]);
      if ((text[i] == '{' || text[i] == '}') && doubled) ++i;
    }
  }
  GPUWRIGHT_TRY([[maybe_unused]] auto done, check(compiled));
  return compiled;
}

}  // namespace gpuwright::catalog
