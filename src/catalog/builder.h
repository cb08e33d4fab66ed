// Turns knowledge files into the typed catalog, and says file and line of whatever does not follow the
// schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/knowledge.h"

#include <vector>

namespace gpuwright::catalog {

/// The whole catalog. Malformed with file:line for the first row that does not follow docs/KNOWLEDGE.md.
base::Result<Catalog> build_catalog(const std::vector<KnowledgeFile>& files);

/// One row of data/signatures as it stands in the file. Malformed with `file:line`.
base::Result<Signature> read_signature(const kit::Node& row, const std::string& file);

/// One row of data/causes as it stands in the file. Malformed with `file:line`.
base::Result<Cause> read_cause(const kit::Node& row, const std::string& file);

}  // namespace gpuwright::catalog
