// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"
#include "base/text.h"
#include "model/severity_word.h"
#include "report/history.h"
#include "report/layout.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace gpuwright::report {

namespace {

using model::HistoryAnswer;
using model::HistoryTopic;

std::string end_text(const std::optional<std::int64_t>& end, const char* open) {
  return end ? history_time(*end) : std::string(open);
}

std::string short_uuid(const std::string& uuid) {
  constexpr std::size_t kShort = 12;
  return uuid.size() > kShort ? uuid.substr(0, kShort) : uuid;
}

Style style_of(const std::string& severity) {
  if (severity == "critical" || severity == "error") return Style::Bad;
  return severity == "warning" ? Style::Warn : Style::Plain;
}

/// The heads of a table, in the language that is wanted.
std::vector<std::string> heads(const std::vector<std::string>& english, const HistoryTextOptions& options) {
  static const std::map<std::string, std::string> kChinese = {
      {"TIME", "时间"}, {"KIND", "类别"},     {"CODE", "代码"},   {"TEXT", "内容"}, {"START", "开始"},
      {"END", "结束"},  {"SEVERITY", "级别"}, {"CAUSE", "原因"},  {"ON", "对象"},   {"WHAT", "内容"},
      {"FROM", "原值"}, {"TO", "新值"},       {"REASON", "原因"}, {"USER", "用户"}, {"QUEUE", "队列"},
      {"GPUS", "GPU"},  {"ID", "编号"},       {"GPU", "GPU"}};
  if (options.language != catalog::Language::Chinese) return english;
  std::vector<std::string> all;
  for (const std::string& head : english) all.push_back(kChinese.at(head));
  return all;
}

std::string say(const std::string& reason, const HistoryTextOptions& options) {
  return options.catalog == nullptr ? reason : reason_text(*options.catalog, reason, options.language);
}

std::string events_text(const HistoryAnswer& answer, const HistoryTextOptions& options) {
  Table table(heads({"TIME", "KIND", "CODE", "GPU", "TEXT"}, options), 4);
  const bool zh = options.language == catalog::Language::Chinese;
  for (const model::HistoryEvent& event : answer.events) {
    std::string text = say(event.text, options);
    if (event.count > 1)
      text += zh ? fmt::format("（{} 次）", event.count) : fmt::format(" ({} times)", event.count);
    if (event.origin == model::Origin::Unverified)
      text += zh ? "（未验证：任何用户都能写入）" : " (unverified: any user could have written this)";
    table.add({{history_time(event.time_ms), event.kind, event.code,
                event.uuid.empty() ? event.pci : short_uuid(event.uuid), text},
               Style::Plain});
  }
  return table.render(options.width, options.color);
}

std::string ending(const model::Incident& incident, const HistoryTextOptions& options) {
  return options.catalog == nullptr ? incident.ended_by
                                    : ending_text(*options.catalog, incident.ended_by, options.language);
}

std::string incidents_text(const HistoryAnswer& answer, const HistoryTextOptions& options) {
  const bool zh = options.language == catalog::Language::Chinese;
  Table table(heads({"START", "SEVERITY", "CAUSE", "ON", "END", "WHAT"}, options), 5);
  for (const model::Incident& one : answer.incidents) {
    std::string end = end_text(one.end_ms, zh ? "仍在继续" : "goes on");
    if (!one.ended_by.empty()) end += " (" + ending(one, options) + ")";
    std::string what = incident_title(one, options.catalog, options.language);
    if (what.empty() && !one.evidence.empty()) what = one.evidence.front();
    const auto severity = model::severity_of_word(one.severity);
    table.add(
        {{history_time(one.start_ms), severity ? severity_text(*severity, options.language) : one.severity,
          one.cause, short_uuid(one.subject), end, what},
         style_of(one.severity)});
  }
  return table.render(options.width, options.color);
}

std::string changes_text(const HistoryAnswer& answer, const HistoryTextOptions& options) {
  Table table(heads({"TIME", "ON", "WHAT", "FROM", "TO", "REASON"}, options), 5);
  for (const model::StateChange& one : answer.changes) {
    table.add({{history_time(one.time_ms), short_uuid(one.subject), say(one.what, options),
                say(one.from, options), say(one.to, options), say(one.reason, options)},
               Style::Plain});
  }
  return table.render(options.width, options.color);
}

std::string jobs_text(const HistoryAnswer& answer, const HistoryTextOptions& options) {
  Table table(heads({"START", "END", "KIND", "ID", "USER", "QUEUE", "GPUS"}, options), 6);
  for (const model::JobSeen& one : answer.jobs) {
    std::vector<std::string> gpus;
    for (const std::string& uuid : one.gpu_uuids) gpus.push_back(short_uuid(uuid));
    table.add({{history_time(one.start_ms),
                end_text(one.end_ms, options.language == catalog::Language::Chinese ? "运行中" : "runs"),
                one.kind, one.id, one.user, one.queue, base::join(gpus, " ")},
               Style::Plain});
  }
  return table.render(options.width, options.color);
}

/// Six digits at most, and no zeros behind them.
std::string value_text(double value) {
  return fmt::format("{:.6g}", value);
}

std::string step_text(std::int64_t step_ms) {
  if (step_ms % 3600000 == 0) return fmt::format("{} h", step_ms / 3600000);
  if (step_ms % 60000 == 0) return fmt::format("{} min", step_ms / 60000);
  return step_ms % 1000 == 0 ? fmt::format("{} s", step_ms / 1000) : fmt::format("{} ms", step_ms);
}

std::string series_text(const HistoryAnswer& answer, const HistoryTextOptions& options) {
  Layout out(options.width, options.color);
  for (const model::SeriesData& series : answer.series) {
    if (series.buckets.empty()) continue;
    double low = series.buckets.front().min;
    double high = series.buckets.front().max;
    double sum = 0;
    for (const model::SeriesBucket& bucket : series.buckets) {
      low = std::min(low, bucket.min);
      high = std::max(high, bucket.max);
      sum += bucket.mean;
    }
    out.line(Style::Plain, series.uuid.empty() ? series.metric : series.metric + "  " + series.uuid);
    out.line(Style::Good, bars(series, static_cast<std::size_t>(std::max(options.width - 1, 10))));
    out.line(
        Style::Dim,
        fmt::format("{} to {}  lowest {}  mean {}  highest {}  last {}  (steps of {})",
                    history_time(series.buckets.front().time_ms), history_time(series.buckets.back().time_ms),
                    value_text(low), value_text(sum / static_cast<double>(series.buckets.size())),
                    value_text(high), value_text(series.buckets.back().mean), step_text(series.step_ms)));
    out.blank();
  }
  return out.text();
}

std::string names_text(const HistoryAnswer& answer) {
  std::string text;
  std::string last;
  for (const model::SeriesData& series : answer.series) {
    if (series.metric != last) text += series.metric + "\n";
    last = series.metric;
  }
  return text;
}

}  // namespace

std::string incident_title(const model::Incident& incident, const catalog::Catalog* catalog,
                           catalog::Language language) {
  const catalog::Cause* cause = catalog == nullptr ? nullptr : catalog->cause(incident.cause);
  if (cause == nullptr) return incident.title;
  return fill_in(language == catalog::Language::Chinese ? cause->title.zh : cause->title.en, incident.params);
}

const char* topic_name(HistoryTopic topic) {
  switch (topic) {
    case HistoryTopic::Events:
      return "events";
    case HistoryTopic::Incidents:
      return "incidents";
    case HistoryTopic::Changes:
      return "changes";
    case HistoryTopic::Jobs:
      return "jobs";
    case HistoryTopic::Series:
      return "series";
    case HistoryTopic::SeriesNames:
      return "names";
    case HistoryTopic::EventCounts:
      return "counts";
    case HistoryTopic::LastStates:
      break;
  }
  return "states";
}

std::string history_time(std::int64_t time_ms) {
  return base::second_text(time_ms >= 0 ? time_ms / 1000 : (time_ms - 999) / 1000);
}

std::string bars(const model::SeriesData& series, std::size_t columns) {
  static constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (series.buckets.empty() || columns == 0) return {};
  const auto [first, last] =
      std::minmax_element(series.buckets.begin(), series.buckets.end(),
                          [](const auto& a, const auto& b) { return a.time_ms < b.time_ms; });
  const double begin = static_cast<double>(first->time_ms);
  const double span = static_cast<double>(last->time_ms) - begin +
                      static_cast<double>(std::max<std::int64_t>(series.step_ms, 1));
  const std::size_t used = std::min(
      columns, static_cast<std::size_t>(
                   std::ceil(span / static_cast<double>(std::max<std::int64_t>(series.step_ms, 1)))));
  std::vector<std::pair<double, int>> means(used);
  for (const model::SeriesBucket& bucket : series.buckets) {
    const double part = (static_cast<double>(bucket.time_ms) - begin) / span;
    auto& at = means[std::min(used - 1, static_cast<std::size_t>(part * static_cast<double>(used)))];
    at.first += bucket.mean;
    ++at.second;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (auto& [sum, count] : means) {
    if (count == 0) continue;
    sum /= count;
    low = std::min(low, sum);
    high = std::max(high, sum);
  }
  std::string text;
  for (const auto& [mean, count] : means) {
    const double part = high > low ? (mean - low) / (high - low) : 0;
    const auto level = static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * (kBars.size() - 1)));
    text += count == 0 ? " " : kBars[level];
  }
  return text;
}

std::string render_history_text(const HistoryAnswer& answer, HistoryTopic topic,
                                const HistoryTextOptions& options) {
  const bool none = answer.events.empty() && answer.incidents.empty() && answer.changes.empty() &&
                    answer.jobs.empty() && answer.series.empty();
  if (none)
    return fmt::format("no {} in that time\n",
                       topic == HistoryTopic::SeriesNames ? "series" : topic_name(topic));
  std::string text;
  switch (topic) {
    case HistoryTopic::Events:
    case HistoryTopic::EventCounts:
      text = events_text(answer, options);
      break;
    case HistoryTopic::Incidents:
      text = incidents_text(answer, options);
      break;
    case HistoryTopic::Changes:
    case HistoryTopic::LastStates:
      text = changes_text(answer, options);
      break;
    case HistoryTopic::Jobs:
      text = jobs_text(answer, options);
      break;
    case HistoryTopic::Series:
      text = series_text(answer, options);
      break;
    case HistoryTopic::SeriesNames:
      text = names_text(answer);
      break;
  }
  if (text.empty()) return "no values in that time\n";
  if (answer.cut) text += "older ones are left out; --limit N shows more\n";
  return text;
}

}  // namespace gpuwright::report
