// A diagnosis as JSON. The schema is docs/schema/doctor.schema.json; its version rises when a field changes
// its meaning or goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/fact_tree.h"
#include "model/finding.h"

#include <string>

namespace gpuwright::report {

/// One document with a line end. Text is in the language; ids, actions and keys are not translated. `facts`
/// of the machine are added where they are given.
std::string render_doctor_json(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                               catalog::Language language, const model::FactNode* facts = nullptr);

}  // namespace gpuwright::report
