// What a node remembers, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/history.h"

#include <string>

namespace gpuwright::report {

struct HistoryTextOptions {
  bool color = false;
  int width = 100;
  const catalog::Catalog* catalog = nullptr;  ///< for what incidents are; without it as they were told
  catalog::Language language = catalog::Language::English;
};
struct HistoryJsonOptions {
  const catalog::Catalog* catalog = nullptr;  ///< for what incidents are, in both languages
  bool compact = false;                       ///< without indentation, and points as [time, min, mean, max]
};

/// A table, oldest first; series as one line of bars each, of their means, with their lowest and highest
/// value.
std::string render_history_text(const model::HistoryAnswer& answer, model::HistoryTopic topic,
                                const HistoryTextOptions& options);
/// docs/schema/history.schema.json
std::string render_history_json(const model::HistoryAnswer& answer, model::HistoryTopic topic,
                                const HistoryJsonOptions& options = {});
/// Adds the series of one answer to those of others, or what kept it from being answered.
void merge_history(model::HistoryAnswer answer, model::HistoryAnswer& all);
/// One row each, with a header. Source: RFC 4180.
std::string render_history_csv(const model::HistoryAnswer& answer, model::HistoryTopic topic);

/// "events", "incidents", "changes", "jobs", "series", "names".
const char* topic_name(model::HistoryTopic topic);
/// What an incident is, from its cause's text; as it was told where the knowledge has none.
std::string incident_title(const model::Incident& incident, const catalog::Catalog* catalog,
                           catalog::Language language);
/// "2026-11-30T14:05:59Z" of a time in milliseconds.
std::string history_time(std::int64_t time_ms);
/// The series drawn in so many columns, a bar for the mean of each; ' ' where there is nothing.
std::string bars(const model::SeriesData& series, std::size_t columns);

}  // namespace gpuwright::report
