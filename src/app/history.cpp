// `gpuwright history`: what a node remembers, read from the file beside the daemon that writes it.
// SPDX-License-Identifier: Apache-2.0
#include "report/history.h"

#include "app/command.h"
#include "app/command_line.h"
#include "app/when.h"
#include "base/day.h"
#include "base/text.h"
#include "watch/history_query.h"
#include "watch/history_schema.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpuwright::app {

namespace {

using base::ErrorKind;
using model::HistoryQuery;
using model::HistoryTopic;

constexpr std::chrono::seconds kDeadline{60};

struct HistoryCommand {
  std::vector<std::string> words;
  std::string database;
  std::string since;
  std::string until;
  std::string gpu;
  std::string limit;
  bool json = false;
  bool csv = false;
};

/// The daemon's file; of a user who is not root his own, where he has one.
std::string default_database() {
  std::string shared = "/var/lib/gpuwright/history.db";
  if (::geteuid() == 0) return shared;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::string own;
  if (state != nullptr && *state == '/') own = std::string(state) + "/gpuwright/history.db";
  if (own.empty() && home != nullptr && *home == '/')
    own = std::string(home) + "/.local/state/gpuwright/history.db";
  return !own.empty() && ::access(own.c_str(), F_OK) == 0 ? own : shared;
}

base::Result<HistoryTopic> topic_of(const HistoryCommand& command) {
  for (const HistoryTopic topic : {HistoryTopic::Events, HistoryTopic::Incidents, HistoryTopic::Changes,
                                   HistoryTopic::Jobs, HistoryTopic::Series}) {
    if (command.words.empty() || command.words[0] != report::topic_name(topic)) continue;
    const std::size_t most = topic == HistoryTopic::Series ? 2 : 1;
    if (command.words.size() > most)
      return base::make_error(ErrorKind::Malformed, fmt::format("'{}' is one word too many",
                                                                base::printable(command.words[most], 40)));
    return topic == HistoryTopic::Series && command.words.size() == 1 ? HistoryTopic::SeriesNames : topic;
  }
  return base::make_error(ErrorKind::Malformed,
                          "say what: events, incidents, changes, jobs, or series [NAME]");
}

base::Result<HistoryQuery> query_of(const HistoryCommand& command, const Console& console) {
  HistoryQuery query;
  GPUWRIGHT_TRY(query.topic, topic_of(command));
  if (command.json && command.csv)
    return base::make_error(ErrorKind::Malformed, "--json and --csv: choose one");
  if (!command.since.empty()) {
    GPUWRIGHT_TRY(const std::int64_t since, time_of("--since", command.since, now_seconds()));
    query.since_ms = since * 1000;
  }
  if (!command.until.empty()) {
    GPUWRIGHT_TRY(const std::int64_t until, time_of("--until", command.until, now_seconds()));
    query.until_ms = until * 1000;
  }
  if (query.topic == HistoryTopic::Series) query.metric = command.words[1];
  const bool drawn = query.topic == HistoryTopic::Series && !command.json && !command.csv;
  query.limit = drawn ? console.width * 8 : 1000;
  if (command.limit.empty()) return query;
  const auto limit = base::parse_int(command.limit);
  if (!limit || *limit < 1 || *limit > 100000)
    return base::make_error(ErrorKind::Malformed, fmt::format("--limit: '{}' is no number from 1 to 100000",
                                                              base::printable(command.limit, 40)));
  query.limit = *limit;
  return query;
}

/// The UUID that begins so, or the text itself where the file knows none such.
base::Result<std::string> uuid_of(const std::string& text, const model::HistoryAnswer& names) {
  std::set<std::string> found;
  for (const model::SeriesData& series : names.series) {
    if (series.uuid == text) return text;
    if (base::starts_with_ignoring_case(series.uuid, text) ||
        base::starts_with_ignoring_case(series.uuid, "GPU-" + text))
      found.insert(series.uuid);
  }
  if (found.size() == 1) return *found.begin();
  if (found.empty()) return text;
  return base::make_error(ErrorKind::Conflict, fmt::format("--gpu: {} GPUs begin with '{}': {}", found.size(),
                                                           base::printable(text, 40),
                                                           base::join({found.begin(), found.end()}, ", ")));
}

base::Status check_metric(const std::string& metric, const model::HistoryAnswer& names) {
  std::vector<std::string> known;
  for (const model::SeriesData& series : names.series) {
    if (series.metric == metric) return base::Done{};
    known.push_back(series.metric);
  }
  const auto near = base::closest(metric, known);
  return base::make_error(
      ErrorKind::NotFound,
      fmt::format("no series '{}' was written here{}", base::printable(metric, 60),
                  near ? "; did you mean " + *near + "?" : "; `gpuwright history series` lists them"));
}

base::Result<model::HistoryAnswer> look(const std::string& path, HistoryQuery& query,
                                        const std::string& gpu) {
  GPUWRIGHT_TRY(kit::SqliteDatabase database, watch::open_history_for_reading(path));
  database.set_deadline(kDeadline);
  HistoryQuery names;
  names.topic = HistoryTopic::SeriesNames;
  GPUWRIGHT_TRY(const model::HistoryAnswer known, watch::ask_history(database, names));
  if (!gpu.empty()) {
    GPUWRIGHT_TRY(query.uuid, uuid_of(gpu, known));
  }
  if (query.topic == HistoryTopic::Series) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto there, check_metric(query.metric, known));
  }
  return watch::ask_history(database, query);
}

/// What to do about it, where we know.
base::Error explained(base::Error error) {
  if (error.kind == ErrorKind::NotFound && !error.where.empty())
    error.message = "no history here: it is written by `gpuwright serve`; --db PATH names another file";
  if (error.kind == ErrorKind::Denied)
    error.message += "; run it as root or as a member of the daemon's group";
  return error;
}

}  // namespace

int run_history(const std::vector<std::string>& arguments, const Console& console) {
  HistoryCommand command;
  CommandLine line("history",
                   "Ask what this node remembers: events, incidents, changes, jobs, and series of values.");
  line.positionals("WHAT", command.words, "events, incidents, changes, jobs, or series [NAME]");
  line.option("--since", command.since, "TIME", "2h, 3d, 2026-11-30, 2026-11-30T14:05 (UTC); default: all");
  line.option("--until", command.until, "TIME", "the same; default: now");
  line.option("--gpu", command.gpu, "UUID", "of one GPU; its beginning is enough");
  line.option("--limit", command.limit, "N", "rows, or points of a series, at most (1000)");
  line.flag("--json", command.json, "print JSON (docs/schema/history.schema.json)");
  line.flag("--csv", command.csv, "print comma-separated values");
  line.option("--db", command.database, "PATH", "the file (/var/lib/gpuwright/history.db)");
  line.example("gpuwright history incidents --since 7d", "what was wrong this week");
  line.example("gpuwright history series power_watts --since 2h --gpu GPU-1a2b", "drawn as bars");
  line.example("gpuwright history series", "which series there are");
  line.example("gpuwright history jobs --since 2026-11-30 --csv", "who used which GPU, for a table");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  auto query = query_of(command, console);
  if (!query) return console.usage_error(query.error());
  const std::string path = command.database.empty() ? default_database() : command.database;
  const auto answer = look(path, *query, command.gpu);
  if (!answer) return console.usage_error(explained(answer.error()));
  if (command.json) {
    console.print(report::render_history_json(*answer, query->topic));
  } else if (command.csv) {
    console.print(report::render_history_csv(*answer, query->topic));
  } else {
    console.print(report::render_history_text(*answer, query->topic, {console.color, console.width}));
  }
  return kFine;
}

}  // namespace gpuwright::app
