// Walking a block of text line by line, with the evidence that a line gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text.h"
#include "model/event.h"
#include "parse/format.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::parse {

/// The evidence of line `number` of the input that the block is of.
inline model::Evidence evidence_of(const BlockContext& context, std::int64_t number, std::string_view text) {
  return {context.input, number, base::printable(base::trim(text))};
}

/// The evidence of line `index` (0-based) of a block.
inline model::Evidence block_evidence(const BlockContext& context, std::size_t index, std::string_view line) {
  return evidence_of(context, context.first_line + static_cast<std::int64_t>(index), line);
}

/// Gives a reader the block's lines with their numbers in the input until its `line` says false, then lets it
/// `finish`: true when it found something of its kind.
template <class Reader>
bool read_lines(Reader& reader, std::string_view block, const BlockContext& context,
                model::Observations& out) {
  std::int64_t number = context.first_line;
  for (const std::string_view line : base::lines(block))
    if (!reader.line(line, number++)) break;
  return reader.finish(out);
}

/// "Key: value" or "Key = value": both sides trimmed. Nothing in `second` when the separator is missing.
inline std::pair<std::string_view, std::string_view> key_and_value(std::string_view line,
                                                                   char separator = ':') {
  const std::size_t at = line.find(separator);
  if (at == std::string_view::npos) return {base::trim(line), {}};
  return {base::trim(line.substr(0, at)), base::trim(line.substr(at + 1))};
}

}  // namespace gpuwright::parse
