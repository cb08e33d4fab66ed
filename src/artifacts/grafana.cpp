// Dashboards as JSON; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "artifacts/grafana.h"

#include "base/json_writer.h"
#include "base/text.h"

#include "artifacts/alert_text.h"
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace gpuwright::artifacts {

namespace {

using base::JsonWriter;
using catalog::Language;
using catalog::PanelRow;

constexpr std::int64_t kSchemaVersion = 38;  ///< of Grafana 10.0
constexpr std::int64_t kColumns = 24;

/// Where a panel stands.
struct Place {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

const char* color_of(const std::string& severity) {
  return severity == "critical" ? "red" : severity == "warning" ? "orange" : "blue";
}

class Dashboard {
 public:
  Dashboard(const catalog::Catalog& catalog, std::string name, const DashboardOptions& options)
      : catalog_(catalog), name_(std::move(name)), options_(options) {}

  std::string write();

 private:
  std::string title(const char* kind, const std::string& id) const {
    return panel_title(catalog_, kind, id, options_.language);
  }
  std::string say(const char* english, const char* chinese) const {
    return options_.language == Language::Chinese ? chinese : english;
  }
  void source();
  void variables();
  void query_variable(const char* name, const std::string& label, const std::string& query);
  void annotations();
  void links();
  void panels();
  void row(const std::string& group, const Place& place);
  void panel(const PanelRow& panel, const Place& place);
  void begin_panel(const char* type, const std::string& title, const Place& place);
  void targets(const PanelRow& panel);
  void field_config(const PanelRow& panel);
  void custom(const PanelRow& panel, bool limited);
  void thresholds(const std::vector<Limit>& limits);
  void overrides(const PanelRow& panel);
  void property(const char* id, const char* name, const std::string& value);
  void options_of(const PanelRow& panel);
  void columns(const PanelRow& panel);
  void panel_links(const PanelRow& panel);
  std::string description(const PanelRow& panel) const;
  std::vector<Limit> limits_of(const PanelRow& panel) const;
  void pairs(std::initializer_list<std::pair<const char*, const char*>> entries);

  const catalog::Catalog& catalog_;
  std::string name_;
  const DashboardOptions& options_;
  JsonWriter json_;
  std::int64_t next_id_ = 1;
};

void Dashboard::pairs(std::initializer_list<std::pair<const char*, const char*>> entries) {
  for (const auto& [key, value] : entries) json_.key(key).string(value);
}

void Dashboard::source() {
  json_.key("datasource").begin_object();
  pairs({{"type", "prometheus"}, {"uid", "${datasource}"}});
  json_.end_object();
}

void Dashboard::query_variable(const char* name, const std::string& label, const std::string& query) {
  json_.begin_object();
  pairs({{"name", name}, {"type", "query"}, {"allValue", ".*"}, {"regex", ""}});
  json_.key("label").string(label);
  source();
  json_.key("definition").string(query);
  json_.key("query").begin_object().key("query").string(query).key("refId").string(name).end_object();
  json_.key("refresh").integer(2).key("sort").integer(1).key("hide").integer(0);
  json_.key("multi").boolean(true).key("includeAll").boolean(true).key("options").begin_array().end_array();
  json_.key("current").begin_object().key("selected").boolean(true);
  json_.key("text").begin_array().string("All").end_array();
  json_.key("value").begin_array().string("$__all").end_array().end_object();
  json_.end_object();
}

void Dashboard::variables() {
  json_.key("templating").begin_object().key("list").begin_array();
  json_.begin_object();
  pairs({{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}, {"regex", ""}});
  json_.key("label").string(say("Data source", "数据源"));
  json_.key("refresh").integer(1).key("hide").integer(0);
  json_.key("multi").boolean(false).key("includeAll").boolean(false);
  json_.key("options").begin_array().end_array().key("current").begin_object().end_object().end_object();
  query_variable("node", say("Node", "节点"), "label_values(gpuwright_build_info, instance)");
  if (name_ == "node")
    query_variable("gpu", "GPU", "label_values(gpuwright_gpu_up{instance=~\"$node\"}, gpu)");
  if (name_ == "job") {
    query_variable("job", say("Job or user", "作业或使用者"),
                   "label_values(gpuwright_gpu_user_info{instance=~\"$node\"}, holder)");
  }
  if (name_ == "cost") {
    const std::string& price = options_.price_per_gpu_hour;
    json_.begin_object();
    pairs({{"name", "price"}, {"type", "textbox"}});
    json_.key("label").string(say("US dollars a GPU-hour", "每 GPU 小时美元"));
    json_.key("query").string(price).key("hide").integer(0);
    json_.key("current").begin_object().key("text").string(price).key("value").string(price).end_object();
    json_.key("options").begin_array().end_array().end_object();
  }
  json_.end_array().end_object();
}

/// A line where an incident began.
void Dashboard::annotations() {
  json_.key("annotations").begin_object().key("list").begin_array().begin_object();
  json_.key("name").string(say("Incidents", "事件"));
  source();
  json_.key("enable").boolean(true).key("hide").boolean(false).key("useValueForTime").boolean(true);
  pairs({{"iconColor", "red"},
         {"expr", "gpuwright_incident_start_timestamp_seconds{instance=~'$node'} * 1000"},
         {"titleFormat", "{{cause}}"},
         {"textFormat", "{{instance}} {{subject}} ({{severity}})"},
         {"step", "60s"}});
  json_.end_object().end_array().end_object();
}

void Dashboard::links() {
  json_.key("links").begin_array().begin_object();
  pairs({{"title", "gpuwright"},
         {"type", "dashboards"},
         {"icon", "external link"},
         {"tooltip", ""},
         {"url", ""}});
  json_.key("tags").begin_array().string("gpuwright").end_array();
  json_.key("asDropdown").boolean(false).key("includeVars").boolean(true).key("keepTime").boolean(true);
  json_.key("targetBlank").boolean(false).end_object().end_array();
}

std::string Dashboard::write() {
  json_.begin_object();
  json_.key("id").null();
  json_.key("uid").string("gpuwright-" + name_);
  json_.key("title").string(title("dashboard", name_));
  std::string about = say("Made by `gpuwright render grafana` from the table of metrics of gpuwright serve.",
                          "由 `gpuwright render grafana` 根据 gpuwright serve 的指标表生成。");
  if (name_ == "cost")
    about +=
        say(" The price is an estimate until you set yours; `gpuwright fleet --prometheus` has a ledger that "
            "sums.",
            "价格在您填写之前只是估算；`gpuwright fleet --prometheus` 给出可加总的账目。");
  json_.key("description").string(about);
  json_.key("tags").begin_array().string("gpuwright").string("gpu").end_array();
  json_.key("schemaVersion").integer(kSchemaVersion).key("version").integer(1);
  json_.key("editable").boolean(true).key("graphTooltip").integer(1).key("fiscalYearStartMonth").integer(0);
  pairs({{"timezone", "browser"}, {"style", "dark"}, {"refresh", name_ == "cost" ? "5m" : "30s"}});
  json_.key("time").begin_object();
  pairs({{"from", name_ == "cost" ? "now-24h" : "now-6h"}, {"to", "now"}});
  json_.end_object().key("timepicker").begin_object().end_object();
  variables();
  annotations();
  links();
  panels();
  json_.end_object();
  return json_.text() + "\n";
}

void Dashboard::panels() {
  json_.key("panels").begin_array();
  std::string group;
  Place at;  // where the next panel goes; its height is that of the line so far
  for (const PanelRow& one : dashboard_panels(catalog_, name_, options_.language)) {
    if (one.group != group) {
      group = one.group;
      at = {0, at.y + at.height, 0, 1};
      row(group, {0, at.y, kColumns, 1});
      at = {0, at.y + 1, 0, 0};
    }
    if (at.x + one.width > kColumns) at = {0, at.y + at.height, 0, 0};
    panel(one, {at.x, at.y, one.width, one.height});
    at.x += one.width;
    at.height = std::max(at.height, one.height);
  }
  json_.end_array();
}

void Dashboard::begin_panel(const char* type, const std::string& title, const Place& place) {
  json_.begin_object().key("id").integer(next_id_++);
  json_.key("type").string(type).key("title").string(title);
  json_.key("gridPos").begin_object();
  json_.key("h").integer(place.height).key("w").integer(place.width);
  json_.key("x").integer(place.x).key("y").integer(place.y).end_object();
}

void Dashboard::row(const std::string& group, const Place& place) {
  begin_panel("row", title("group", group), place);
  json_.key("collapsed").boolean(false).key("panels").begin_array().end_array().end_object();
}

void Dashboard::panel(const PanelRow& panel, const Place& place) {
  begin_panel(panel.kind.c_str(), panel.title, place);
  json_.key("description").string(description(panel));
  source();
  targets(panel);
  field_config(panel);
  options_of(panel);
  if (panel.kind == "table") columns(panel);
  panel_links(panel);
  json_.end_object();
}

void Dashboard::targets(const PanelRow& panel) {
  const bool table = panel.kind == "table";
  const bool now = table || panel.kind == "stat";
  json_.key("targets").begin_array();
  for (std::size_t i = 0; i < panel.exprs.size(); ++i) {
    json_.begin_object().key("refId").string(std::string(1, static_cast<char>('A' + i)));
    source();
    json_.key("expr").string(panel.exprs[i]).key("editorMode").string("code");
    json_.key("format").string(table ? "table" : "time_series");
    json_.key("instant").boolean(now).key("range").boolean(!now);
    json_.key("legendFormat")
        .string(table || panel.legends.empty() || panel.legends[i].empty() ? "__auto" : panel.legends[i]);
    json_.end_object();
  }
  json_.end_array();
}

std::vector<Limit> Dashboard::limits_of(const PanelRow& panel) const {
  std::vector<Limit> limits;
  for (const std::string& text : panel.thresholds) {
    if (const catalog::AlertRow* alert = alert_of(catalog_.metrics(), text)) {
      if (const auto limit = limit_of(*alert)) limits.push_back(*limit);
      continue;
    }
    const std::size_t colon = text.find(':');
    Limit limit;
    limit.severity = colon == std::string::npos ? "" : text.substr(colon + 1);
    const auto number = base::parse_double(text.substr(0, colon));
    limit.value = number ? *number : catalog_.threshold(text.substr(0, colon));
    limits.push_back(limit);
  }
  std::sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) { return a.value < b.value; });
  return limits;
}

/// Steps say the colour from a value on; the first has none. Of a limit from below the colour ends at it.
void Dashboard::thresholds(const std::vector<Limit>& limits) {
  const bool below = !limits.empty() && limits.front().below;
  json_.key("thresholds").begin_object().key("mode").string("absolute").key("steps").begin_array();
  json_.begin_object().key("color").string(below ? color_of(limits.front().severity) : "green");
  json_.key("value").null().end_object();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const bool last = i + 1 == limits.size();
    const char* color = !below ? color_of(limits[i].severity)
                        : last ? "green"
                               : color_of(limits[i + 1].severity);
    json_.begin_object().key("color").string(color);
    // "== 0" is bad and 1 is not.
    json_.key("value").number(below && limits[i].value == 0 ? 0.5 : limits[i].value).end_object();
  }
  json_.end_array().end_object();
}

void Dashboard::custom(const PanelRow& panel, bool limited) {
  json_.key("custom").begin_object();
  if (panel.kind == "timeseries") {
    pairs({{"drawStyle", "line"}, {"showPoints", "never"}, {"lineInterpolation", "linear"}});
    json_.key("lineWidth").integer(1).key("fillOpacity").integer(8).key("spanNulls").boolean(false);
    json_.key("thresholdsStyle").begin_object().key("mode").string(limited ? "line" : "off").end_object();
  } else if (panel.kind == "state-timeline") {
    json_.key("lineWidth").integer(0).key("fillOpacity").integer(80);
  } else if (panel.kind == "table") {
    json_.key("align")
        .string("auto")
        .key("cellOptions")
        .begin_object()
        .key("type")
        .string("auto")
        .end_object();
  }
  json_.end_object();
}

void Dashboard::field_config(const PanelRow& panel) {
  const std::vector<Limit> limits = limits_of(panel);
  const bool palette = panel.kind == "timeseries" || (panel.kind == "stat" && limits.empty());
  json_.key("fieldConfig").begin_object().key("defaults").begin_object();
  json_.key("unit").string(panel.units.front());
  if (panel.units.front() == "percentunit" && panel.kind == "timeseries") json_.key("min").integer(0);
  json_.key("color")
      .begin_object()
      .key("mode")
      .string(palette ? "palette-classic" : "thresholds")
      .end_object();
  json_.key("mappings").begin_array().end_array();
  if (!panel.empty.empty()) json_.key("noValue").string("-");
  thresholds(limits);
  custom(panel, !limits.empty());
  json_.end_object();
  overrides(panel);
  json_.end_object();
}

void Dashboard::property(const char* id, const char* name, const std::string& value) {
  json_.begin_object().key("matcher").begin_object();
  pairs({{"id", "byName"}, {"options", name}});
  json_.end_object().key("properties").begin_array().begin_object().key("id").string(id).key("value");
  if (std::string_view(id) == "links") {
    json_.begin_array().begin_object().key("title").string(title("dashboard", "node"));
    json_.key("url").string(value).end_object().end_array();
  } else {
    json_.string(value);
  }
  json_.end_object().end_array().end_object();
}

void Dashboard::overrides(const PanelRow& panel) {
  json_.key("overrides").begin_array();
  if (panel.kind == "table") {
    property("links", "instance", "/d/gpuwright-node?var-node=${__value.raw}");
    for (std::size_t i = 0; i < panel.legends.size() && panel.units.size() > 1; ++i)
      property("unit", panel.legends[i].c_str(), panel.units[i]);
  }
  json_.end_array();
}

void Dashboard::options_of(const PanelRow& panel) {
  json_.key("options").begin_object();
  if (panel.kind == "stat") {
    pairs({{"colorMode", panel.thresholds.empty() ? "none" : "background"},
           {"graphMode", "none"},
           {"textMode", "auto"},
           {"justifyMode", "auto"},
           {"orientation", "auto"}});
    json_.key("reduceOptions").begin_object().key("calcs").begin_array().string("lastNotNull").end_array();
    json_.key("fields").string("").key("values").boolean(false).end_object();
  } else if (panel.kind == "table") {
    json_.key("showHeader").boolean(true).key("cellHeight").string("sm");
  } else {
    const bool lines = panel.kind == "timeseries";
    json_.key("legend").begin_object().key("showLegend").boolean(true);
    pairs({{"displayMode", lines ? "table" : "list"}, {"placement", "bottom"}});
    json_.key("calcs").begin_array();
    if (lines) json_.string("lastNotNull").string("max");
    json_.end_array().end_object();
    json_.key("tooltip").begin_object();
    pairs({{"mode", lines ? "multi" : "single"}, {"sort", lines ? "desc" : "none"}});
    json_.end_object();
    if (!lines) {
      json_.key("mergeValues").boolean(true).key("rowHeight").number(0.9);
      pairs({{"showValue", "never"}, {"alignValue", "left"}});
    }
  }
  json_.end_object();
}

/// A table joins the answers by their labels; times and what repeats for every row are left out.
void Dashboard::columns(const PanelRow& panel) {
  json_.key("transformations").begin_array();
  json_.begin_object().key("id").string("merge").key("options").begin_object().end_object().end_object();
  json_.begin_object().key("id").string("organize").key("options").begin_object();
  json_.key("excludeByName").begin_object();
  for (const char* column : {"Time", "__name__", "job", "uuid"}) json_.key(column).boolean(true);
  if (panel.legends.empty() || panel.legends.front().empty()) json_.key("Value").boolean(true);
  json_.end_object().key("indexByName").begin_object().end_object().key("renameByName").begin_object();
  for (std::size_t i = 0; i < panel.legends.size(); ++i) {
    if (panel.legends[i].empty()) continue;
    const std::string letter(1, static_cast<char>('A' + i));
    json_.key(panel.legends.size() == 1 ? "Value" : "Value #" + letter).string(panel.legends[i]);
  }
  json_.end_object().end_object().end_object().end_array();
}

/// The page behind the cause of each alert that the panel's limits come from.
void Dashboard::panel_links(const PanelRow& panel) {
  std::map<std::string, std::string> pages;
  for (const std::string& text : panel.thresholds) {
    const catalog::AlertRow* alert = alert_of(catalog_.metrics(), text);
    const catalog::Cause* cause = alert == nullptr ? nullptr : catalog_.cause(alert->cause);
    if (cause == nullptr) continue;
    const auto page = std::find_if(cause->sources.begin(), cause->sources.end(),
                                   [](const std::string& one) { return one.starts_with("https://"); });
    if (page != cause->sources.end()) pages[cause->id] = *page;
  }
  if (pages.empty()) return;
  json_.key("links").begin_array();
  for (const auto& [cause, page] : pages) {
    json_.begin_object().key("title").string("gpuwright explain " + cause).key("url").string(page);
    json_.key("targetBlank").boolean(true).end_object();
  }
  json_.end_array();
}

/// What its families are, why it may be empty, and the runbooks behind its limits.
std::string Dashboard::description(const PanelRow& panel) const {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "\n\n") + part; };
  for (const catalog::MetricFamilyRow& family : catalog_.metrics().families) {
    const std::string series = catalog::series_name(family);
    const bool shown = std::any_of(panel.exprs.begin(), panel.exprs.end(),
                                   [&](const std::string& expr) { return asks_for(expr, series); });
    if (shown)
      add(fmt::format("`{}`: {}", series,
                      options_.language == Language::Chinese ? family.help_zh : family.help));
  }
  for (const std::string_view why : base::split(panel.empty, ';'))
    if (!why.empty()) add(title("empty", std::string(why)));
  for (const std::string& name : panel.thresholds) {
    const catalog::AlertRow* alert = alert_of(catalog_.metrics(), name);
    if (alert != nullptr) add(alert->name + ": " + runbook(catalog_, *alert, options_.language));
  }
  return text;
}

}  // namespace

std::string grafana_dashboard(const catalog::Catalog& catalog, const std::string& name,
                              const DashboardOptions& options) {
  return Dashboard(catalog, name, options).write();
}

}  // namespace gpuwright::artifacts
