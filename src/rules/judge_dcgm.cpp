// DCGM's answers become events. A pass is context: it never clears anything by itself (the health watches see
// only what they were told to watch, a diagnostic skips boards it does not know), but it must be shown where
// another source disagrees.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/gpu_identity.h"
#include "rules/judge_gpu.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::rules {
namespace {

using model::DcgmKind;
using model::DcgmResult;
using model::DcgmVerdict;
using model::Event;
using model::EventLevel;

constexpr const char* kName = "dcgm";

Event result_event(std::string signal, const DcgmResult& result, const GpuDirectory& directory) {
  model::Subject subject;
  if (result.gpu.known()) subject = directory.subject_of_index(result.gpu.value(), result.input);
  Event event = gpu_event(kName, std::move(signal), std::move(subject));
  if (result.gpu.known()) event.params["gpu_index"] = std::to_string(result.gpu.value());
  event.params["test"] = result.subject;
  if (!result.code.empty()) event.params["code"] = result.code;
  if (!result.message.empty()) event.params["message"] = base::printable(result.message, 200);
  event.evidence = result.evidence;
  if (event.evidence.size() > 4) event.evidence.resize(4);
  return event;
}

/// A link that is down on a board without a bridge is no fault, whatever DCGM says.
std::string judged_signal(const DcgmResult& result, const GpuDirectory& directory) {
  std::string signal = result.signal.empty() ? "dcgm.failure" : result.signal;
  if (signal != "dcgm.nvlink_down" || !result.gpu.known()) return signal;
  const NvlinkUse use = nvlink_use(directory.name_of_index(result.gpu.value()),
                                   directory.device_id_of_index(result.gpu.value()));
  return use == NvlinkUse::Bridge || use == NvlinkUse::Never ? "dcgm.nvlink_down_no_bridge" : signal;
}

/// "Detected XID 95 for GPU 0"
std::optional<std::string> xid_of(const std::string& message) {
  const std::string low = base::lower(message);
  const std::size_t at = low.find("detected xid ");
  if (at == std::string::npos) return std::nullopt;
  std::size_t end = at + 13;
  while (end < low.size() && end - at < 19 && low[end] >= '0' && low[end] <= '9') ++end;
  if (end == at + 13) return std::nullopt;
  return low.substr(at + 13, end - at - 13);
}

void judge_result(const DcgmResult& result, const GpuDirectory& directory, std::vector<Event>& out) {
  const bool overall = result.subject == "Overall Health";
  if (result.verdict == DcgmVerdict::Pass && result.kind == DcgmKind::Health && overall) {
    out.push_back(result_event("dcgm.health_ok", result, directory));
    out.back().level = EventLevel::Context;
    return;
  }
  const bool bad = result.verdict == DcgmVerdict::Fail || result.verdict == DcgmVerdict::Warn;
  if (!bad) return;
  Event event = result_event(judged_signal(result, directory), result, directory);
  event.params["verdict"] = result.verdict == DcgmVerdict::Fail ? "fail" : "warn";
  if (event.signal == "dcgm.xid") event.level = EventLevel::Context;
  if (const auto xid = xid_of(result.message)) {
    Event raised = result_event("xid." + *xid, result, directory);
    raised.params["code"] = *xid;
    out.push_back(std::move(raised));
  }
  out.push_back(std::move(event));
}

/// "Overall Health: Failure" is worth an event only when no system below it says why.
bool is_summary_of_others(const DcgmResult& result, const model::Observations& observations) {
  if (result.subject != "Overall Health") return false;
  return std::any_of(observations.dcgm.begin(), observations.dcgm.end(), [&result](const DcgmResult& other) {
    const bool bad = other.verdict == DcgmVerdict::Fail || other.verdict == DcgmVerdict::Warn;
    return &other != &result && other.input == result.input && other.kind == DcgmKind::Health && bad &&
           other.subject != "Overall Health";
  });
}

/// A diagnostic passes when at least one test passed and none failed.
void judge_diagnostics(const model::Observations& observations, const GpuDirectory& directory,
                       std::vector<Event>& out) {
  std::map<std::string, std::pair<const DcgmResult*, bool>> by_input;
  for (const DcgmResult& result : observations.dcgm) {
    if (result.kind != DcgmKind::Diagnostic) continue;
    auto& entry = by_input[result.input];
    if (result.verdict == DcgmVerdict::Pass && entry.first == nullptr) entry.first = &result;
    entry.second = entry.second || result.verdict == DcgmVerdict::Fail || result.verdict == DcgmVerdict::Warn;
  }
  for (const auto& entry : by_input) {
    if (entry.second.first == nullptr || entry.second.second) continue;
    out.push_back(result_event("dcgm.diag_pass", *entry.second.first, directory));
    out.back().level = EventLevel::Context;
  }
}

}  // namespace

std::vector<Event> judge_dcgm(const model::Observations& observations, const catalog::Catalog& /*catalog*/) {
  std::vector<Event> out;
  const GpuDirectory directory(observations);
  for (const DcgmResult& result : observations.dcgm)
    if (!is_summary_of_others(result, observations)) judge_result(result, directory, out);
  judge_diagnostics(observations, directory, out);
  return out;
}

}  // namespace gpuwright::rules
