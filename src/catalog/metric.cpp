// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/metric.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <set>

namespace gpuwright::catalog {

namespace {

base::Error bad(std::string_view what, std::string_view text) {
  return base::make_error(base::ErrorKind::Malformed, fmt::format("'{}' is no {}", text, what));
}

bool is_one_of(std::string_view word, std::initializer_list<const char*> allowed) {
  return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
}

base::Status check_family(const MetricFamilyRow& row, std::set<std::string>& names) {
  if (!names.insert(row.name).second) return bad("name that may stand twice", row.name);
  if (!is_one_of(row.type, {"counter", "gauge", "info"})) return bad("type of a metric", row.type);
  if (!is_one_of(row.scope, {"gpu", "node", "job"})) return bad("scope of a metric", row.scope);
  if (!is_one_of(row.period, {"health", "rest"})) return bad("period of a metric", row.period);
  if (!is_one_of(row.history, {"", "value", "rate"})) return bad("way to keep a metric", row.history);
  if (row.history == "rate" && row.type != "counter") return bad("counter that has a rate", row.name);
  if (!row.unit.empty() && !row.name.ends_with("_" + row.unit))
    return bad("name that ends in its unit", row.name);
  return base::Done{};
}

base::Status check_origin(const std::string& from, const std::string& scale) {
  GPUWRIGHT_TRY([[maybe_unused]] const auto origin, metric_origin(from));
  GPUWRIGHT_TRY([[maybe_unused]] const auto read, metric_scale(scale));
  return base::Done{};
}

base::Status check_panel(const PanelRow& row, const std::set<std::string>& titles) {
  if (titles.count("dashboard " + row.dashboard) == 0) return bad("dashboard", row.dashboard);
  if (titles.count("group " + row.group) == 0) return bad("group of panels", row.group);
  if (!is_one_of(row.kind, {"stat", "timeseries", "table", "state-timeline"}))
    return bad("kind of a panel", row.kind);
  constexpr std::int64_t kColumns = 24;
  if (row.width < 1 || row.width > kColumns || row.height < 1) return bad("panel with a size", row.title);
  if (row.exprs.empty() || row.units.empty() ||
      (row.units.size() != 1 && row.units.size() != row.exprs.size()))
    return bad("panel with an expression and a unit", row.title);
  if (!row.legends.empty() && row.legends.size() != row.exprs.size())
    return bad("panel with a legend for each expression", row.title);
  return base::Done{};
}

base::Status check_panels(const Metrics& metrics) {
  std::set<std::string> titles;
  for (const PanelTitleRow& row : metrics.panel_titles) titles.insert(row.kind + " " + row.id);
  for (const PanelRow& row : metrics.panels) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, check_panel(row, titles));
  }
  if (titles.empty()) return base::Done{};
  for (const MetricFamilyRow& row : metrics.families) {
    if (titles.count("group " + row.panel) == 0) return bad("group of panels", row.panel);
  }
  return base::Done{};
}

}  // namespace

std::string series_name(const MetricFamilyRow& family) {
  return family.type == "counter" ? family.name + "_total" : family.name;
}

base::Status check_metrics(const Metrics& metrics) {
  std::set<std::string> names;
  for (const MetricFamilyRow& row : metrics.families) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, check_family(row, names));
  }
  for (const MetricSeriesRow& row : metrics.series) {
    if (names.count(row.family) == 0) return bad("family of metrics/families.csv", row.family);
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, check_origin(row.from, row.scale));
  }
  std::set<std::string> fields;
  for (const DcgmFieldRow& row : metrics.dcgm) {
    if (!fields.insert(row.name).second) return bad("name that may stand twice", row.name);
    if (!is_one_of(row.type, {"counter", "gauge", "label"})) return bad("type of a field", row.type);
    if (!is_one_of(row.standing, {"on", "opt-in", "absent"})) return bad("standing of a field", row.standing);
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, check_origin(row.from, row.scale));
  }
  return check_panels(metrics);
}

base::Result<MetricOrigin> metric_origin(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return bad("origin of a metric", text);
  const std::string_view kind = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  MetricOrigin origin;
  if (kind == "field" || kind == "gpm") {
    origin.kind = kind == "field" ? MetricOrigin::Kind::Field : MetricOrigin::Kind::Gpm;
    origin.all_links = rest.ends_with("@all");
    if (origin.all_links) rest.remove_suffix(4);
    const auto number = base::parse_int(rest);
    constexpr std::int64_t kMost = 4096;
    if (!number || *number <= 0 || *number > kMost) return bad("origin of a metric", text);
    origin.number = static_cast<std::uint32_t>(*number);
    return origin;
  }
  if (kind != "call" && kind != "watch" && kind != "label") return bad("origin of a metric", text);
  origin.kind = kind == "call"    ? MetricOrigin::Kind::Call
                : kind == "watch" ? MetricOrigin::Kind::Watch
                                  : MetricOrigin::Kind::Label;
  origin.key = rest;
  return origin;
}

base::Result<MetricScale> metric_scale(std::string_view text) {
  MetricScale scale;
  if (text == "MiB") {
    scale.factor = 1.0 / (1024.0 * 1024.0);
    scale.whole = true;
    return scale;
  }
  if (text.starts_with("bit:")) {
    const auto bit = base::parse_int(text.substr(4));
    constexpr std::int64_t kBits = 64;
    if (!bit || *bit < 0 || *bit >= kBits) return bad("scale of a metric", text);
    scale.bit = static_cast<std::int32_t>(*bit);
    return scale;
  }
  const auto factor = base::parse_double(text);
  if (!factor || *factor == 0) return bad("scale of a metric", text);
  scale.factor = *factor;
  return scale;
}

}  // namespace gpuwright::catalog
