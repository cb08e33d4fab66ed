// How a signal looks as one line of text: a row of data/signatures. The schema is docs/KNOWLEDGE.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/event.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::catalog {

enum class CaptureClass { Int, Hex, Num, Id, Word, Token, Bdf, Any };

/// One step of a compiled template: a literal to find or to stand here, or a capture.
struct TemplatePart {
  enum class Kind { Literal, Capture } kind = Kind::Literal;
  std::string literal;
  CaptureClass capture_class = CaptureClass::Any;
  std::int32_t capture = -1;  ///< index into Signature::captures; -1: not kept
};

struct Template {
  std::string text;                 ///< as written
  std::vector<TemplatePart> parts;  ///< Any is always followed by a Literal or ends the template
};

struct Signature {
  std::string id;
  std::string signal;  ///< empty when a decoder decides
  model::EventLevel level = model::EventLevel::Alarm;
  std::string subject;  ///< "" : by the captures
  std::vector<Template> templates;
  std::string regex;                  ///< RE2, instead of templates
  std::vector<std::string> literals;  ///< the regex is tried where one of them stands
  std::vector<std::string> captures;  ///< names, in capture order, over all templates
  std::vector<std::string> key;
  std::map<std::string, std::string> set;
  std::string inherit_from;
  std::int64_t inherit_lines = 0;
  std::string decode;
  std::string source;
};

/// Compiles one template; capture names not yet in `captures` are appended. Malformed with the reason.
base::Result<Template> compile_template(const std::string& text, std::vector<std::string>& captures);

}  // namespace gpuwright::catalog
