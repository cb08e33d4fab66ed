// From observations to a diagnosis: judges add what facts imply, signals raise causes, the cheapest set of
// causes that explains all of them wins, followers stand under their root. Pure: same input, same bytes out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/machine.h"
#include "model/observations.h"

namespace gpuwright::rules {

/// What is known beside the observations.
struct Background {
  const model::Machine* machine = nullptr;  ///< facts; null: none were collected, no check runs
  std::int64_t today_s = 0;                 ///< unix time; 0: not known
  std::string workload = {};                ///< what the machine is for; empty: not named
  bool quick = false;                       ///< the facts are those of quick collectors
};

/// The diagnosis of one machine's evidence (log lines may still come from several hosts).
model::Diagnosis diagnose(model::Observations observations, const catalog::Catalog& catalog,
                          const Background& background = {});

}  // namespace gpuwright::rules
