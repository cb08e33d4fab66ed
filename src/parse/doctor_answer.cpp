// SPDX-License-Identifier: Apache-2.0
#include "parse/doctor_answer.h"

#include "base/text.h"
#include "model/severity_word.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gpuwright::parse {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using kit::Node;

constexpr const char* kSchema = "1";
constexpr std::size_t kMaxFindings = 256;
constexpr std::size_t kMaxReasons = 64;
constexpr std::size_t kMaxText = 300;

std::string text_of(const Node& node) {
  return base::printable(node.text(), kMaxText);
}

/// "2024-08-30 11:43:09 UTC", "08-30 11:43:09", or the seconds since boot.
void note_time(const Node& first, model::NodeFinding& finding) {
  const bool dated = !first["utc"].text().empty();
  finding.since = text_of(dated ? first["utc"] : first["of_year"]);
  const auto boot = base::parse_double(first["since_boot_s"].text());
  if (finding.since.empty() && boot && std::isfinite(*boot)) finding.since_boot_s = *boot;
}

Result<model::NodeFinding> read_finding(const Node& node) {
  const auto severity = model::severity_of_word(node["severity"].text());
  const auto sure = base::parse_double(node["confidence"].text());
  if (!severity || node["cause"].text().empty() || !sure || !(*sure >= 0 && *sure <= 1))
    return make_error(ErrorKind::Malformed, "a finding without cause, severity or confidence");
  model::NodeFinding finding;
  finding.cause = text_of(node["cause"]);
  finding.title = text_of(node["title"]);
  if (!node["subject"]["id"].text().empty()) finding.subject = text_of(node["subject"]["text"]);
  finding.severity = *severity;
  finding.sure = std::lround(*sure * 100);
  note_time(node["first"], finding);
  return finding;
}

bool recognised_something(const Node& root) {
  const auto& inputs = root["recognised"].items;
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Node& input) { return !input["formats"].items.empty(); });
}

}  // namespace

Result<model::NodeReport> read_doctor_answer(const Node& root, const std::string& node) {
  const Node& version = root["schema_version"];
  if (!version.is_scalar()) return make_error(ErrorKind::Malformed, "JSON without schema_version");
  if (version.text() != kSchema) {
    return make_error(ErrorKind::Unsupported, fmt::format("answers in schema {}, this gpuwright reads {}",
                                                          text_of(version), kSchema));
  }
  const bool whole = root["findings"].is_sequence() && root["recognised"].is_sequence() &&
                     root["could_not_look"].is_sequence();
  if (!whole) return make_error(ErrorKind::Malformed, "JSON of something else than doctor");
  model::NodeReport report;
  report.node = node;
  for (const Node& item : root["findings"].items) {
    if (report.findings.size() == kMaxFindings) break;
    GPUWRIGHT_TRY(auto finding, read_finding(item));
    report.findings.push_back(std::move(finding));
  }
  for (const Node& reason : root["could_not_look"].items) {
    if (report.could_not_look.size() < kMaxReasons) report.could_not_look.push_back(text_of(reason));
  }
  if (report.findings.empty() && !recognised_something(root)) {
    report.no_answer = model::NoAnswer::NothingKnown;
    report.detail = text_of(root["verdict"]);
  }
  return report;
}

}  // namespace gpuwright::parse
