// What a node remembers, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/history.h"

#include <string>

namespace gpuwright::report {

struct HistoryTextOptions {
  bool color = false;
  int width = 100;
};

/// A table, oldest first; series as one line of bars each, of their means, with their lowest and highest
/// value.
std::string render_history_text(const model::HistoryAnswer& answer, model::HistoryTopic topic,
                                const HistoryTextOptions& options);
/// docs/schema/history.schema.json
std::string render_history_json(const model::HistoryAnswer& answer, model::HistoryTopic topic);
/// One row each, with a header. Source: RFC 4180.
std::string render_history_csv(const model::HistoryAnswer& answer, model::HistoryTopic topic);

/// "events", "incidents", "changes", "jobs", "series", "names".
const char* topic_name(model::HistoryTopic topic);
/// "2026-11-30T14:05:59Z" of a time in milliseconds.
std::string history_time(std::int64_t time_ms);
/// The series drawn in so many columns, a bar for the mean of each; ' ' where there is nothing.
std::string bars(const model::SeriesData& series, std::size_t columns);

}  // namespace gpuwright::report
