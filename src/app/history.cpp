// `gpuwright history`: what a node remembers, read from the file beside the daemon that writes it.
// SPDX-License-Identifier: Apache-2.0
#include "report/history.h"

#include "app/command.h"
#include "app/command_line.h"
#include "app/history_path.h"
#include "app/history_request.h"
#include "app/knowledge.h"
#include "base/text.h"
#include "watch/history_query.h"
#include "watch/history_schema.h"

#include <fmt/core.h>

#include <chrono>
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
  std::string language = "en", data;
  bool json = false;
  bool csv = false;
};

base::Result<HistoryTopic> topic_of(const HistoryCommand& command) {
  GPUWRIGHT_TRY(const HistoryTopic topic, history_topic(command.words.empty() ? "" : command.words[0]));
  const bool series = topic == HistoryTopic::SeriesNames;
  const std::size_t most = series ? 2 : 1;
  if (command.words.size() > most)
    return base::make_error(ErrorKind::Malformed, fmt::format("'{}' is one word too many",
                                                              base::printable(command.words[most], 40)));
  return series && command.words.size() == 2 ? HistoryTopic::Series : topic;
}

base::Result<HistoryQuery> query_of(const HistoryCommand& command, const Console& console) {
  HistoryQuery query;
  GPUWRIGHT_TRY(query.topic, topic_of(command));
  if (command.json && command.csv)
    return base::make_error(ErrorKind::Malformed, "--json and --csv: choose one");
  if (!command.since.empty()) {
    GPUWRIGHT_TRY(query.since_ms, history_moment("--since", command.since));
  }
  if (!command.until.empty()) {
    GPUWRIGHT_TRY(query.until_ms, history_moment("--until", command.until));
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
  line.choice("--lang", command.language, {"en", "zh"}, "language of what is told");
  line.option("--data", command.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.option("--db", command.database, "PATH", "the file (/var/lib/gpuwright/history.db)");
  line.example("gpuwright history incidents --since 7d", "what was wrong this week");
  line.example("gpuwright history series power_watts --since 2h --gpu GPU-1a2b", "drawn as bars");
  line.example("gpuwright history series", "which series there are");
  line.example("gpuwright history jobs --since 2026-11-30 --csv", "who used which GPU, for a table");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  auto query = query_of(command, console);
  if (!query) return console.usage_error(query.error());
  const std::string path = command.database.empty() ? history_to_read() : command.database;
  const auto answer = look(path, *query, command.gpu);
  if (!answer) return console.usage_error(explained(answer.error()));
  const auto catalog = load_catalog(command.data);
  if (!catalog) return console.usage_error(catalog.error());
  const auto language = command.language == "zh" ? catalog::Language::Chinese : catalog::Language::English;
  if (command.json) {
    console.print(report::render_history_json(*answer, query->topic, {&*catalog, false}));
  } else if (command.csv) {
    console.print(report::render_history_csv(*answer, query->topic));
  } else {
    console.print(report::render_history_text(*answer, query->topic,
                                              {console.color, console.width, &*catalog, language}));
  }
  return kFine;
}

}  // namespace gpuwright::app
