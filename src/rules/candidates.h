// Possible root causes: which cause, on whom, raised by which events, explaining which others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::rules {

struct Candidate {
  const catalog::Cause* cause = nullptr;
  std::string instance;              ///< what tells two incidents of one cause apart, by the cause's scope
  std::int64_t sure = 0;             ///< per cent, over all signals that raise it
  std::vector<std::size_t> raising;  ///< indexes of events, sorted
  std::vector<std::size_t> covers;   ///< raising and explained events, sorted
};

/// All candidates for the events, by cause id, then instance. Context events raise nothing.
std::vector<Candidate> find_candidates(const std::vector<model::Event>& events,
                                       const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
