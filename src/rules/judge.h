// A judge turns facts, or many events, into further events: "row remap pending" out of a parsed nvidia-smi,
// "the same SM every time" out of a row of Xid 13. One file per subject matter, one line in all_judges.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "model/observations.h"

#include <span>
#include <vector>

namespace gpuwright::rules {

struct Judge {
  const char* id;
  /// Pure. Returns the further events, evidence included. Derived events come after the parsed ones and are
  /// not seen by other judges.
  std::vector<model::Event> (*judge)(const model::Observations& observations,
                                     const catalog::Catalog& catalog);
};

/// All judges, sorted by id.
std::span<const Judge> all_judges();

}  // namespace gpuwright::rules
