// "found version 11040" is the driver's CUDA version as cuDriverGetVersion counts it: 1000 * major + 10 *
// minor. A build runs on a GPU when it holds machine code for it (same major generation, minor not above) or
// PTX of an older one. Source: CUDA Driver API, cuDriverGetVersion; CUDA compatibility guide.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_cuda.h"

#include "base/text.h"

#include <fmt/core.h>

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

std::optional<std::string> cuda_of_number(const std::string& number) {
  const std::optional<std::int64_t> value = base::parse_int(number);
  if (!value || *value < 2000 || *value > 99999) return std::nullopt;
  return fmt::format("{}.{}", *value / 1000, *value % 1000 / 10);
}

/// What the driver supports, as nvidia-smi tells it.
std::optional<std::string> cuda_of_reports(const model::Observations& observations) {
  for (const model::GpuReport& gpu : observations.gpus) {
    if (gpu.cuda.known()) return gpu.cuda.value();
  }
  return std::nullopt;
}

Event derived(const Event& from, const char* signal) {
  Event event = from;
  event.signal = signal;
  event.signature = "judge:cuda";
  event.level = model::EventLevel::Alarm;
  event.params.clear();
  event.seen.clear();
  return event;
}

void judge_driver(const model::Observations& observations, std::vector<Event>& result) {
  for (const Event& event : observations.events) {
    if (event.signal != "cuda.driver_too_old") continue;
    std::optional<std::string> supported = cuda_of_number(param(event, "found"));
    if (!supported) supported = cuda_of_reports(observations);
    if (!supported) continue;
    Event verdict = derived(event, "cuda.driver_below_build");
    verdict.params["supported"] = *supported;
    result.push_back(std::move(verdict));
    return;
  }
}

/// "sm_90a" or "compute_120" as 90 or 120.
std::optional<std::int64_t> generation(std::string_view arch, std::string_view prefix) {
  if (arch.substr(0, prefix.size()) != prefix) return std::nullopt;
  arch.remove_prefix(prefix.size());
  while (!arch.empty() && (arch.back() < '0' || arch.back() > '9')) arch.remove_suffix(1);
  return base::parse_int(arch);
}

bool runs_on(const std::string& archs, std::int64_t sm) {
  for (const std::string_view arch : base::words(archs)) {
    const std::optional<std::int64_t> code = generation(arch, "sm_");
    const std::optional<std::int64_t> ptx = generation(arch, "compute_");
    if (code && *code / 10 == sm / 10 && *code <= sm) return true;
    if (ptx && *ptx <= sm) return true;
  }
  return false;
}

void judge_arch(const model::Observations& observations, std::vector<Event>& result) {
  const auto list = std::find_if(observations.events.begin(), observations.events.end(),
                                 [](const Event& event) { return event.signal == "cuda.build_arch_list"; });
  if (list == observations.events.end()) return;
  const std::string archs = param(*list, "archs");
  for (const Event& event : observations.events) {
    if (event.signal != "cuda.arch_not_in_build") continue;
    const std::optional<std::int64_t> sm = base::parse_int(param(event, "sm"));
    if (!sm || archs.empty() || runs_on(archs, *sm)) continue;
    Event verdict = derived(event, "cuda.arch_missing");
    verdict.params["sm"] = "sm_" + param(event, "sm");
    verdict.params["archs"] = archs;
    verdict.evidence.insert(verdict.evidence.end(), list->evidence.begin(), list->evidence.end());
    if (verdict.evidence.size() > 4) verdict.evidence.resize(4);
    result.push_back(std::move(verdict));
  }
}

/// A GPU that takes one process, or none, by its own setting.
const model::GpuReport* exclusive_gpu(const model::Observations& observations) {
  const auto gpu =
      std::find_if(observations.gpus.begin(), observations.gpus.end(), [](const model::GpuReport& report) {
        if (!report.compute_mode.known()) return false;
        const std::string mode = base::lower(report.compute_mode.value());
        return mode.rfind("exclusive", 0) == 0 || mode.rfind("e. process", 0) == 0 || mode == "prohibited";
      });
  return gpu == observations.gpus.end() ? nullptr : &*gpu;
}

/// "Busy" has its own reason where the compute mode forbids company, whatever else the GPU waits for.
void judge_exclusive(const model::Observations& observations, std::vector<Event>& result) {
  const model::GpuReport* gpu = exclusive_gpu(observations);
  if (gpu == nullptr) return;
  for (const Event& event : observations.events) {
    if (event.signal != "cuda.devices_busy") continue;
    result.push_back(derived(event, "cuda.devices_exclusive"));
    result.back().params["compute_mode"] = gpu->compute_mode.value();
    return;
  }
}

}  // namespace

std::vector<Event> judge_cuda(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> result;
  judge_driver(observations, result);
  judge_arch(observations, result);
  judge_exclusive(observations, result);
  return result;
}

}  // namespace gpuwright::rules
