// SPDX-License-Identifier: Apache-2.0
#include "watch/history_words.h"

#include "base/text.h"
#include "watch/pack.h"

#include <algorithm>
#include <optional>

namespace gpuwright::watch {

namespace {

using kit::SqliteStatement;

std::string clean(const std::string& text) {
  return base::printable(text, kMostText);
}

void bind_end(SqliteStatement& statement, int parameter, const std::optional<std::int64_t>& end) {
  end ? statement.bind(parameter, *end) : statement.bind_null(parameter);
}

}  // namespace

std::string pack_texts(const std::vector<std::string>& texts) {
  PackWriter out;
  for (std::size_t at = 0; at < std::min(texts.size(), kMostLines); ++at) out.text(clean(texts[at]));
  return out.take();
}

std::vector<std::string> unpack_texts(std::string_view bytes) {
  PackReader in(bytes);
  std::vector<std::string> texts;
  while (in.ok() && !in.at_end()) {
    std::string text = in.text();
    if (in.ok()) texts.push_back(std::move(text));
  }
  return texts;
}

std::string pack_pairs(const std::map<std::string, std::string>& pairs) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : pairs) {
    if (texts.size() + 2 <= kMostLines) texts.insert(texts.end(), {name, value});
  }
  return pack_texts(texts);
}

std::map<std::string, std::string> unpack_pairs(std::string_view bytes) {
  const std::vector<std::string> texts = unpack_texts(bytes);
  std::map<std::string, std::string> pairs;
  for (std::size_t at = 0; at + 1 < texts.size(); at += 2) pairs[texts[at]] = texts[at + 1];
  return pairs;
}

base::Status HistoryWords::write(const model::HistoryEvent& event) {
  GPUWRIGHT_TRY(
      SqliteStatement insert,
      database.prepare("INSERT INTO events(tick, elapsed_ms, time_ms, boot, kind, uuid, pci, code, text, "
                       "verified, count) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(1, tick).bind(2, elapsed_ms).bind(3, event.time_ms).bind_text(4, clean(event.boot_id));
  insert.bind_text(5, clean(event.kind)).bind_text(6, clean(event.uuid)).bind_text(7, clean(event.pci));
  insert.bind_text(8, clean(event.code)).bind_text(9, clean(event.text));
  insert.bind(10, std::int64_t{event.origin == model::Origin::Verified ? 1 : 0}).bind(11, event.count);
  return insert.run();
}

base::Status HistoryWords::write(const model::Incident& incident) {
  GPUWRIGHT_TRY(
      SqliteStatement insert,
      database.prepare("INSERT OR REPLACE INTO incidents(id, tick, elapsed_ms, cause, subject, severity, "
                       "start_ms, end_ms, ended_by, evidence, device, title, params, boot) "
                       "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind_text(1, clean(incident.id))
      .bind(2, tick)
      .bind(3, elapsed_ms)
      .bind_text(4, clean(incident.cause));
  insert.bind_text(5, clean(incident.subject))
      .bind_text(6, clean(incident.severity))
      .bind(7, incident.start_ms);
  bind_end(insert, 8, incident.end_ms);
  insert.bind_text(9, clean(incident.ended_by)).bind_blob(10, pack_texts(incident.evidence));
  insert.bind_text(11, clean(incident.device)).bind_text(12, clean(incident.title));
  return insert.bind_blob(13, pack_pairs(incident.params)).bind_text(14, clean(incident.boot_id)).run();
}

base::Status HistoryWords::write(const model::StateChange& change) {
  GPUWRIGHT_TRY(
      SqliteStatement insert,
      database.prepare("INSERT INTO changes(tick, elapsed_ms, time_ms, subject, what, was, became, reason) "
                       "VALUES(?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(1, tick).bind(2, elapsed_ms).bind(3, change.time_ms).bind_text(4, clean(change.subject));
  insert.bind_text(5, clean(change.what)).bind_text(6, clean(change.from)).bind_text(7, clean(change.to));
  return insert.bind_text(8, clean(change.reason)).run();
}

base::Status HistoryWords::write(const model::JobSeen& job) {
  GPUWRIGHT_TRY(
      SqliteStatement insert,
      database.prepare("INSERT OR REPLACE INTO jobs(kind, id, start_ms, tick, elapsed_ms, user, queue, gpus, "
                       "end_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind_text(1, clean(job.kind)).bind_text(2, clean(job.id)).bind(3, job.start_ms).bind(4, tick);
  insert.bind(5, elapsed_ms).bind_text(6, clean(job.user)).bind_text(7, clean(job.queue));
  insert.bind_blob(8, pack_texts(job.gpu_uuids));
  bind_end(insert, 9, job.end_ms);
  return insert.run();
}

base::Status HistoryWords::write_all(const HistoryTick& tick_told) {
  const auto each = [this](const auto& list) -> base::Status {
    for (const auto& one : list) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto written, write(one));
    }
    return base::Done{};
  };
  GPUWRIGHT_TRY([[maybe_unused]] const auto events, each(tick_told.events));
  GPUWRIGHT_TRY([[maybe_unused]] const auto incidents, each(tick_told.incidents));
  GPUWRIGHT_TRY([[maybe_unused]] const auto changes, each(tick_told.changes));
  return each(tick_told.jobs);
}

}  // namespace gpuwright::watch
