// One table says what each fact about a GPU is called in the three languages of nvidia-smi: the indented text
// of -q, the XML of -q -x, and the names of --query-gpu. The parsers walk their own syntax and hand path and
// value here, so that all of them fill the same fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/gpu_report.h"
#include "parse/format.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

enum class SmiLanguage { Text, Xml, Query };

/// A path in one language, its value, and the line that says it. Paths are joined by '/'; a row of the table
/// matches when the path ends in it.
struct SmiValue {
  std::string_view path;
  std::string_view value;
  std::int64_t line = 0;
  std::string_view line_text;
};

/// Puts the value into its field. False when no row knows the path. Values that say "not available" leave the
/// field absent with the reason; values that say "I could not read it" are noted in `report.unreadable` too.
bool assign_gpu_value(model::GpuReport& report, SmiLanguage language, const SmiValue& value);

/// True when the table knows this path.
bool knows_gpu_path(SmiLanguage language, std::string_view path);

/// Fills what follows from other fields (the single clock reasons out of the mask).
void derive_gpu_fields(model::GpuReport& report);

/// A fresh report with format, input and block set.
model::GpuReport new_gpu_report(const char* format, const BlockContext& context);

/// What a value says instead of a value.
enum class SmiAbsence { None, NotAvailable, Denied, NotRead, TimedOut, Unreadable };
SmiAbsence absence_of(std::string_view value);

/// At most so many GPUs are kept of one block.
inline constexpr std::size_t kMaxGpusPerBlock = 1024;

}  // namespace gpuwright::parse
