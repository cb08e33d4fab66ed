// The key table for editors and readers: JSON Schema, the reference pages, one key explained, the list of
// keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/spec_key.h"
#include "report/explain.h"

#include <string>
#include <string_view>

namespace gpuwright::report {

/// JSON Schema (draft 2020-12) of a spec. docs/schema/spec.schema.json is a copy.
std::string spec_json_schema(const catalog::Catalog& catalog);

/// The generated part of docs/SPEC.md: a table a section.
std::string spec_reference(const catalog::Catalog& catalog, catalog::Language language);

/// One key, with the keys below it.
std::string explain_spec_key_text(const catalog::SpecKey& key, const catalog::Catalog& catalog,
                                  const ExplainOptions& options);
std::string explain_spec_key_json(const catalog::SpecKey& key, catalog::Language language);

/// The keys that begin with `prefix` (empty: all), one a line.
std::string spec_keys_text(const catalog::Catalog& catalog, std::string_view prefix,
                           const ExplainOptions& options);
std::string spec_keys_json(const catalog::Catalog& catalog, std::string_view prefix,
                           catalog::Language language);

}  // namespace gpuwright::report
