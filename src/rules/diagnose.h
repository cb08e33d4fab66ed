// From observations to a diagnosis: judges add what facts imply, signals raise causes, the cheapest set of
// causes that explains all of them wins, followers stand under their root. Pure: same input, same bytes out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/observations.h"

namespace gpuwright::rules {

/// The diagnosis of one machine's evidence (log lines may still come from several hosts).
model::Diagnosis diagnose(model::Observations observations, const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
