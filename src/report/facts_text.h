// The machine's facts for a person. Of a list of like things (eight GPUs) what all share is told once, and
// then what is different: so the odd one stands out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fact_tree.h"

#include <string>
#include <vector>

namespace gpuwright::report {

struct FactsOptions {
  bool absent = false;  ///< also list what is not known, with the reason
  bool color = false;
  std::vector<std::string> groups;  ///< only these; empty: all
};

std::string render_facts_text(const model::FactNode& tree, const FactsOptions& options);

/// "80 GiB", "65 C", "16 GT/s": the value with the unit that its name carries.
std::string value_text(const model::FactNode& node);

}  // namespace gpuwright::report
