// A spec as YAML: written back, or made from the key table as the documented example and as a first spec of a
// workload class. What is written reads back as the same spec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/spec.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::report {

/// What is said above a key: nothing, what it means, or also what it takes.
enum class SpecComments : std::uint8_t { None, Meaning, Full };

struct SpecStyle {
  std::string heading;  ///< a comment at the top, several lines allowed; may be empty
  SpecComments comments = SpecComments::None;
  catalog::Language language = catalog::Language::English;
  std::map<std::string, std::string> notes;  ///< path -> a comment above it
};

/// The spec in the order of the table.
std::string spec_yaml(const model::Spec& spec, const catalog::Catalog& catalog, const SpecStyle& style);

/// Every key with the table's example.
std::string spec_example_yaml(const catalog::Catalog& catalog, const SpecStyle& style);

/// The keys that a first spec of the workload class has. Empty for a class that the table does not know.
std::string spec_starter_yaml(const std::string& workload_class, const catalog::Catalog& catalog,
                              const SpecStyle& style);

/// The workload classes, in the order of the table.
std::vector<std::string> workload_classes(const catalog::Catalog& catalog);

}  // namespace gpuwright::report
