// SPDX-License-Identifier: Apache-2.0
#include "report/doctor_json.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "report/checks_text.h"
#include "report/differences.h"
#include "report/doctor_text.h"
#include "report/facts_json.h"
#include "report/layout.h"
#include "report/wording.h"

namespace gpuwright::report {

namespace {

using base::JsonWriter;
using catalog::Cause;
using catalog::Language;
using model::Finding;

void write_time(JsonWriter& json, const char* key, const model::EventTime& time) {
  json.key(key);
  if (!time.since_boot_ns && !time.wall_ns && !time.of_year_ns) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("since_boot_s");
  time.since_boot_ns ? json.number(static_cast<double>(*time.since_boot_ns) / 1e9) : json.null();
  json.key("utc");
  time.wall_ns ? json.string(time_text(time, Language::English)) : json.null();
  json.key("of_year");
  time.of_year_ns ? json.string(of_year_text(time)) : json.null();
  json.end_object();
}

void write_subject(JsonWriter& json, const model::Subject& subject) {
  json.begin_object();
  json.key("text").string(subject_text(subject, Language::English));
  json.key("id").string(subject.id);
  json.key("link");
  subject.link ? json.integer(*subject.link) : json.null();
  json.key("host").string(subject.host);
  json.end_object();
}

void write_evidence(JsonWriter& json, const char* key, const std::vector<model::Evidence>& list) {
  json.key(key).begin_array();
  for (const model::Evidence& line : list) {
    json.begin_object();
    json.key("where").string(evidence_where(line));
    json.key("text").string(line.text);
    json.end_object();
  }
  json.end_array();
}

void write_steps(JsonWriter& json, const char* key, const std::vector<std::string>& steps,
                 const Finding& finding) {
  json.key(key).begin_array();
  for (const std::string& step : steps) json.string(fill_in(step, finding.params));
  json.end_array();
}

void write_strings(JsonWriter& json, const char* key, const std::vector<std::string>& list) {
  json.key(key).begin_array();
  for (const std::string& text : list) json.string(text);
  json.end_array();
}

void write_explained(JsonWriter& json, const Finding& finding) {
  json.key("explains").begin_array();
  for (const model::Explained& follower : finding.explains) {
    json.begin_object();
    json.key("signal").string(follower.signal);
    json.key("subject");
    write_subject(json, follower.subject);
    json.key("count").integer(follower.count);
    write_time(json, "first", follower.first);
    write_evidence(json, "evidence", follower.evidence);
    json.end_object();
  }
  json.end_array();
}

void write_finding(JsonWriter& json, const Finding& finding, const Cause& cause, Language language) {
  json.begin_object();
  json.key("cause").string(finding.cause);
  json.key("title").string(fill_in(cause.title.in(language), finding.params));
  json.key("subject");
  write_subject(json, finding.subject);
  json.key("also").begin_array();
  for (const model::Subject& subject : finding.also) write_subject(json, subject);
  json.end_array();
  json.key("fault_in").string(cause.at);
  json.key("severity").string(severity_text(finding.severity, Language::English));
  json.key("confidence").number(static_cast<double>(finding.sure) / 100);
  json.key("who").string(cause.who);
  json.key("action").begin_object();
  json.key("now").string(cause.action_now);
  json.key("later").string(cause.action_later);
  json.end_object();
  json.key("why").string(fill_in(cause.why.in(language), finding.params));
  json.key("count").integer(finding.count);
  write_time(json, "first", finding.first);
  write_time(json, "last", finding.last);
  write_strings(json, "signals", finding.signals);
  json.key("parameters").begin_object();
  for (const auto& entry : finding.params) json.key(entry.first).string(entry.second);
  json.end_object();
  write_evidence(json, "evidence", finding.evidence);
  write_explained(json, finding);
  write_evidence(json, "contradicted", finding.contradicted);
  write_strings(json, "rivals", finding.rivals);
  write_steps(json, "now", cause.now.in(language), finding);
  write_steps(json, "later", cause.later.in(language), finding);
  write_steps(json, "decide", cause.decide.in(language), finding);
  write_strings(json, "sources", cause.sources);
  json.end_object();
}

void write_findings(JsonWriter& json, const char* key, const std::vector<Finding>& findings,
                    const catalog::Catalog& catalog, Language language) {
  json.key(key).begin_array();
  for (const Finding& finding : findings) {
    const Cause* cause = catalog.cause(finding.cause);
    if (cause != nullptr) write_finding(json, finding, *cause, language);
  }
  json.end_array();
}

void write_inputs(JsonWriter& json, const std::vector<model::RecognisedInput>& inputs) {
  json.key("recognised").begin_array();
  for (const model::RecognisedInput& input : inputs) {
    json.begin_object();
    json.key("input").string(input.input);
    json.key("formats").begin_array();
    for (const std::string& id : input.formats) json.string(id);
    json.end_array();
    json.key("lines").integer(input.lines);
    json.key("size_bytes").integer(input.bytes);
    json.key("events").integer(input.events);
    json.key("dropped_events").integer(input.dropped);
    json.key("note").string(input.note);
    json.end_object();
  }
  json.end_array();
}

void write_checks(JsonWriter& json, const std::vector<model::Verdict>& checks) {
  json.key("checks").begin_array();
  for (const model::Verdict& verdict : checks) {
    json.begin_object();
    json.key("id").string(verdict.check);
    json.key("outcome").string(base::replace_all(outcome_text(verdict.outcome, Language::English), " ", "_"));
    json.key("signals").begin_array();
    for (const model::Event& event : verdict.events) json.string(event.signal);
    json.end_array();
    json.key("missing").begin_array();
    for (const model::MissingFact& missing : verdict.missing) json.string(missing_text(missing));
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_spec(JsonWriter& json, const model::SpecSummary& spec) {
  json.key("spec").begin_object();
  json.key("file").string(spec.file);
  json.key("met").integer(spec.met);
  json.key("differ").integer(spec.differ);
  json.key("unknown").integer(spec.unknown);
  json.key("not_applicable").integer(spec.not_applicable);
  json.key("settings").integer(spec.settings);
  json.end_object();
}

void write_left_behind(JsonWriter& json, const std::vector<model::LeftBehind>& processes) {
  json.key("left_behind").begin_array();
  for (const model::LeftBehind& process : processes) {
    json.begin_object();
    json.key("what").string(process.what);
    json.key("pci");
    process.pci.empty() ? json.null() : json.string(process.pci);
    json.key("pid").integer(process.pid);
    json.key("since").string(wall_time_text(process.since_ms * 1'000'000));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_doctor_json(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                               Language language, const model::FactNode* facts) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("verdict").string(verdict_line(diagnosis, catalog, language));
  write_findings(json, "findings", diagnosis.findings, catalog, language);
  write_findings(json, "harmless", diagnosis.harmless, catalog, language);
  write_inputs(json, diagnosis.inputs);
  write_checks(json, diagnosis.checks);
  write_strings(json, "could_not_look", diagnosis.could_not_look);
  if (diagnosis.spec) write_spec(json, *diagnosis.spec);
  write_left_behind(json, diagnosis.left_behind);
  if (diagnosis.changes) {
    const catalog::FactGuilt guilt(catalog);
    json.key("changes");
    write_changes(json, *diagnosis.changes, DifferenceWords(guilt, language));
  }
  if (facts != nullptr) write_facts(json, *facts);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
