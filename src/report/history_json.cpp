// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"
#include "report/history.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using model::HistoryAnswer;
using model::HistoryTopic;

void write_time(JsonWriter& json, const char* key, const std::optional<std::int64_t>& time_ms) {
  json.key(key);
  time_ms ? json.string(history_time(*time_ms)) : json.null();
}

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void write(JsonWriter& json, const model::HistoryEvent& event, const HistoryJsonOptions& /*options*/) {
  write_time(json, "time", event.time_ms);
  json.key("kind").string(event.kind).key("code").string(event.code).key("uuid").string(event.uuid);
  json.key("pci").string(event.pci).key("text").string(event.text).key("count").integer(event.count);
  json.key("verified").boolean(event.origin == model::Origin::Verified).key("boot_id").string(event.boot_id);
}

void write(JsonWriter& json, const model::Incident& one, const HistoryJsonOptions& options) {
  json.key("id").string(one.id).key("cause").string(one.cause).key("subject").string(one.subject);
  json.key("severity").string(one.severity);
  write_time(json, "start", one.start_ms);
  write_time(json, "end", one.end_ms);
  json.key("ended_by").string(one.ended_by);
  write_texts(json, "evidence", one.evidence);
  json.key("device").string(one.device).key("start_s").number(static_cast<double>(one.start_ms) / 1000);
  if (one.end_ms) json.key("end_s").number(static_cast<double>(*one.end_ms) / 1000);
  using catalog::Language;
  json.key("title").string(incident_title(one, options.catalog, Language::English));
  if (options.catalog == nullptr) return;
  json.key("title_zh").string(incident_title(one, options.catalog, Language::Chinese));
  if (one.ended_by.empty()) return;
  json.key("ended_by_text").string(ending_text(*options.catalog, one.ended_by, Language::English));
  json.key("ended_by_text_zh").string(ending_text(*options.catalog, one.ended_by, Language::Chinese));
}

void write(JsonWriter& json, const model::StateChange& one, const HistoryJsonOptions& /*options*/) {
  write_time(json, "time", one.time_ms);
  json.key("subject").string(one.subject).key("what").string(one.what).key("from").string(one.from);
  json.key("to").string(one.to).key("reason").string(one.reason);
}

void write(JsonWriter& json, const model::JobSeen& one, const HistoryJsonOptions& /*options*/) {
  json.key("kind").string(one.kind).key("id").string(one.id).key("user").string(one.user);
  json.key("queue").string(one.queue);
  write_texts(json, "gpu_uuids", one.gpu_uuids);
  write_time(json, "start", one.start_ms);
  write_time(json, "end", one.end_ms);
}

/// As many as a chart needs.
double six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

/// [time, value] where nothing varied within the step, else [time, min, mean, max].
void write_point(JsonWriter& json, const model::SeriesBucket& bucket) {
  json.begin_array().number(static_cast<double>(bucket.time_ms) / 1000);
  const bool varies = bucket.min != bucket.max;
  if (varies) json.number(six_digits(bucket.min));
  json.number(six_digits(bucket.mean));
  if (varies) json.number(six_digits(bucket.max));
  json.end_array();
}

void write(JsonWriter& json, const model::SeriesData& series, const HistoryJsonOptions& options) {
  json.key("metric").string(series.metric).key("uuid").string(series.uuid);
  json.key("step_s").number(static_cast<double>(series.step_ms) / 1000);
  json.key("points").begin_array();
  for (const model::SeriesBucket& bucket : series.buckets) {
    if (options.compact) {
      write_point(json, bucket);
      continue;
    }
    json.begin_object();
    json.key("time_s").number(static_cast<double>(bucket.time_ms) / 1000);
    json.key("min").number(bucket.min).key("mean").number(bucket.mean).key("max").number(bucket.max);
    json.end_object();
  }
  json.end_array();
}

template <class Row>
void write_rows(JsonWriter& json, const std::vector<Row>& rows, const HistoryJsonOptions& options) {
  json.begin_array();
  for (const Row& row : rows) {
    json.begin_object();
    write(json, row, options);
    json.end_object();
  }
  json.end_array();
}

/// A cell: in quotes where it needs them.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string row(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& one : cells)
    line += (line.empty() && &one == &cells.front() ? "" : ",") + cell(one);
  return line + "\n";
}

std::string end_cell(const std::optional<std::int64_t>& end) {
  return end ? history_time(*end) : std::string();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

std::string series_csv(const HistoryAnswer& answer) {
  std::string text = row({"metric", "uuid", "time", "time_s", "min", "mean", "max"});
  for (const model::SeriesData& series : answer.series) {
    for (const model::SeriesBucket& bucket : series.buckets)
      text +=
          row({series.metric, series.uuid, history_time(bucket.time_ms),
               fmt::format("{}", static_cast<double>(bucket.time_ms) / 1000), fmt::format("{}", bucket.min),
               fmt::format("{}", bucket.mean), fmt::format("{}", bucket.max)});
  }
  return text;
}

}  // namespace

void merge_history(HistoryAnswer answer, HistoryAnswer& all) {
  if (all.error.empty() && all.series.empty() && answer.series.empty()) {
    all = std::move(answer);
    return;
  }
  if (all.error.empty()) all.error = answer.error;
  all.cut = all.cut || answer.cut;
  for (model::SeriesData& series : answer.series) all.series.push_back(std::move(series));
}

std::string render_history_json(const HistoryAnswer& answer, HistoryTopic topic,
                                const HistoryJsonOptions& options) {
  JsonWriter json(options.compact ? 0 : 2);
  json.begin_object();
  json.key("schema_version").integer(1).key("topic").string(topic_name(topic)).key("cut").boolean(answer.cut);
  json.key("rows");
  switch (topic) {
    case HistoryTopic::Events:
    case HistoryTopic::EventCounts:
      write_rows(json, answer.events, options);
      break;
    case HistoryTopic::Incidents:
      write_rows(json, answer.incidents, options);
      break;
    case HistoryTopic::Changes:
    case HistoryTopic::LastStates:
      write_rows(json, answer.changes, options);
      break;
    case HistoryTopic::Jobs:
      write_rows(json, answer.jobs, options);
      break;
    case HistoryTopic::Series:
    case HistoryTopic::SeriesNames:
      write_rows(json, answer.series, options);
      break;
  }
  json.end_object();
  return json.text() + "\n";
}

std::string render_history_csv(const HistoryAnswer& answer, HistoryTopic topic) {
  std::string text;
  switch (topic) {
    case HistoryTopic::Events:
    case HistoryTopic::EventCounts:
      text = row({"time", "kind", "code", "uuid", "pci", "text", "count", "verified"});
      for (const model::HistoryEvent& one : answer.events)
        text += row({history_time(one.time_ms), one.kind, one.code, one.uuid, one.pci, one.text,
                     std::to_string(one.count), one.origin == model::Origin::Verified ? "1" : "0"});
      break;
    case HistoryTopic::Incidents:
      text = row({"start", "end", "severity", "cause", "subject", "ended_by", "id"});
      for (const model::Incident& one : answer.incidents)
        text += row({history_time(one.start_ms), end_cell(one.end_ms), one.severity, one.cause, one.subject,
                     one.ended_by, one.id});
      break;
    case HistoryTopic::Changes:
    case HistoryTopic::LastStates:
      text = row({"time", "subject", "what", "from", "to", "reason"});
      for (const model::StateChange& one : answer.changes)
        text += row({history_time(one.time_ms), one.subject, one.what, one.from, one.to, one.reason});
      break;
    case HistoryTopic::Jobs:
      text = row({"start", "end", "kind", "id", "user", "queue", "gpu_uuids"});
      for (const model::JobSeen& one : answer.jobs)
        text += row({history_time(one.start_ms), end_cell(one.end_ms), one.kind, one.id, one.user, one.queue,
                     joined(one.gpu_uuids)});
      break;
    case HistoryTopic::Series:
      return series_csv(answer);
    case HistoryTopic::SeriesNames:
      text = row({"metric", "uuid"});
      for (const model::SeriesData& one : answer.series) text += row({one.metric, one.uuid});
      break;
  }
  return text;
}

}  // namespace gpuwright::report
