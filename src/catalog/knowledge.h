// The files under data/ as trees: read from a folder, or packed into one flat text that unpacks without
// parsing YAML (YAML costs 60 ms for 300 KB at start-up, the pack well under 1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"

#include <string>
#include <vector>

namespace gpuwright::catalog {

/// One file: its path below data/, and its content. A CSV file is a sequence of rows, each a sequence of
/// cells; the first is the header.
struct KnowledgeFile {
  std::string name;
  kit::Node root;
};

/// Reads all .yaml and .csv files below the folder, sorted by name. Errors: NotFound, Denied, Malformed
/// (file:line).
base::Result<std::vector<KnowledgeFile>> read_knowledge(const std::string& folder);

}  // namespace gpuwright::catalog
