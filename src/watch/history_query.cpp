// SPDX-License-Identifier: Apache-2.0
#include "watch/history_query.h"

#include "watch/history_series.h"
#include "watch/history_words.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace gpuwright::watch {

namespace {

using kit::SqliteDatabase;
using kit::SqliteStatement;
using model::HistoryAnswer;
using model::HistoryQuery;
using model::HistoryTopic;

constexpr std::int64_t kMostRows = 100000;

std::optional<std::int64_t> end_at(const SqliteStatement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

/// Reads the newest rows, of which `keep` takes those that it wants, until there are enough.
template <class Row>
base::Result<bool> newest(SqliteStatement& row, std::int64_t limit, std::vector<Row>& out,
                          const std::function<std::optional<Row>(const SqliteStatement&)>& keep) {
  const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 0, kMostRows));
  bool cut = false;
  while (!cut) {
    GPUWRIGHT_TRY(const bool more, row.step());
    if (!more) break;
    std::optional<Row> one = keep(row);
    if (!one) continue;
    cut = out.size() == most;
    if (!cut) out.push_back(std::move(*one));
  }
  std::reverse(out.begin(), out.end());
  return cut;
}

std::optional<model::HistoryEvent> event_of(const SqliteStatement& row) {
  model::HistoryEvent event;
  event.time_ms = row.integer(0);
  event.boot_id = row.text(1);
  event.kind = row.text(2);
  event.uuid = row.text(3);
  event.pci = row.text(4);
  event.code = row.text(5);
  event.text = row.text(6);
  event.origin = row.integer(7) != 0 ? model::Origin::Verified : model::Origin::Unverified;
  event.count = row.integer(8);
  return event;
}

std::optional<model::Incident> incident_of(const SqliteStatement& row) {
  model::Incident incident;
  incident.id = row.text(0);
  incident.cause = row.text(1);
  incident.subject = row.text(2);
  incident.severity = row.text(3);
  incident.start_ms = row.integer(4);
  incident.end_ms = end_at(row, 5);
  incident.ended_by = row.text(6);
  incident.evidence = unpack_texts(row.bytes(7));
  incident.device = row.text(8);
  incident.title = row.text(9);
  incident.params = unpack_pairs(row.bytes(10));
  incident.boot_id = row.text(11);
  return incident;
}

std::optional<model::StateChange> change_of(const SqliteStatement& row) {
  model::StateChange change;
  change.time_ms = row.integer(0);
  change.subject = row.text(1);
  change.what = row.text(2);
  change.from = row.text(3);
  change.to = row.text(4);
  change.reason = row.text(5);
  return change;
}

model::JobSeen job_of(const SqliteStatement& row) {
  model::JobSeen job;
  job.kind = row.text(0);
  job.id = row.text(1);
  job.user = row.text(2);
  job.queue = row.text(3);
  job.gpu_uuids = unpack_texts(row.bytes(4));
  job.start_ms = row.integer(5);
  job.end_ms = end_at(row, 6);
  return job;
}

/// The parameters of all these statements: since, until, and a subject or nothing.
SqliteStatement& bind_query(SqliteStatement& statement, const HistoryQuery& query) {
  return statement.bind(1, query.since_ms).bind(2, query.until_ms).bind_text(3, query.uuid);
}

base::Status ask_events(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(
      SqliteStatement row,
      database.prepare("SELECT time_ms, boot, kind, uuid, pci, code, text, verified, count FROM events "
                       "WHERE time_ms >= ?1 AND time_ms <= ?2 AND (?3 = '' OR uuid = ?3) ORDER BY id DESC"));
  GPUWRIGHT_TRY(answer.cut,
                newest<model::HistoryEvent>(bind_query(row, query), query.limit, answer.events, event_of));
  return base::Done{};
}

base::Status ask_incidents(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(
      SqliteStatement row,
      database.prepare(
          "SELECT id, cause, subject, severity, start_ms, end_ms, ended_by, evidence, device, "
          "title, params, boot FROM incidents WHERE (end_ms IS NULL OR end_ms >= ?1) AND start_ms <= ?2 AND "
          "(?3 = '' OR subject = ?3) ORDER BY start_ms DESC, rowid DESC"));
  GPUWRIGHT_TRY(answer.cut,
                newest<model::Incident>(bind_query(row, query), query.limit, answer.incidents, incident_of));
  return base::Done{};
}

base::Status ask_changes(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(
      SqliteStatement row,
      database.prepare("SELECT time_ms, subject, what, was, became, reason FROM changes WHERE "
                       "time_ms >= ?1 AND time_ms <= ?2 AND (?3 = '' OR subject = ?3) ORDER BY id DESC"));
  GPUWRIGHT_TRY(answer.cut,
                newest<model::StateChange>(bind_query(row, query), query.limit, answer.changes, change_of));
  return base::Done{};
}

base::Status ask_jobs(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT kind, id, user, queue, gpus, start_ms, end_ms FROM jobs WHERE "
                                 "(end_ms IS NULL OR end_ms >= ?1) AND start_ms <= ?2 "
                                 "ORDER BY start_ms DESC, rowid DESC"));
  row.bind(1, query.since_ms).bind(2, query.until_ms);
  const auto of_gpu = [&](const SqliteStatement& one) -> std::optional<model::JobSeen> {
    model::JobSeen job = job_of(one);
    const auto& gpus = job.gpu_uuids;
    if (!query.uuid.empty() && std::find(gpus.begin(), gpus.end(), query.uuid) == gpus.end())
      return std::nullopt;
    return job;
  };
  GPUWRIGHT_TRY(answer.cut, newest<model::JobSeen>(row, query.limit, answer.jobs, of_gpu));
  return base::Done{};
}

base::Status ask_names(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT metric, uuid FROM series WHERE (?1 = '' OR uuid = ?1) "
                                 "ORDER BY metric, uuid"));
  row.bind_text(1, query.uuid);
  while (true) {
    GPUWRIGHT_TRY(const bool more, row.step());
    if (!more) return base::Done{};
    answer.series.push_back({row.text(0), row.text(1), 0, {}});
  }
}

base::Status ask_counts(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT max(time_ms), boot, kind, uuid, pci, code, '', 1, sum(count) FROM "
                                 "events WHERE kind = ?1 AND boot = ?2 AND verified = 1 "
                                 "GROUP BY uuid, pci, code ORDER BY max(id) DESC"));
  row.bind_text(1, query.metric).bind_text(2, query.boot_id);
  GPUWRIGHT_TRY(answer.cut, newest<model::HistoryEvent>(row, query.limit, answer.events, event_of));
  return base::Done{};
}

base::Status ask_last_states(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(
      SqliteStatement row,
      database.prepare("SELECT time_ms, subject, what, was, became, reason FROM changes WHERE id IN "
                       "(SELECT max(id) FROM changes GROUP BY subject, what) ORDER BY id DESC"));
  GPUWRIGHT_TRY(answer.cut, newest<model::StateChange>(row, query.limit, answer.changes, change_of));
  return base::Done{};
}

base::Status ask_newest(SqliteDatabase& database, HistoryAnswer& answer) {
  GPUWRIGHT_TRY(SqliteStatement row,
                database.prepare("SELECT time_ms, boots.boot FROM ticks JOIN boots ON boots.id = ticks.boot "
                                 "ORDER BY tick DESC LIMIT 1"));
  GPUWRIGHT_TRY(const bool any, row.step());
  if (any) answer.newest_ms = row.integer(0);
  if (any) answer.newest_boot = row.text(1);
  return base::Done{};
}

base::Status ask_topic(SqliteDatabase& database, const HistoryQuery& query, HistoryAnswer& answer) {
  switch (query.topic) {
    case HistoryTopic::Events:
      return ask_events(database, query, answer);
    case HistoryTopic::Incidents:
      return ask_incidents(database, query, answer);
    case HistoryTopic::Changes:
      return ask_changes(database, query, answer);
    case HistoryTopic::Jobs:
      return ask_jobs(database, query, answer);
    case HistoryTopic::SeriesNames:
      return ask_names(database, query, answer);
    case HistoryTopic::EventCounts:
      return ask_counts(database, query, answer);
    case HistoryTopic::LastStates:
      return ask_last_states(database, query, answer);
    case HistoryTopic::Series:
      break;
  }
  GPUWRIGHT_TRY(answer.series, read_series(database, query));
  return base::Done{};
}

}  // namespace

base::Result<HistoryAnswer> ask_history(SqliteDatabase& database, const HistoryQuery& query) {
  HistoryAnswer answer;
  GPUWRIGHT_TRY([[maybe_unused]] const auto newest, ask_newest(database, answer));
  GPUWRIGHT_TRY([[maybe_unused]] const auto asked, ask_topic(database, query, answer));
  return answer;
}

}  // namespace gpuwright::watch
