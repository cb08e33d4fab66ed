// A format parser turns a block of text (nvidia-smi -q, lspci -vv, ...) into nouns. One file per format, one
// line in all_formats.cpp; where a block begins stands in data/formats.yaml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/observations.h"

#include <span>
#include <string>
#include <string_view>

namespace gpuwright::parse {

/// Where a block came from, for evidence.
struct BlockContext {
  std::string input;
  std::int64_t first_line = 1;  ///< line number of the block's first line in the input
};

struct Format {
  const char* id;  ///< as in data/formats.yaml
  /// Reads the block (it may be cut, may carry foreign lines at its end, may be hostile) and adds nouns or
  /// events to `out`. Returns true when it found at least one thing of its kind. Never fails: what it cannot
  /// read is absent.
  bool (*parse)(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                model::Observations& out);
};

/// All formats, sorted by id.
std::span<const Format> all_formats();

}  // namespace gpuwright::parse
