// NCCL's ranks write into one log, interleaved, and the loud lines come last. Facts of single lines (a
// transport, a card without GPUDirect, a failed work request) become verdicts only together. A work request
// that fails with status 5 was flushed because its queue pair had failed before; the first other status is
// the reason. Source: NCCL src/transport/net_ib; InfiniBand specification, work completion status.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_nccl.h"

#include "base/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gpuwright::rules {

namespace {

using model::Event;
using model::EventLevel;

constexpr std::size_t kMaxEvidence = 4;
constexpr std::size_t kMaxNamedRanks = 16;
constexpr const char* kFlushed = "5";

std::string param(const Event& event, const char* name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

Event derived(const Event& from, const char* signal) {
  Event event = from;
  event.signal = signal;
  event.signature = "judge:nccl";
  event.level = EventLevel::Alarm;
  event.seen.clear();
  return event;
}

std::vector<const Event*> events_of(const model::Observations& observations, const std::string& signal) {
  std::vector<const Event*> result;
  for (const Event& event : observations.events) {
    if (event.signal == signal) result.push_back(&event);
  }
  return result;
}

/// True when the log says that the job runs on one node only.
bool single_node(const model::Observations& observations) {
  bool any = false;
  for (const Event* ranks : events_of(observations, "nccl.ranks")) {
    const std::string nodes = param(*ranks, "nnodes");
    if (!nodes.empty() && nodes != "1") return false;
    any = any || nodes == "1";
  }
  return any;
}

void judge_gpudirect(const model::Observations& observations, std::vector<Event>& result) {
  const std::vector<const Event*> disabled = events_of(observations, "nccl.gdr_disabled_hca");
  const bool works = !events_of(observations, "nccl.gdr_enabled_hca").empty() ||
                     !events_of(observations, "nccl.channel_gdrdma").empty();
  if (disabled.empty() || works || single_node(observations)) return;
  std::set<std::string> cards;
  Event verdict = derived(*disabled.front(), "nccl.gdr_disabled");
  verdict.evidence.clear();
  for (const Event* event : disabled) {
    cards.insert(param(*event, "hca"));
    if (verdict.evidence.size() < kMaxEvidence && !event->evidence.empty())
      verdict.evidence.push_back(event->evidence.front());
  }
  verdict.params = {{"hcas", base::join({cards.begin(), cards.end()}, ", ")}};
  result.push_back(std::move(verdict));
}

void judge_sockets(const model::Observations& observations, std::vector<Event>& result) {
  const std::vector<const Event*> channels = events_of(observations, "nccl.channel_socket");
  if (channels.empty() || single_node(observations)) return;
  Event verdict = derived(*channels.front(), "nccl.inter_node_socket");
  for (const Event* event : events_of(observations, "nccl.no_ib_device")) {
    if (verdict.evidence.size() < kMaxEvidence && !event->evidence.empty())
      verdict.evidence.push_back(event->evidence.front());
  }
  result.push_back(std::move(verdict));
}

std::int64_t first_line(const Event& event) {
  return event.evidence.empty() ? 0 : event.evidence.front().line;
}

void judge_completions(const model::Observations& observations, std::vector<Event>& result) {
  std::map<std::string, const Event*> first_error, flushed;
  for (const Event* event : events_of(observations, "nccl.ib_completion")) {
    if (event->evidence.empty() || param(*event, "status") == "0") continue;
    auto& kind = param(*event, "status") == kFlushed ? flushed : first_error;
    const Event*& best = kind[event->evidence.front().input];
    if (best == nullptr || first_line(*event) < first_line(*best)) best = event;
  }
  for (const auto& entry : first_error) result.push_back(derived(*entry.second, "nccl.first_ib_error"));
  for (const auto& entry : flushed) {
    if (first_error.empty()) result.push_back(derived(*entry.second, "nccl.symptom.ib_flushed"));
  }
}

void judge_memlock(const model::Observations& observations, std::vector<Event>& result) {
  const std::vector<const Event*> failures = events_of(observations, "nccl.memlock");
  if (failures.empty()) return;
  for (const Event* limit : events_of(observations, "nccl.memlock_limit")) {
    if (!base::parse_int(param(*limit, "limit"))) continue;  // "unlimited"
    Event verdict = derived(*failures.front(), "nccl.memlock_too_small");
    verdict.params["limit"] = param(*limit, "limit");
    if (!limit->evidence.empty()) verdict.evidence.push_back(limit->evidence.front());
    if (verdict.evidence.size() > kMaxEvidence) verdict.evidence.resize(kMaxEvidence);
    result.push_back(std::move(verdict));
    return;
  }
}

/// Ranks that say they wait, and how many there are in all (0: unknown).
struct Waiters {
  std::set<std::int64_t> ranks;
  std::int64_t world = 0;
};

Waiters waiters_of(const model::Observations& observations) {
  Waiters waiters;
  for (const char* signal : {"torch.symptom.watchdog_timeout", "torch.watchdog_state"}) {
    for (const Event* event : events_of(observations, signal)) {
      const auto rank = base::parse_int(param(*event, "rank"));
      if (rank && *rank >= 0 && *rank < 1'000'000) waiters.ranks.insert(*rank);
    }
  }
  for (const Event* event : events_of(observations, "nccl.ranks"))
    waiters.world = std::max(waiters.world, base::parse_int(param(*event, "nranks")).value_or(0));
  return waiters;
}

/// The ranks below the world's size that do not wait. Without a known size the highest waiter bounds it, and
/// a small sample of waiters tells nothing.
std::vector<std::string> missing_ranks(const Waiters& waiters) {
  if (waiters.ranks.size() < 2) return {};
  const std::int64_t highest = *waiters.ranks.rbegin() + 1;
  const std::int64_t world = std::max(waiters.world, highest);
  const auto waiting = static_cast<std::int64_t>(waiters.ranks.size());
  const std::int64_t missing = world - waiting;
  const bool few =
      missing > 0 && missing * 4 <= world && missing <= static_cast<std::int64_t>(kMaxNamedRanks);
  if (!few || (waiters.world < highest && waiting < 3)) return {};
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < world; ++rank) {
    if (waiters.ranks.count(rank) == 0) names.push_back(std::to_string(rank));
  }
  return names;
}

}  // namespace

std::vector<Event> judge_nccl(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> result;
  judge_gpudirect(observations, result);
  judge_sockets(observations, result);
  judge_completions(observations, result);
  judge_memlock(observations, result);
  return result;
}

std::vector<Event> judge_ranks(const model::Observations& observations, const catalog::Catalog&) {
  const std::vector<const Event*> timeouts = events_of(observations, "torch.symptom.watchdog_timeout");
  if (timeouts.empty()) return {};
  const Waiters waiters = waiters_of(observations);
  const std::vector<std::string> missing = missing_ranks(waiters);
  Event verdict = derived(*timeouts.front(),
                          missing.empty() ? "torch.symptom.all_ranks_waiting" : "torch.symptom.rank_missing");
  verdict.evidence.clear();
  for (const Event* event : timeouts) {
    if (verdict.evidence.size() < kMaxEvidence && !event->evidence.empty())
      verdict.evidence.push_back(event->evidence.front());
  }
  verdict.params.erase("rank");
  if (!missing.empty()) verdict.params["ranks"] = base::join(missing, ", ");
  return {std::move(verdict)};
}

}  // namespace gpuwright::rules
