// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/node_problem.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gpuwright::report {

namespace {

using model::Finding;

/// Where a cause lies, and the condition that it raises. Faults of programs, containers and settings are no
/// faults of the node.
struct Place {
  std::string_view at;
  std::string_view type;
};
constexpr std::array<Place, 14> kPlaces = {{{"gpu", "GpuUnhealthy"},
                                            {"memory", "GpuUnhealthy"},
                                            {"pcie", "GpuUnhealthy"},
                                            {"link", "GpuFabricUnhealthy"},
                                            {"peer", "GpuFabricUnhealthy"},
                                            {"cable", "GpuFabricUnhealthy"},
                                            {"switch", "GpuFabricUnhealthy"},
                                            {"driver", "GpuDriverUnhealthy"},
                                            {"firmware", "GpuDriverUnhealthy"},
                                            {"host", "GpuHostUnhealthy"},
                                            {"host-power", "GpuHostUnhealthy"},
                                            {"cooling", "GpuHostUnhealthy"},
                                            {"network", "GpuHostUnhealthy"},
                                            {"storage", "GpuHostUnhealthy"}}};
constexpr std::array<const char*, 4> kTypes = {"GpuUnhealthy", "GpuFabricUnhealthy", "GpuDriverUnhealthy",
                                               "GpuHostUnhealthy"};

std::string_view type_of(const Finding& finding, const catalog::Catalog& catalog) {
  const catalog::Cause* cause = catalog.cause(finding.cause);
  if (cause == nullptr || cause->who == "user") return {};
  // Memory of the host is no GPU's.
  if (cause->at == "memory" && finding.subject.kind != model::SubjectKind::Gpu) return "GpuHostUnhealthy";
  for (const Place& place : kPlaces) {
    if (cause->at == place.at) return place.type;
  }
  return {};
}

/// "gpu-lost-from-bus" as "GpuLostFromBus".
std::string camel_case(std::string_view id) {
  std::string word;
  bool upper = true;
  for (const char character : id) {
    const bool letter = std::isalnum(static_cast<unsigned char>(character)) != 0;
    if (letter)
      word += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(character))) : character;
    upper = !letter;
  }
  return word;
}

std::string message_of(const Finding& finding, std::size_t others, const catalog::Catalog& catalog) {
  const catalog::Cause* cause = catalog.cause(finding.cause);
  const std::string title = cause == nullptr ? finding.cause : fill_in(cause->title.en, finding.params);
  const std::string more = others == 0 ? "" : fmt::format("; and {} more", others);
  return base::printable(
      fmt::format("{}: {} ({}, {} % sure){}", subject_text(finding.subject, catalog::Language::English),
                  title, severity_text(finding.severity, catalog::Language::English), finding.sure, more),
      300);
}

const char* status_word(ConditionStatus status) {
  if (status == ConditionStatus::Unknown) return "Unknown";
  return status == ConditionStatus::True ? "True" : "False";
}

}  // namespace

std::vector<std::string> condition_types() {
  return {kTypes.begin(), kTypes.end()};
}

std::vector<NodeCondition> node_conditions(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                                           model::Severity least, const std::string& not_seen) {
  std::vector<NodeCondition> conditions;
  for (const char* type : kTypes) {
    std::vector<const Finding*> findings;
    for (const Finding& finding : diagnosis.findings) {
      if (finding.severity >= least && type_of(finding, catalog) == type) findings.push_back(&finding);
    }
    NodeCondition condition;
    condition.type = type;
    if (!findings.empty()) {
      condition.status = ConditionStatus::True;
      condition.reason = camel_case(findings.front()->cause);
      condition.message = message_of(*findings.front(), findings.size() - 1, catalog);
    } else if (!not_seen.empty()) {
      condition.status = ConditionStatus::Unknown;
      condition.reason = "NotSeen";
      condition.message = base::printable("cannot tell: " + not_seen, 300);
    } else {
      condition.status = ConditionStatus::False;
      condition.reason = "NoProblemFound";
      condition.message = "no problem found in what was looked at";
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::string render_conditions_json(const std::vector<NodeCondition>& conditions) {
  base::JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("conditions").begin_array();
  for (const NodeCondition& condition : conditions) {
    json.begin_object();
    json.key("type").string(condition.type);
    json.key("status").string(status_word(condition.status));
    json.key("reason").string(condition.reason);
    json.key("message").string(condition.message);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text() + "\n";
}

PluginAnswer plugin_answer(const std::vector<NodeCondition>& conditions, const std::string& type) {
  const auto first = [&](ConditionStatus status) {
    const auto found =
        std::find_if(conditions.begin(), conditions.end(), [&](const NodeCondition& condition) {
          return condition.status == status && (type.empty() || condition.type == type);
        });
    return found == conditions.end() ? nullptr : &*found;
  };
  if (const NodeCondition* wrong = first(ConditionStatus::True)) return {1, wrong->message};
  if (const NodeCondition* unknown = first(ConditionStatus::Unknown)) return {2, unknown->message};
  const NodeCondition* fine = first(ConditionStatus::False);
  return fine == nullptr ? PluginAnswer{} : PluginAnswer{0, fine->message};
}

}  // namespace gpuwright::report
