// The part of `doctor` that compares the machine with a spec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/machine.h"
#include "model/spec.h"

namespace gpuwright::app {

/// Adds the differences to the findings, what could not be looked at to `could_not_look`, and the counts.
void add_spec(const model::Spec& spec, const model::Machine& machine, const catalog::Catalog& catalog,
              model::Diagnosis& diagnosis);

}  // namespace gpuwright::app
