// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/history_request.h"

#include "app/when.h"
#include "base/text.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace gpuwright::app {

namespace {

using base::ErrorKind;
using model::HistoryQuery;
using model::HistoryTopic;

constexpr std::int64_t kMilli = 1000;
constexpr std::int64_t kMostRows = 5000;
constexpr std::int64_t kPoints = 300;
constexpr std::size_t kMostNames = 24;

constexpr std::array<std::pair<std::string_view, HistoryTopic>, 5> kTopics = {
    {{"events", HistoryTopic::Events},
     {"incidents", HistoryTopic::Incidents},
     {"changes", HistoryTopic::Changes},
     {"jobs", HistoryTopic::Jobs},
     {"series", HistoryTopic::SeriesNames}}};

base::Error bad(const std::string& why) {
  return base::make_error(ErrorKind::Malformed, why);
}

/// Digits that are no year: Unix seconds, with or without a fraction.
std::optional<std::int64_t> unix_ms(const std::string& text) {
  constexpr double kLeast = 1e8, kMost = 1e11;
  const auto seconds = base::parse_double(text);
  if (!seconds || !(*seconds >= kLeast && *seconds < kMost)) return std::nullopt;
  return std::llround(*seconds * static_cast<double>(kMilli));
}

base::Result<std::int64_t> number(const std::string& name, const std::string& text) {
  const auto value = base::parse_int(text);
  if (!value || *value < 1 || *value > kMostRows)
    return bad(fmt::format("{}: '{}' is no number from 1 to {}", name, base::printable(text, 40), kMostRows));
  return *value;
}

base::Result<std::string> uuid_of(const std::string& text, const model::NodeState& state) {
  std::set<std::string> found;
  const auto index = base::parse_int(text);
  for (const auto& [at, gpu] : state.gpus) {
    const std::string& uuid = gpu.identity.uuid;
    if (uuid == text) return text;
    if (index ? *index == at : base::starts_with_ignoring_case(uuid, text)) found.insert(uuid);
  }
  if (found.size() == 1 && !found.begin()->empty()) return *found.begin();
  if (found.empty() && !index) return text;  // of a board that was here
  return bad(fmt::format("gpu: '{}' is {}", base::printable(text, 60),
                         found.empty() ? "no GPU here" : "the beginning of several"));
}

/// The parameters, read.
struct Asked {
  HistoryQuery query;
  std::string what;
  std::vector<std::string> names;
  std::optional<std::int64_t> points, limit;
};

base::Status take_parameter(const std::string& name, const std::string& value, const model::NodeState& state,
                            Asked& asked) {
  if (name == "what") {
    asked.what = value;
  } else if (name == "name") {
    if (asked.names.size() >= kMostNames) return bad(fmt::format("name: {} at most", kMostNames));
    asked.names.push_back(value);
  } else if (name == "since") {
    GPUWRIGHT_TRY(asked.query.since_ms, history_moment(name, value));
  } else if (name == "until") {
    GPUWRIGHT_TRY(asked.query.until_ms, history_moment(name, value));
  } else if (name == "gpu") {
    GPUWRIGHT_TRY(asked.query.uuid, uuid_of(value, state));
  } else if (name == "points") {
    GPUWRIGHT_TRY(asked.points, number(name, value));
  } else if (name == "limit") {
    GPUWRIGHT_TRY(asked.limit, number(name, value));
  } else {
    return bad(fmt::format("'{}' is no parameter; there are: what, name, since, until, gpu, points, limit",
                           base::printable(name, 40)));
  }
  return base::Done{};
}

}  // namespace

base::Result<std::int64_t> history_moment(const std::string& option, const std::string& text) {
  if (const auto moment = unix_ms(text)) return *moment;
  GPUWRIGHT_TRY(const std::int64_t seconds, time_of(option.c_str(), text, now_seconds()));
  return seconds * kMilli;
}

base::Result<HistoryTopic> history_topic(const std::string& word) {
  for (const auto& [name, topic] : kTopics) {
    if (word == name) return topic;
  }
  return bad("say what: events, incidents, changes, jobs, or series [NAME]");
}

base::Result<HistoryRequest> history_request(const base::Parameters& parameters,
                                             const model::NodeState& state) {
  Asked asked;
  for (const auto& [name, value] : parameters) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto taken, take_parameter(name, value, state, asked));
  }
  HistoryQuery& query = asked.query;
  GPUWRIGHT_TRY(query.topic, history_topic(asked.what));
  const bool series = query.topic == HistoryTopic::SeriesNames;
  if (!series && !asked.names.empty()) return bad("name: only with what=series");
  if (query.since_ms > query.until_ms) return bad("since: is later than until");
  query.limit = asked.limit.value_or(query.limit);
  HistoryRequest request;
  if (asked.names.empty()) {
    request.queries.push_back(std::move(query));
    return request;
  }
  query.topic = HistoryTopic::Series;
  query.limit = asked.points.value_or(kPoints);
  for (const std::string& name : asked.names) {
    request.queries.push_back(query);
    request.queries.back().metric = name;
  }
  return request;
}

}  // namespace gpuwright::app
