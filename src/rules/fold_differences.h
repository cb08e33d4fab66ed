// One change shows in many facts: a driver's version in its module, libraries and packages; a GPU that is
// gone in every list. They are one difference, told by its guiltiest fact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/difference.h"
#include "rules/fact_paths.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::rules {

/// Sorts by guilt (then those that more peers contradict, then by path), and folds those that say the same
/// change as a guiltier one into its `also`: the same values at the same fact of another part; versions that
/// hold both versions of the guiltier one; facts of and links to a part that is missing or extra.
void fold_differences(std::vector<model::FactDifference>& differences);

/// Whether a device that one lacks at this address is there all the same: as many stand in its list as in
/// the other's. It has another address then, which is less than a missing device; its guilt is a fourth.
bool is_elsewhere(const std::string& part, const ReadySnapshot& lacking, const ReadySnapshot& having);
constexpr std::int64_t kElsewhere = 4;

}  // namespace gpuwright::rules
