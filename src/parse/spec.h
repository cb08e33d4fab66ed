// Reads a spec (gpuwright.yaml): bytes to the noun, and every fault with its line and column. Hostile input
// is bounded: size, depth, items, faults told; aliases are refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/spec.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

/// The largest spec that is read.
inline constexpr std::size_t kLargestSpec = 256 << 10;

/// What came of it. `spec` holds what could be read, and is to be used only when ok().
struct SpecReading {
  model::Spec spec;
  std::vector<model::SpecProblem> problems;  ///< in the order of the file, at most 50
  std::int64_t more_problems = 0;            ///< found beyond those

  bool ok() const { return problems.empty(); }
};

/// `name` is the file's name for messages. Keys, types and ranges are those of the catalog.
SpecReading parse_spec(std::string_view text, const std::string& name, const catalog::Catalog& catalog);

/// What single keys cannot tell: the faults of keys that contradict each other. One visible list, in
/// spec_checks.cpp; each names the sentence that report holds for it.
std::vector<model::SpecProblem> check_spec(const model::Spec& spec);

}  // namespace gpuwright::parse
