// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/node_json.h"

#include "base/json_writer.h"
#include "catalog/gpu_values.h"
#include "report/wording.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using model::GpuState;
using model::NodeState;

void write_text(JsonWriter& json, const char* key, const std::string& text) {
  if (!text.empty()) json.key(key).string(text);
}

/// A reason, and the same in Chinese where the knowledge has it.
void write_reason(JsonWriter& json, const std::string& key, const std::string& text,
                  const catalog::Catalog& catalog) {
  if (text.empty()) return;
  json.key(key).string(text);
  const std::string chinese = reason_text(catalog, text, catalog::Language::Chinese);
  if (chinese != text) json.key(key + "_zh").string(chinese);
}

void write_values(JsonWriter& json, const GpuState& gpu, const std::vector<catalog::PlannedSeries>& series) {
  json.key("values").begin_object();
  for (const catalog::PlannedSeries& one : series) {
    if (!gpu.up || one.value >= gpu.values.size() || !gpu.values[one.value].known()) continue;
    json.key(catalog::short_key(one));
    const auto value = catalog::metric_value(gpu.values[one.value], one.scale);
    if (const auto* count = std::get_if<std::uint64_t>(&value)) {
      json.integer(static_cast<std::int64_t>(*count));
    } else {
      json.number(std::get<double>(value));
    }
  }
  json.end_object();
}

void write_user(JsonWriter& json, const model::GpuUser& user) {
  json.begin_object().key("holder").string(model::holder_of(user));
  if (user.pid > 0) json.key("pid").integer(user.pid);
  if (user.inner_pid > 0) json.key("inner_pid").integer(user.inner_pid);
  write_text(json, "user", user.user);
  write_text(json, "command", user.command);
  write_text(json, "container", user.container);
  write_text(json, "runtime", user.runtime);
  write_text(json, "pod", user.pod);
  write_text(json, "namespace", user.pod_namespace);
  write_text(json, "pod_container", user.pod_container);
  write_text(json, "pod_uid", user.pod_uid);
  write_text(json, "pod_qos", user.pod_qos);
  write_text(json, "slurm_job", user.slurm_job);
  write_text(json, "slurm_step", user.slurm_step);
  write_text(json, "partition", user.slurm_partition);
  write_text(json, "machine", user.machine);
  write_text(json, "unit", user.unit);
  write_text(json, "session", user.session);
  write_text(json, "why", user.why);
  if (user.mps_server) json.key("mps_server").boolean(true);
  if (user.shared) json.key("shared").boolean(true);
  if (user.cpu_throttled_s >= 0) json.key("cpu_throttled_s").number(user.cpu_throttled_s);
  if (user.memory_known) json.key("memory_bytes").integer(static_cast<std::int64_t>(user.memory_bytes));
  if (user.gpu_instance >= 0) json.key("gpu_instance").integer(user.gpu_instance);
  json.end_object();
}

void write_gpu(JsonWriter& json, const NodeState& state, const GpuState& gpu,
               const std::vector<catalog::PlannedSeries>& series, const catalog::Catalog& catalog) {
  json.begin_object();
  json.key("index").integer(gpu.identity.index);
  write_text(json, "uuid", gpu.identity.uuid);
  write_text(json, "name", gpu.identity.name);
  write_text(json, "pci", gpu.identity.pci);
  write_text(json, "serial", gpu.identity.serial);
  json.key("up").boolean(gpu.up);
  if (gpu.lost) json.key("lost").boolean(true);
  if (gpu.asleep) json.key("asleep").boolean(true);
  write_reason(json, "why", gpu.why, catalog);
  if (gpu.ever) json.key("age_s").number(std::max(0.0, state.now_s - gpu.fresh_s));
  json.key("hangs").integer(static_cast<std::int64_t>(gpu.hangs));
  write_values(json, gpu, series);
  if (gpu.nvlink_bytes_per_s >= 0) json.key("nvlink_bytes_per_s").number(gpu.nvlink_bytes_per_s);
  json.key("xids").begin_array();
  for (const auto& [code, seen] : gpu.xids) {
    if (seen.count == 0) continue;
    json.begin_object().key("code").integer(code);
    json.key("count").integer(static_cast<std::int64_t>(seen.count)).key("last_s").number(seen.last_s);
    json.end_object();
  }
  json.end_array();
  json.key("parts").begin_array();
  for (const model::MigPart& part : gpu.identity.parts) {
    json.begin_object().key("uuid").string(part.uuid).key("profile").string(part.profile);
    json.key("gpu_instance").integer(part.gpu_instance).end_object();
  }
  json.end_array();
  json.key("users");
  if (gpu.users_known) {
    json.begin_array();
    for (const model::GpuUser& user : gpu.users) write_user(json, user);
    json.end_array();
  } else {
    json.null();
  }
  json.key("given").begin_array();
  for (const model::GpuUser& user : gpu.given) write_user(json, user);
  json.end_array().end_object();
}

void write_survey(JsonWriter& json, const NodeState& state) {
  const model::SurveyState& survey = state.survey;
  json.key("survey").begin_object();
  if (survey.fresh_s > 0) json.key("age_s").number(std::max(0.0, state.now_s - survey.fresh_s));
  if (survey.pods_fresh_s > 0)
    json.key("pods_age_s").number(std::max(0.0, state.now_s - survey.pods_fresh_s));
  write_text(json, "no_pods", survey.no_pods);
  json.key("silent").begin_array();
  for (const std::string& subject : survey.silent) json.string(subject);
  json.end_array().key("restarts").integer(static_cast<std::int64_t>(survey.restarts)).end_object();
}

void write_self(JsonWriter& json, const NodeState& state) {
  json.key("kernel_log").begin_object().key("readable").boolean(state.kernel.readable);
  write_text(json, "why", state.kernel.why);
  json.key("lines").integer(static_cast<std::int64_t>(state.kernel.lines));
  json.key("lost").integer(static_cast<std::int64_t>(state.kernel.lost));
  json.key("unverified").integer(static_cast<std::int64_t>(state.kernel.unverified)).end_object();
  const model::SelfState& self = state.self;
  json.key("self").begin_object().key("cpu_s").number(self.cpu_s);
  json.key("resident_bytes").integer(static_cast<std::int64_t>(self.resident_bytes));
  if (self.proportional_bytes > 0)
    json.key("proportional_bytes").integer(static_cast<std::int64_t>(self.proportional_bytes));
  json.key("scrapes").integer(static_cast<std::int64_t>(self.scrapes));
  json.key("sampler_restarts").integer(static_cast<std::int64_t>(self.sampler_restarts));
  json.key("left_behind").integer(static_cast<std::int64_t>(self.left_behind)).end_object();
}

void write_history(JsonWriter& json, const model::HistoryWriting& history, const catalog::Catalog& catalog) {
  if (!history.wanted) return;
  json.key("history").begin_object().key("up").boolean(history.up);
  json.key("condition").string(history.condition);
  write_reason(json, "why", history.why, catalog);
  json.key("path").string(history.path);
  json.key("file_bytes").integer(static_cast<std::int64_t>(history.file_bytes));
  json.key("queued_bytes").integer(static_cast<std::int64_t>(history.queued_bytes));
  json.key("ticks").integer(static_cast<std::int64_t>(history.ticks));
  json.key("dropped").integer(static_cast<std::int64_t>(history.dropped));
  json.key("lost").integer(static_cast<std::int64_t>(history.lost));
  json.key("restarts").integer(static_cast<std::int64_t>(history.restarts)).end_object();
}

void write_receivers(JsonWriter& json, const std::vector<model::ReceiverState>& receivers) {
  if (receivers.empty()) return;
  json.key("receivers").begin_array();
  for (const model::ReceiverState& one : receivers) {
    json.begin_object().key("name").string(one.name).key("where").string(one.where).key("up").boolean(one.up);
    write_text(json, "why", one.why);
    json.key("delivered").integer(static_cast<std::int64_t>(one.delivered));
    json.key("failed").integer(static_cast<std::int64_t>(one.failed));
    json.key("dropped").integer(static_cast<std::int64_t>(one.dropped));
    json.key("waiting").integer(static_cast<std::int64_t>(one.waiting)).end_object();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

std::vector<std::string> filled(std::vector<std::string> texts,
                                const std::map<std::string, std::string>& params) {
  for (std::string& text : texts) text = fill_in(text, params);
  return texts;
}

void write_health(JsonWriter& json, const NodeState& state, const catalog::Catalog& catalog) {
  const model::HealthState& health = state.health;
  if (health.looked_s > 0) json.key("looked_s").number(health.looked_s);
  write_reason(json, "could_not_look", health.could_not_look, catalog);
  json.key("incidents").begin_array();
  for (const auto* list : {&health.open, &health.ended}) {
    for (const model::LiveIncident& incident : *list) write_incident(json, state, incident, catalog);
  }
  json.end_array();
}

}  // namespace

void write_incident(JsonWriter& json, const NodeState& state, const model::LiveIncident& incident,
                    const catalog::Catalog& catalog) {
  const model::Condition& what = incident.what;
  json.begin_object().key("id").integer(incident.number).key("key").string(model::incident_id(incident));
  json.key("cause").string(what.cause);
  json.key("title").string(what.title);
  json.key("severity").string(severity_text(what.severity, catalog::Language::English));
  json.key("phase").string(incident.phase == model::IncidentPhase::Open     ? "open"
                           : incident.phase == model::IncidentPhase::Fading ? "fading"
                                                                            : "ended");
  json.key("subject").string(what.subject);
  if (const auto gpu = model::gpu_at(state, what.subject)) {
    json.key("gpu").integer(*gpu);
    write_text(json, "uuid", state.gpus.at(*gpu).identity.uuid);
  }
  json.key("start_s").number(incident.first_s).key("last_s").number(incident.last_s);
  if (incident.end_s > 0) {
    json.key("end_s").number(incident.end_s);
    json.key("ended_by").string(ending_text(catalog, incident.ended_by, catalog::Language::English));
    json.key("ended_by_zh").string(ending_text(catalog, incident.ended_by, catalog::Language::Chinese));
  }
  write_texts(json, "evidence", what.evidence);
  if (const catalog::Cause* cause = catalog.cause(what.cause)) {
    json.key("title_zh").string(fill_in(cause->title.zh, what.params));
    write_texts(json, "now", filled(cause->now.en, what.params));
    write_texts(json, "now_zh", filled(cause->now.zh, what.params));
    write_texts(json, "later", filled(cause->later.en, what.params));
    write_texts(json, "later_zh", filled(cause->later.zh, what.params));
  }
  json.end_object();
}

std::string render_node_json(const NodeState& state, const std::vector<catalog::PlannedSeries>& series,
                             const catalog::Catalog& catalog) {
  JsonWriter json(0);
  json.begin_object().key("schema_version").integer(1);
  json.key("time_s").number(state.wall_s);
  json.key("host").string(state.host);
  json.key("simulated").boolean(state.driver.simulated);
  write_text(json, "driver_version", state.driver.driver_version);
  write_reason(json, "no_driver", state.no_driver, catalog);
  if (state.gpus_on_bus >= 0) json.key("gpus_on_bus").integer(state.gpus_on_bus);
  json.key("gpus").begin_array();
  for (const auto& entry : state.gpus) write_gpu(json, state, entry.second, series, catalog);
  json.end_array();
  write_health(json, state, catalog);
  write_survey(json, state);
  write_history(json, state.history, catalog);
  write_receivers(json, state.receivers);
  write_self(json, state);
  json.end_object();
  return json.text();
}

std::string render_metrics_json(const catalog::Metrics& metrics,
                                const std::vector<catalog::PlannedSeries>& series) {
  JsonWriter json(0);
  json.begin_object().key("schema_version").integer(1).key("metrics").begin_array();
  for (const catalog::MetricFamilyRow& family : metrics.families) {
    json.begin_object().key("name").string(family.name).key("type").string(family.type);
    write_text(json, "unit", family.unit);
    json.key("scope").string(family.scope).key("panel").string(family.panel);
    json.key("help").string(family.help).key("help_zh").string(family.help_zh);
    json.key("keys").begin_array();
    for (const catalog::PlannedSeries& one : series) {
      if (one.family == &family) json.string(catalog::short_key(one));
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace gpuwright::report
