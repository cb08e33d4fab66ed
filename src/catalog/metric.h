// What is measured on a node, and under which names it is published: one table for the daemon, its
// documentation, rules and dashboards. Source: data/metrics/*.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

/// One family of series. The name is that of OpenMetrics: a counter's series add "_total".
struct MetricFamilyRow {
  std::string name;     ///< "gpuwright_gpu_energy_joules"
  std::string type;     ///< counter, gauge, info
  std::string unit;     ///< base unit, the name's last word; empty without
  std::string scope;    ///< gpu, node, job: whose it is
  std::string period;   ///< health (asked often) or rest
  std::string panel;    ///< group on the page and the dashboards
  std::string history;  ///< what is kept of it: value, rate (of a counter, per second), or nothing
  std::string help;
  std::string help_zh;
  std::string source;
};

/// One series of a family that the driver's library answers.
struct MetricSeriesRow {
  std::string family;
  std::string labels;  ///< as printed: direction="sent"; empty without
  std::string from;    ///< see MetricOrigin
  std::string scale;   ///< what an answer is multiplied with; "bit:N" for one bit of a mask
  std::string source;
};

/// One field of DCGM that gpuwright answers under DCGM's own names.
struct DcgmFieldRow {
  std::string name;           ///< as dcgm-exporter has long printed it
  std::string new_name;       ///< its spelling from DCGM 4.6 on; empty: unchanged
  std::int64_t field_id = 0;  ///< 0: one of dcgm-exporter's own
  std::string type;           ///< counter, gauge, label
  std::string standing;       ///< in dcgm-exporter's own file: on, opt-in, absent
  std::string from;           ///< see MetricOrigin; "watch:..." is computed, "label:..." a text
  std::string scale;          ///< as above; "MiB": whole MiB, rounded down
  std::string help;
  std::string source;
};

/// An Xid whose series is there before the first one comes, so that a rate sees it.
struct PagedXidRow {
  std::int64_t code = 0;
  std::string severity;  ///< of the alert: critical, warning
  std::string source;
};

/// One rule of Prometheus that rings, with the proof that it does. Quotes within expressions are single.
struct AlertRow {
  std::string name;
  std::string expr;      ///< "@critical_xids@" and "@warning_xids@" stand for the codes of paged_xids.csv
  std::string hold;      ///< for how long it must hold: "5m"
  std::string severity;  ///< critical, warning, info
  std::string cause;     ///< of data/causes, whose text becomes the runbook; may be empty
  std::string summary;
  std::string summary_zh;
  std::string series;  ///< of its test: several behind ';'
  std::string fires;   ///< their values, a minute apart, that ring after half an hour
  std::string quiet;   ///< that do not
  std::string source;
};

/// One panel of a Grafana dashboard. Quotes within expressions are single; "@idle_load@" and "@idle_hold@"
/// stand for the limits of thresholds.csv.
struct PanelRow {
  std::string dashboard;  ///< fleet, node, job, cost
  std::string group;      ///< one of the families' `panel`: the row that it stands in
  std::string title;
  std::string title_zh;
  std::string kind;        ///< stat, timeseries, table, state-timeline
  std::int64_t width = 0;  ///< of 24
  std::int64_t height = 0;
  std::vector<std::string> units;  ///< in Grafana's words; one for all, or one for each expression
  std::vector<std::string> exprs;
  std::vector<std::string> legends;     ///< of each expression; of a table the names of its columns
  std::vector<std::string> thresholds;  ///< the name of an alert, or "LIMIT:severity" with a number or an id
                                        ///< of thresholds.csv
  std::string empty;                    ///< why it may hold nothing; empty: it always has something
  std::string source;
};

/// What a dashboard or a group of panels is called.
struct PanelTitleRow {
  std::string kind;  ///< dashboard, group
  std::string id;
  std::string title;
  std::string title_zh;
  std::string source;
};

struct Metrics {
  std::vector<MetricFamilyRow> families;  ///< in the order in which they are printed
  std::vector<MetricSeriesRow> series;
  std::vector<DcgmFieldRow> dcgm;
  std::vector<PagedXidRow> xids;
  std::vector<AlertRow> alerts;
  std::vector<PanelRow> panels;  ///< in the order in which they stand
  std::vector<PanelTitleRow> panel_titles;
};

/// Where a value comes from: "call:temperature" (one of host::nvml::sample_calls), "field:83",
/// "field:138@all" (of all links together), "gpm:2", "watch:xid_last", "label:serial".
struct MetricOrigin {
  enum class Kind { Call, Field, Gpm, Watch, Label };
  Kind kind = Kind::Watch;
  std::string key;           ///< of Call, Watch, Label
  std::uint32_t number = 0;  ///< of Field and Gpm
  bool all_links = false;
};
/// Malformed for anything else.
base::Result<MetricOrigin> metric_origin(std::string_view text);

/// What is done to an answer.
struct MetricScale {
  double factor = 1;
  std::int32_t bit = -1;  ///< this bit of it, where not negative
  bool whole = false;     ///< rounded down
};
base::Result<MetricScale> metric_scale(std::string_view text);

/// One published series of each GPU, and where its value stands among those that were sampled.
struct PlannedSeries {
  const MetricFamilyRow* family = nullptr;
  std::string labels;
  std::size_t value = 0;
  MetricScale scale;
};

/// One field under DCGM's name.
struct PlannedField {
  const DcgmFieldRow* row = nullptr;
  std::string name;  ///< as asked for, old or new
  std::string help;
  MetricOrigin origin;
  std::size_t value = 0;  ///< where the origin is the library
  MetricScale scale;
};

/// The name under which a family's series are printed.
std::string series_name(const MetricFamilyRow& family);

/// Malformed where a series has no family, an origin or a scale cannot be read, a word is not one of the
/// allowed, a family stands twice, or a panel has no title or nothing to show.
base::Status check_metrics(const Metrics& metrics);

}  // namespace gpuwright::catalog
