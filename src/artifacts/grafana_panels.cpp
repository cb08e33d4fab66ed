// Which panels stand on which dashboard.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "artifacts/alert_text.h"
#include "artifacts/grafana.h"
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpuwright::artifacts {

namespace {

constexpr const char* kOwnPanels = "node";  ///< the dashboard that shows every family

struct Unit {
  const char* ours;
  const char* grafana;
  const char* of_rate;  ///< of a counter's rate
};
constexpr std::array<Unit, 9> kUnits = {{{"celsius", "celsius", "none"},
                                         {"watts", "watt", "none"},
                                         {"joules", "joule", "watt"},
                                         {"hertz", "hertz", "none"},
                                         {"bytes", "bytes", "Bps"},
                                         {"bytes_per_second", "Bps", "none"},
                                         {"ratio", "percentunit", "none"},
                                         {"seconds", "s", "percentunit"},
                                         {"", "short", "cps"}}};

std::string unit_of(const catalog::MetricFamilyRow& family) {
  const auto unit = std::find_if(kUnits.begin(), kUnits.end() - 1,
                                 [&](const Unit& one) { return family.unit == one.ours; });
  return family.type == "counter" ? unit->of_rate : unit->grafana;
}

/// What tells the series of a family from each other, as the table of series names it.
std::string legend_of(const catalog::Metrics& metrics, const catalog::MetricFamilyRow& family) {
  std::string legend = family.scope == "gpu" ? "GPU {{gpu}} {{instance}}" : "{{instance}}";
  for (const catalog::MetricSeriesRow& row : metrics.series) {
    if (row.family != family.name || row.labels.empty()) continue;
    for (const std::string_view label : base::split(row.labels, ','))
      legend += fmt::format(" {{{{{}}}}}", label.substr(0, label.find('=')));
    return legend;
  }
  return family.scope == "gpu" ? legend : std::string();  // of the host's: all labels, as Grafana writes them
}

/// A panel for a family that no row names.
catalog::PanelRow own_panel(const catalog::Metrics& metrics, const catalog::MetricFamilyRow& family) {
  catalog::PanelRow panel;
  panel.dashboard = kOwnPanels;
  panel.group = family.panel;
  panel.title = panel.title_zh = base::replace_all(family.name, "gpuwright_", "");
  panel.kind = "timeseries";
  panel.width = 12;
  panel.height = 7;
  panel.units = {unit_of(family)};
  const char* chosen = family.scope == "gpu" ? "{instance=~'$node',gpu=~'$gpu'}" : "{instance=~'$node'}";
  const std::string series = catalog::series_name(family) + chosen;
  panel.exprs = {family.type == "counter" ? fmt::format("rate({}[$__rate_interval])", series) : series};
  panel.legends = {legend_of(metrics, family)};
  return panel;
}

bool is_named(const std::vector<catalog::PanelRow>& panels, const std::string& series) {
  return std::any_of(panels.begin(), panels.end(), [&](const catalog::PanelRow& panel) {
    return std::any_of(panel.exprs.begin(), panel.exprs.end(),
                       [&](const std::string& expr) { return asks_for(expr, series); });
  });
}

}  // namespace

bool asks_for(const std::string& expression, const std::string& series) {
  const auto part_of_name = [&](std::size_t at) {
    return at < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[at])) != 0 || expression[at] == '_');
  };
  for (std::size_t at = 0; (at = expression.find(series, at)) != std::string::npos; ++at) {
    if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + series.size())) return true;
  }
  return false;
}

std::vector<std::string> dashboard_names(const catalog::Catalog& catalog) {
  std::vector<std::string> names;
  for (const catalog::PanelTitleRow& row : catalog.metrics().panel_titles) {
    if (row.kind == "dashboard") names.push_back(row.id);
  }
  return names;
}

std::string panel_title(const catalog::Catalog& catalog, const std::string& kind, const std::string& id,
                        catalog::Language language) {
  for (const catalog::PanelTitleRow& row : catalog.metrics().panel_titles) {
    if (row.kind == kind && row.id == id)
      return language == catalog::Language::Chinese ? row.title_zh : row.title;
  }
  return id;
}

std::vector<catalog::PanelRow> dashboard_panels(const catalog::Catalog& catalog, const std::string& name,
                                                catalog::Language language) {
  const catalog::Metrics& metrics = catalog.metrics();
  std::vector<catalog::PanelRow> rows;
  for (const catalog::PanelRow& row : metrics.panels) {
    if (row.dashboard == name) rows.push_back(row);
  }
  const std::vector<catalog::PanelRow> named = rows;
  for (const catalog::MetricFamilyRow& family : metrics.families) {
    if (name != kOwnPanels || family.type == "info") continue;
    if (!is_named(named, catalog::series_name(family))) rows.push_back(own_panel(metrics, family));
  }
  std::vector<catalog::PanelRow> ordered;
  for (const catalog::PanelTitleRow& group : metrics.panel_titles) {
    if (group.kind != "group") continue;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(ordered),
                 [&](const catalog::PanelRow& row) { return row.group == group.id; });
  }
  for (catalog::PanelRow& row : ordered) {
    if (language == catalog::Language::Chinese) row.title = row.title_zh;
    for (std::string& legend : row.legends) legend = panel_title(catalog, "legend", legend, language);
    for (std::string& expr : row.exprs) expr = with_limits(catalog, expr);
  }
  return ordered;
}

}  // namespace gpuwright::artifacts
