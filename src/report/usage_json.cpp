// See report/usage.h.
// SPDX-License-Identifier: Apache-2.0
#include "base/day.h"
#include "base/json_writer.h"
#include "report/usage.h"

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using model::FleetUsage;

constexpr double kSecondsPerHour = 3600;

void text_or_null(JsonWriter& json, const std::string& text) {
  text.empty() ? json.null() : json.string(text);
}

void money(JsonWriter& json, const char* key, double value, bool known) {
  json.key(key);
  known ? json.number(value) : json.null();
}

void write_classes(JsonWriter& json, const FleetUsage& usage, const catalog::Catalog& catalog) {
  const bool priced = usage.ledger.priced_gpus > 0;
  json.key("classes").begin_array();
  for (std::size_t i = 0; i < model::kUsageClasses; ++i) {
    const catalog::UsageClassRow& row = catalog.fleet().classes[i];
    const model::GpuTime& time = usage.ledger.classes[i];
    json.begin_object().key("class").string(row.id).key("counts").string(row.counts);
    json.key("meaning").string(class_meaning(catalog, row, catalog::Language::English));
    json.key("source").string(row.source);
    json.key("gpu_seconds").integer(time.seconds);
    json.key("gpu_hours").number(static_cast<double>(time.seconds) / kSecondsPerHour);
    json.key("lost_gpu_hours").number(time.lost_seconds / kSecondsPerHour);
    money(json, "cost_usd", time.cost, priced);
    money(json, "lost_usd", time.lost_cost, priced);
    json.end_object();
  }
  json.end_array();
  json.key("sick_gpu_seconds").begin_object();
  for (std::size_t i = 1; i < model::kSickReasons; ++i)
    json.key(sick_word(static_cast<model::SickReason>(i))).integer(usage.ledger.sick_seconds[i]);
  json.end_object();
}

void write_holders(JsonWriter& json, const FleetUsage& usage) {
  const bool priced = usage.ledger.priced_gpus > 0;
  json.key("holders").begin_array();
  for (const model::HolderUsage& one : usage.ledger.holders) {
    json.begin_object().key("holder");
    text_or_null(json, usage.holders[one.holder].name);
    json.key("user");
    text_or_null(json, usage.holders[one.holder].user);
    json.key("gpu_seconds").number(one.all());
    const char* sums[] = {"used_gpu_seconds", "throttled_gpu_seconds", "idle_gpu_seconds"};
    for (std::size_t i = 0; i < one.seconds.size(); ++i) json.key(sums[i]).number(one.seconds[i]);
    json.key("lost_gpu_seconds").number(one.lost_seconds);
    money(json, "cost_usd", one.cost, priced);
    money(json, "lost_usd", one.lost_cost, priced);
    json.end_object();
  }
  json.end_array();
}

void write_gpus(JsonWriter& json, const FleetUsage& usage) {
  json.key("gpus").begin_array();
  for (const model::GpuUsage& one : usage.ledger.gpus) {
    const model::FleetGpu& gpu = usage.gpus[one.gpu];
    json.begin_object().key("uuid").string(gpu.uuid);
    json.key("node").string(node_name(usage.nodes[one.node])).key("gpu").string(gpu.index);
    json.key("name");
    text_or_null(json, gpu.name);
    json.key("usd_per_hour");
    gpu.price_per_hour ? json.number(*gpu.price_per_hour) : json.null();
    json.key("state").string(!one.known_now                            ? "unknown"
                             : one.sick_now == model::SickReason::None ? "well"
                                                                       : sick_word(one.sick_now));
    json.key("state_for_s").integer(one.same_for);
    json.key("gpu_seconds").begin_object();
    for (std::size_t i = 0; i < model::kUsageClasses; ++i)
      json.key(catalog::usage_class_ids()[i]).integer(one.seconds[i]);
    json.end_object().end_object();
  }
  json.end_array();
}

void write_problems(JsonWriter& json, const FleetUsage& usage) {
  json.key("incidents").begin_array();
  for (const model::FleetIncident& one : usage.incidents) {
    json.begin_object().key("node").string(node_name(one.node)).key("gpu");
    text_or_null(json, one.gpu);
    json.key("severity").string(one.severity).key("cause").string(one.cause);
    json.key("subject").string(one.subject);
    json.key("since").string(base::second_text(static_cast<std::int64_t>(one.since))).end_object();
  }
  json.end_array().key("xids").begin_array();
  for (const model::FleetXids& one : usage.xids) {
    json.begin_object().key("node").string(node_name(one.node)).key("gpu").string(one.gpu);
    json.key("xid").string(one.xid).key("count").number(one.count).end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_usage_json(const FleetUsage& usage, const catalog::Catalog& catalog) {
  const SickCounts sick = count_sick(usage);
  JsonWriter json;
  json.begin_object().key("schema_version").integer(1);
  json.key("verdict").string(usage_line(usage, catalog::Language::English));
  json.key("prometheus").string(usage.prometheus);
  json.key("begin").string(base::second_text(usage.begin)).key("end").string(base::second_text(usage.end));
  json.key("step_s").integer(usage.ledger.step);
  json.key("nodes").integer(sick.nodes).key("silent_nodes").integer(sick.silent_nodes);
  json.key("sick_gpus").integer(sick.sick_gpus);
  json.key("total_gpu_seconds").integer(usage.ledger.total_seconds());
  json.key("prices").string(usage.own_price            ? "one for all"
                            : usage.price_file.empty() ? "estimate: list prices on demand"
                                                       : usage.price_file);
  json.key("gpus_without_price")
      .integer(static_cast<std::int64_t>(usage.ledger.gpus.size()) - usage.ledger.priced_gpus);
  json.key("holders_known").boolean(usage.holders_known);
  json.key("waiting_known").boolean(usage.waiting_known);
  json.key("highest_clock_unknown").boolean(usage.ledger.clock_unknown);
  write_classes(json, usage, catalog);
  write_holders(json, usage);
  write_gpus(json, usage);
  write_problems(json, usage);
  json.key("warnings").begin_array();
  for (const std::string& warning : usage.warnings) json.string(warning);
  json.end_array().end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
