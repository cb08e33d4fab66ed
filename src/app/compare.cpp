// SPDX-License-Identifier: Apache-2.0
#include "app/compare.h"

#include "app/looking.h"
#include "base/files.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "catalog/fact_guilt.h"
#include "facts/collector.h"
#include "host/inputs.h"
#include "model/fact_tree.h"
#include "parse/facts_answer.h"
#include "report/differences.h"
#include "report/layout.h"
#include "rules/changes.h"
#include "rules/peers.h"

#include <fmt/core.h>

#include <array>
#include <memory>
#include <utility>

namespace gpuwright::app {

using base::ErrorKind;
using base::make_error;
using base::Result;
using model::Snapshot;

namespace {

constexpr std::size_t kMaxFactsFile = std::size_t{256} << 20;

/// Whether a regular file begins as JSON does.
bool begins_as_json(const std::string& path) {
  auto fd = base::open_for_reading(path);
  if (!fd) return false;
  base::FileStream stream(std::move(*fd), path);
  std::array<char, 400> head = {};
  const auto got = stream.read(head);
  return got && base::trim(std::string_view(head.data(), *got)).starts_with('{');
}

Result<std::vector<Snapshot>> machines_of(const CompareOptions& options, const catalog::Catalog& catalog,
                                          const Console& console) {
  std::vector<Snapshot> machines;
  ProgressLine progress(console);
  for (const std::string& path : options.paths) {
    progress.show("reading " + path);
    GPUWRIGHT_TRY(Snapshot machine, snapshot_at(path, catalog));
    machines.push_back(std::move(machine));
  }
  if (!machines.empty()) return machines;
  progress.show("reading the machine");
  GPUWRIGHT_TRY(const auto source, open_host(options.sysroot));
  machines.push_back(snapshot_of(facts::collect_machine(*source, catalog),
                                 options.sysroot.empty() ? "this machine" : options.sysroot));
  return machines;
}

/// The machines among each other; where two cannot outvote each other, and of one alone, the GPUs.
std::vector<model::PeerReport> compare_all(const std::vector<Snapshot>& machines,
                                           const catalog::FactGuilt& guilt) {
  std::vector<model::PeerReport> reports;
  if (machines.size() > 1) reports.push_back(rules::compare_peers(machines, guilt));
  if (machines.size() > 2) return reports;
  for (const Snapshot& machine : machines) {
    std::vector<Snapshot> gpus = rules::gpus_of(machine);
    if (gpus.size() < 3) continue;
    for (Snapshot& gpu : gpus) {
      if (machines.size() > 1) gpu.name = machine.name + " " + gpu.name;
    }
    reports.push_back(rules::compare_peers(std::move(gpus), guilt));
  }
  return reports;
}

std::string as_json(const std::vector<model::PeerReport>& reports, const report::DifferenceWords& words) {
  base::JsonWriter json;
  json.begin_object().key("schema_version").integer(1).key("comparisons").begin_array();
  for (const model::PeerReport& peers : reports) {
    json.begin_object();
    json.key("verdict").string(report::peers_line(peers, words));
    json.key("names").begin_array();
    for (const std::string& name : peers.names) json.string(name);
    json.end_array();
    report::write_peers(json, peers, words);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string as_text(const std::vector<model::PeerReport>& reports, const report::DifferenceWords& words,
                    const Console& console) {
  report::Layout layout(console.width, console.color);
  for (const model::PeerReport& peers : reports) {
    if (&peers != &reports.front()) layout.blank();
    report::add_peers(layout, peers, words);
  }
  return layout.text();
}

}  // namespace

Snapshot snapshot_of(const model::Machine& machine, const std::string& name) {
  Snapshot snapshot;
  snapshot.name = name;
  for (model::Fact& fact : model::flatten(machine))
    snapshot.facts[fact.path] = {fact.known, std::move(fact.value), fact.reason};
  return snapshot;
}

Result<Snapshot> snapshot_at(const std::string& path, const catalog::Catalog& catalog) {
  if (begins_as_json(path)) {
    GPUWRIGHT_TRY(const std::string text, base::read_file(path, kMaxFactsFile));
    return parse::read_facts(text, path);
  }
  GPUWRIGHT_TRY(const host::Inputs inputs, host::open_inputs({path}));
  if (inputs.machines.size() != 1) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("holds {} machines; name a bundle, a fixture, a machine's root folder or "
                                  "what gpuwright facts --json wrote",
                                  inputs.machines.size()),
                      path);
  }
  return snapshot_of(facts::collect_machine(*inputs.machines.front(), catalog), path);
}

int compare_machines(const CompareOptions& options, const catalog::Catalog& catalog, const Console& console) {
  const auto machines = machines_of(options, catalog, console);
  if (!machines) return console.usage_error(machines.error());
  const catalog::FactGuilt guilt(catalog);
  const std::vector<model::PeerReport> reports = compare_all(*machines, guilt);
  if (reports.empty()) {
    return console.usage_error(
        make_error(ErrorKind::Malformed,
                   "nothing to compare: name two machines or more, or one with three GPUs or more"));
  }
  const report::DifferenceWords words(guilt, options.language);
  bool odd = false;
  for (const model::PeerReport& peers : reports) odd = odd || !peers.odd.empty();
  if (options.json) {
    console.print(as_json(reports, words));
  } else if (options.quiet) {
    for (const model::PeerReport& peers : reports) console.print(report::peers_line(peers, words) + "\n");
  } else {
    console.print(as_text(reports, words, console));
  }
  return odd ? kFindings : kFine;
}

Result<model::ChangeReport> changes_since(const std::string& since, const model::Machine& now,
                                          const model::Diagnosis& diagnosis,
                                          const catalog::Catalog& catalog) {
  GPUWRIGHT_TRY(const Snapshot before, snapshot_at(since, catalog));
  const model::Finding* first = rules::first_symptom(diagnosis);
  const rules::Symptom symptom = rules::symptom_of(first, catalog);
  model::ChangeReport report;
  report.since = since;
  report.symptom = first == nullptr ? "" : first->cause;
  report.place = symptom.place;
  report.changes = rules::rank_changes(before, snapshot_of(now, "now"), symptom, catalog::FactGuilt(catalog));
  return report;
}

}  // namespace gpuwright::app
