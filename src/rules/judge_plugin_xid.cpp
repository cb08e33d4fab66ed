// The Kubernetes device plugin hears of an Xid from NVML and repeats its number with the GPU's UUID. Where
// the kernel log is at hand it tells more and nothing is added; without it the number is the diagnosis.
// Source: k8s-device-plugin, internal/rm/health.go.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_plugin_xid.h"

#include "base/text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::rules {

namespace {

using model::Event;

std::string param(const Event& event, const char* name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

}  // namespace

std::vector<Event> judge_plugin_xid(const model::Observations& observations,
                                    const catalog::Catalog& catalog) {
  std::vector<Event> result;
  for (const Event& told : observations.events) {
    if (told.signal != "k8s.device_unhealthy") continue;
    const std::string uuid = param(told, "uuid");
    const std::optional<std::int64_t> code = base::parse_int(param(told, "code"));
    const catalog::XidRow* row = code ? catalog.xid(*code) : nullptr;
    if (row == nullptr) continue;
    const std::string signal = "xid." + std::to_string(*code);
    const bool in_kernel_log = std::any_of(observations.events.begin(), observations.events.end(),
                                           [&](const Event& event) { return event.signal == signal; });
    if (in_kernel_log) continue;
    Event event = told;
    event.signal = signal;
    event.signature = "judge:plugin-xid";
    event.subject.kind = model::SubjectKind::Gpu;
    event.subject.id = uuid;
    event.seen.clear();
    event.params = {{"code", std::to_string(*code)}, {"mnemonic", row->mnemonic},
                    {"action", row->action},         {"severity", row->severity},
                    {"meaning", row->meaning.en},    {"meaning_zh", row->meaning.zh}};
    if (!uuid.empty()) event.params["gpu"] = event.params["bus_id"] = uuid;
    result.push_back(std::move(event));
  }
  return result;
}

}  // namespace gpuwright::rules
