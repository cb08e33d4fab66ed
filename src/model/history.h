// What a node remembers: events, incidents, changes of state, jobs that used a GPU, and values over time.
// Times are Unix milliseconds of the wall clock, which may jump; the order of rows is that in which they were
// written. A GPU is known by its UUID.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::model {

/// Whether an event was told by the kernel or the driver itself, or only by text that any user could write.
enum class Origin { Verified, Unverified };

/// Something that happened at one moment.
struct HistoryEvent {
  std::int64_t time_ms = 0;
  std::string boot_id;
  std::string kind;  ///< "xid", "sxid", "nvml", "history", "clock", ...
  std::string uuid;  ///< of the GPU; empty: none, or not known
  std::string pci;   ///< "0000:3b:00.0"; empty: none
  std::string code;  ///< "79"; empty: none
  std::string text;
  Origin origin = Origin::Verified;
  std::int64_t count = 1;  ///< of equal ones that were folded into this
  bool operator==(const HistoryEvent&) const = default;
};

/// A fault from its first to its last moment. One of equal id replaces the earlier one.
struct Incident {
  std::string id;
  std::string cause;     ///< of data/causes
  std::string subject;   ///< a GPU's UUID, or a subject's text ("host")
  std::string severity;  ///< "info", "warning", "error", "critical"
  std::int64_t start_ms = 0;
  std::optional<std::int64_t> end_ms;         ///< nothing: it goes on
  std::string ended_by;                       ///< why it ended: a code of data/endings.csv
  std::vector<std::string> evidence;          ///< lines
  std::string device;                         ///< the subject's address ("0000:3b:00"); empty: this machine
  std::string title;                          ///< in English, as it was said
  std::map<std::string, std::string> params;  ///< of the cause's texts
  std::string boot_id;                        ///< in which it was last seen
  bool operator==(const Incident&) const = default;
};

/// A state that became another: a GPU's health, presence, MIG mode, the driver's version.
struct StateChange {
  std::int64_t time_ms = 0;
  std::string subject;
  std::string what;
  std::string from;  ///< empty: not known before
  std::string to;
  std::string reason;
  bool operator==(const StateChange&) const = default;
};

/// Who used GPUs. One of equal kind, id and start replaces the earlier one.
struct JobSeen {
  std::string kind;  ///< "slurm", "pod", "container", "user"
  std::string id;
  std::string user;
  std::string queue;  ///< Slurm partition, or namespace
  std::vector<std::string> gpu_uuids;
  std::int64_t start_ms = 0;
  std::optional<std::int64_t> end_ms;  ///< nothing: it runs
  bool operator==(const JobSeen&) const = default;
};

/// One value of a series: a metric, of a GPU or (empty UUID) of the host.
struct SeriesPoint {
  std::string metric;
  std::string uuid;
  std::int64_t time_ms = 0;
  double value = 0;
};

/// What a series was within one step: a spike shorter than the step is still its max.
struct SeriesBucket {
  std::int64_t time_ms = 0;  ///< begin of the step
  double min = 0;
  double mean = 0;
  double max = 0;
  bool operator==(const SeriesBucket&) const = default;
};

/// One stretch of a series, in the order of writing: after a clock was set back, times may repeat.
struct SeriesData {
  std::string metric;
  std::string uuid;
  std::int64_t step_ms = 0;
  std::vector<SeriesBucket> buckets;
  bool operator==(const SeriesData&) const = default;
};

enum class HistoryTopic {
  Events,
  Incidents,
  Changes,
  Jobs,
  Series,
  SeriesNames,
  EventCounts,  ///< events of one kind (`metric`) and boot, those of a GPU and code as one: their count, the
                ///< last time
  LastStates,   ///< of each subject and state the last change
};

/// A question to the history.
struct HistoryQuery {
  HistoryTopic topic = HistoryTopic::Events;
  std::int64_t since_ms = 0;
  std::int64_t until_ms = INT64_MAX;
  std::string uuid;    ///< of one GPU; empty: all
  std::string metric;  ///< for Series
  /// Rows at most, the newest; buckets of one series at most: a coarser step is taken until they fit.
  std::int64_t limit = 1000;
  std::string boot_id;  ///< for EventCounts
  bool operator==(const HistoryQuery&) const = default;
};

/// What was found, oldest first; only the list of the topic is filled.
struct HistoryAnswer {
  std::string error;  ///< empty: it was answered
  bool cut = false;   ///< there is more than the limit let through
  std::vector<HistoryEvent> events;
  std::vector<Incident> incidents;
  std::vector<StateChange> changes;
  std::vector<JobSeen> jobs;
  std::vector<SeriesData> series;  ///< for SeriesNames without buckets
  std::int64_t newest_ms = 0;      ///< when the last tick was written; 0: none yet
  std::string newest_boot;         ///< and in which boot
  bool operator==(const HistoryAnswer&) const = default;
};

}  // namespace gpuwright::model
