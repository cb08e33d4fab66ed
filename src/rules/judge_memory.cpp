// Why the memory of a GPU was used up. PyTorch's report tells what was asked, what is free, what live tensors
// hold, what the allocator keeps, and (since 2.1) what the process and others hold beside it. Source: PyTorch
// c10/cuda/CUDACachingAllocator.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_memory.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::rules {

namespace {

using model::Event;
using Params = std::map<std::string, std::string>;

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr double kMuchForAContext = 3 * kGib;  // a CUDA context with all libraries stays below

std::string printable_amount(double bytes) {
  const double mib = kGib / 1024;
  if (bytes >= kGib) return fmt::format("{:.1f} GiB", bytes / kGib);
  return fmt::format("{:.0f} MiB", bytes / mib);
}

/// A report's amounts in bytes; absent ones are nullopt.
struct Amounts {
  std::optional<double> asked, total, free, in_use, others, allocated, unallocated, allowed;

  explicit Amounts(const Params& params) {
    const auto get = [&](const char* name) -> std::optional<double> {
      const auto at = params.find(name);
      return at == params.end() ? std::nullopt : base::parse_double(at->second);
    };
    asked = get("asked");
    total = get("total");
    free = get("free");
    in_use = get("in_use");
    others = get("others");
    allocated = get("allocated");
    unallocated = get("unallocated");
    allowed = get("allowed");
  }

  /// What PyTorch's allocator has taken from the GPU.
  double reserved() const { return allocated.value_or(0) + unallocated.value_or(0); }

  /// What neither this process nor free memory accounts for. Older reports do not tell what the process holds
  /// beside PyTorch (a CUDA context at least), so this is an upper bound there.
  double held_by_others() const {
    if (others) return *others;
    if (!free || !allocated) return 0;
    return std::max(0.0, *total - *free - in_use.value_or(reserved()));
  }
  double held_outside_pytorch() const {
    return in_use && allocated ? std::max(0.0, *in_use - reserved()) : 0.0;
  }

  Params printable_params() const {
    Params params;
    const auto put = [&](const char* name, std::optional<double> bytes) {
      if (bytes) params[name] = printable_amount(*bytes);
    };
    put("asked", asked);
    put("total", total);
    put("free", free);
    put("in_use", in_use);
    put("allocated", allocated);
    put("unallocated", unallocated);
    put("allowed", allowed);
    params["mine"] = printable_amount(reserved());
    params["others"] = printable_amount(held_by_others());
    params["outside"] = printable_amount(held_outside_pytorch());
    return params;
  }
};

std::vector<const char*> verdicts(const Amounts& amounts) {
  std::vector<const char*> result;
  const double total = *amounts.total, asked = *amounts.asked;
  const double free = amounts.free.value_or(0), unallocated = amounts.unallocated.value_or(0);
  if (amounts.reserved() > total * 1.01) result.push_back("oom.spilled");
  if (asked > total) result.push_back("oom.can_never_fit");
  if (!result.empty()) return result;
  if (amounts.allowed && asked <= free && amounts.reserved() + asked > *amounts.allowed)
    return {"oom.own_limit"};
  const bool pieces_would_do =
      unallocated + free >= asked && unallocated >= std::max(0.02 * total, asked / 2);
  if (pieces_would_do) result.push_back("oom.fragmented");
  const bool exact = amounts.others || amounts.in_use;
  const double noticeable = exact ? std::max(0.1 * total, kGib) : std::max(0.15 * total, kGib);
  if (amounts.held_by_others() >= noticeable) result.push_back("oom.other_processes");
  if (amounts.held_outside_pytorch() >= std::max(0.15 * total, kMuchForAContext))
    result.push_back("oom.outside_pytorch");
  if (result.empty()) result.push_back("oom.truly_full");
  return result;
}

}  // namespace

std::vector<Event> judge_memory(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> result;
  for (const Event& report : observations.events) {
    if (report.signal != "oom.torch") continue;
    const Amounts amounts(report.params);
    if (!amounts.asked || !amounts.total || *amounts.total <= 0) continue;
    for (const char* signal : verdicts(amounts)) {
      Event event = report;
      event.signal = signal;
      event.signature = "judge:memory";
      event.params = amounts.printable_params();
      event.seen.clear();
      result.push_back(std::move(event));
    }
  }
  return result;
}

}  // namespace gpuwright::rules
