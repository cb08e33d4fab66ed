// SPDX-License-Identifier: Apache-2.0
#include "report/fleet_json.h"

#include "base/json_writer.h"
#include "report/differences.h"
#include "report/fleet_text.h"
#include "report/wording.h"

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using catalog::Language;
using model::NodeVerdict;

void write_finding(JsonWriter& json, const model::NodeFinding& finding) {
  json.begin_object();
  json.key("cause").string(finding.cause);
  json.key("title").string(finding.title);
  json.key("subject").string(node_subject_text(finding, Language::English));
  json.key("severity").string(severity_text(finding.severity, Language::English));
  json.key("confidence").number(static_cast<double>(finding.sure) / 100);
  json.key("since");
  const std::string since = node_since_text(finding, Language::English);
  since.empty() ? json.null() : json.string(since);
  json.end_object();
}

void write_node(JsonWriter& json, const model::NodeReport& node) {
  json.begin_object();
  json.key("node").string(node.node);
  json.key("verdict").string(node_verdict_text(node.verdict, Language::English));
  json.key("no_answer");
  if (node.no_answer) {
    json.begin_object();
    json.key("kind").string(no_answer_word(*node.no_answer));
    json.key("detail").string(node.detail);
    json.end_object();
  } else {
    json.null();
  }
  json.key("findings").begin_array();
  for (const model::NodeFinding& finding : node.findings) write_finding(json, finding);
  json.end_array();
  json.key("could_not_look").begin_array();
  for (const std::string& reason : node.could_not_look) json.string(reason);
  json.end_array();
  json.key("took_s").number(static_cast<double>(node.took.count()) / 1000);
  json.end_object();
}

}  // namespace

std::string render_fleet_json(const model::FleetReport& fleet, const catalog::Catalog& catalog,
                              Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("verdict").string(fleet_line(fleet, language));
  json.key("counts").begin_object();
  for (const NodeVerdict verdict : {NodeVerdict::Critical, NodeVerdict::Error, NodeVerdict::Unknown,
                                    NodeVerdict::Warning, NodeVerdict::Info, NodeVerdict::Fine}) {
    const auto count = fleet.counts.find(verdict);
    json.key(node_verdict_text(verdict, Language::English))
        .integer(count == fleet.counts.end() ? 0 : count->second);
  }
  json.end_object();
  json.key("nodes").begin_array();
  for (const model::NodeReport& node : fleet.nodes) write_node(json, node);
  json.end_array();
  json.key("compared").begin_array();
  for (const std::string& name : fleet.peers.names) json.string(name);
  json.end_array();
  const catalog::FactGuilt guilt(catalog);
  write_peers(json, fleet.peers, DifferenceWords(guilt, language));
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
