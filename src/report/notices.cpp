// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/notices.h"

#include "base/day.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "model/severity_word.h"
#include "report/node_json.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <cmath>

namespace gpuwright::report {

namespace {

using base::JsonWriter;

const char* step_word(model::IncidentChange::Step step) {
  using Step = model::IncidentChange::Step;
  if (step == Step::Begun) return "begun";
  return step == Step::Ended ? "ended" : "changed";
}

/// "gpu-lost-to-driver" as "GpuLostToDriver".
std::string alert_name(const std::string& cause) {
  std::string name;
  bool upper = true;
  for (const char c : cause) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (letter) name += upper && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = !letter;
  }
  return name;
}

/// "2026-12-01T04:00:58.550Z".
std::string moment(double unix_s) {
  constexpr std::int64_t kMilli = 1000;
  const std::int64_t ms = std::llround(unix_s * static_cast<double>(kMilli));
  std::string text = base::second_text(ms / kMilli);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, ms % kMilli);
}

void write_annotations(JsonWriter& json, const model::LiveIncident& incident,
                       const catalog::Catalog& catalog) {
  const model::Condition& what = incident.what;
  json.key("annotations").begin_object();
  json.key("summary").string(what.title.empty() ? what.cause : what.title);
  if (const catalog::Cause* cause = catalog.cause(what.cause)) {
    json.key("summary_zh").string(fill_in(cause->title.zh, what.params));
    std::string now, now_zh;
    for (const std::string& step : cause->now.en)
      now += (now.empty() ? "" : "\n") + fill_in(step, what.params);
    for (const std::string& step : cause->now.zh)
      now_zh += (now_zh.empty() ? "" : "\n") + fill_in(step, what.params);
    if (!now.empty()) json.key("description").string(now);
    if (!now_zh.empty()) json.key("description_zh").string(now_zh);
  }
  if (!what.evidence.empty()) json.key("evidence").string(what.evidence.front());
  json.key("explain").string("gpuwright explain " + what.cause).end_object();
}

}  // namespace

std::string render_webhook(const model::IncidentChange& change, const model::NodeState& state,
                           const catalog::Catalog& catalog, std::uint64_t number) {
  JsonWriter json(0);
  json.begin_object().key("schema_version").integer(1).key("event").string(step_word(change.step));
  json.key("number").integer(static_cast<std::int64_t>(number)).key("time_s").number(state.wall_s);
  json.key("host").string(state.host).key("simulated").boolean(state.driver.simulated).key("incident");
  write_incident(json, state, change.incident, catalog);
  json.end_object();
  return json.text();
}

AlertLabels alert_labels(const model::LiveIncident& incident, const model::NodeState& state) {
  const model::Condition& what = incident.what;
  AlertLabels labels = {{"alertname", alert_name(what.cause)},
                        {"cause", what.cause},
                        {"severity", std::string(model::severity_word(what.severity))},
                        {"instance", state.host}};
  if (const auto gpu = model::gpu_at(state, what.subject)) {
    labels["gpu"] = std::to_string(*gpu);
    labels["uuid"] = state.gpus.at(*gpu).identity.uuid;
    labels["pci"] = what.subject;
  } else {
    labels["subject"] = what.subject;
  }
  for (auto at = labels.begin(); at != labels.end();)
    at = at->second.empty() ? labels.erase(at) : std::next(at);
  return labels;
}

std::string render_alerts(const std::vector<Alert>& alerts, const model::NodeState& state,
                          const catalog::Catalog& catalog) {
  JsonWriter json(0);
  json.begin_array();
  for (const Alert& alert : alerts) {
    json.begin_object().key("labels").begin_object();
    for (const auto& [name, value] : alert.labels) json.key(name).string(value);
    if (state.driver.simulated) json.key("simulated").string("true");
    json.end_object();
    write_annotations(json, *alert.incident, catalog);
    json.key("startsAt").string(moment(alert.incident->first_s)).key("endsAt").string(moment(alert.ends_s));
    json.end_object();
  }
  json.end_array();
  return json.text();
}

}  // namespace gpuwright::report
