// Questions to the history as people and programs put them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/url.h"
#include "model/history.h"
#include "model/node_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::app {

/// "2h" ago, or a moment that is named: a day, a time in UTC, or Unix seconds. In milliseconds. Malformed,
/// with `option` in front.
base::Result<std::int64_t> history_moment(const std::string& option, const std::string& text);

/// The topic of that word; "series" is SeriesNames. Malformed, naming those there are.
base::Result<model::HistoryTopic> history_topic(const std::string& word);

/// What is asked for at once: each of the queries differs in the series alone.
struct HistoryRequest {
  std::vector<model::HistoryQuery> queries;  ///< at least one
  model::HistoryTopic topic() const { return queries.front().topic; }
};

/// GET /api/v1/history: what, name (of a series; several times), since, until, gpu (index, UUID or its
/// beginning), points, limit. Malformed, in one line.
base::Result<HistoryRequest> history_request(const base::Parameters& parameters,
                                             const model::NodeState& state);

}  // namespace gpuwright::app
