// What changed before it broke: one machine now and at an earlier time, when it was well. Ranked by how
// often a change of that kind is what breaks a machine whose first symptom lies where it lies now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/fact_guilt.h"
#include "model/difference.h"
#include "model/finding.h"
#include "model/snapshot.h"

#include <string>
#include <vector>

namespace gpuwright::rules {

/// The finding that the changes are ranked against: of those that are errors (else of all) the one that was
/// seen first; findings without a time that others can be compared with keep their rank. Null: none.
const model::Finding* first_symptom(const model::Diagnosis& diagnosis);

/// Where and on what the first symptom is.
struct Symptom {
  std::string place;   ///< as `at` of a cause; empty: nothing is known to be broken
  std::string device;  ///< address without function or a name; empty: the machine
};
Symptom symptom_of(const model::Finding* finding, const catalog::Catalog& catalog);

/// All changes, guiltiest first. Left out: readings that move by themselves; counts that grow as they do on
/// sound machines; names (UUIDs, serial numbers) where all of a kind changed at once, as redaction makes
/// them. A change on another device than the symptom's is less guilty.
std::vector<model::FactDifference> rank_changes(const model::Snapshot& before, const model::Snapshot& now,
                                                const Symptom& symptom, const catalog::FactGuilt& guilt);

}  // namespace gpuwright::rules
