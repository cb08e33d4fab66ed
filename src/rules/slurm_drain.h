// Whether a node of a Slurm cluster is drained or given back. A drain that is wrong costs as much as a fault
// that is missed, so: only what makes the node unusable drains it, nobody else's drain is touched, and when
// many nodes of a partition are drained something other than their GPUs is likely wrong (a driver, or we),
// and we stop. Pure: node states in, decision out. Source: scontrol(1), node states and NODES -
// SPECIFICATIONS FOR UPDATE COMMAND.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/slurm_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

/// How each reason of ours begins; drains whose reason does not are somebody else's.
inline constexpr std::string_view kDrainMark = "gpuwright:";

/// True when the finding makes its node unusable: as severe as `drain_on` (or named in the list of those that
/// are so whatever their severity), at least 60 % sure, and not the fault of the user's program.
bool makes_unusable(const model::Finding& finding, const catalog::Catalog& catalog,
                    model::Severity drain_on = model::Severity::Critical);

/// True when the finding rests on kernel lines alone, none of them newer than `seen_ns` (since boot). The
/// kernel's log keeps a fault after it was repaired: what was in it while the node was drained is no reason
/// to drain it again.
bool is_old_news(const model::Finding& finding, std::int64_t seen_ns);

struct DrainSituation {
  std::string node;                     ///< ours
  std::vector<model::SlurmNode> nodes;  ///< ours, and those of its partitions
  std::string reason;                   ///< what we would write; empty: nothing makes the node unusable
  std::vector<std::string> causes;      ///< ids of all findings, whatever their severity
  bool all_old_news = false;            ///< of the findings behind `reason`
  bool saw_all = false;                 ///< NVML answered and the kernel log was read
  bool log_may_have_forgotten = false;  ///< a fault that only the kernel log told may be gone from it
};

enum class DrainVerdict {
  NodeUnknown,      ///< Slurm has no such node
  NothingToDo,      ///< no reason to drain, no drain of ours
  Drain,            ///< drain it
  DrainedByUs,      ///< it is drained already, with a reason of ours
  DrainedByOthers,  ///< it is drained already, by somebody else: left alone
  OldNews,          ///< it was drained for this before, and somebody resumed it
  TooMany,          ///< as many nodes of a partition are drained as may be
  Undrain,          ///< resume it
  CauseRemains,     ///< our drain, and its cause is still there
  CannotTell,       ///< our drain, but not all was seen that would show its cause
  DownToo,          ///< our drain, but the node is down as well: resuming it would hide that
};

struct DrainDecision {
  DrainVerdict verdict = DrainVerdict::NothingToDo;
  std::string partition;     ///< of TooMany
  std::int64_t drained = 0;  ///< nodes of that partition, whoever drained them
  std::int64_t total = 0;
  std::int64_t allowed = 0;
};

/// How many nodes of a partition may be drained: at least one.
std::int64_t most_drained(std::int64_t total, double percent);

/// Whether to drain our node now. With the node's own state alone in `nodes` partitions are not counted.
DrainDecision decide_drain(const DrainSituation& situation, double most_percent);

/// A while after we drained our node: many nodes may have done so at the same moment, each seeing none before
/// it. All look again and reach the same answer: ours with the latest drains take them back. Undrain,
/// DrainedByUs (it stays), or who has taken it over.
DrainDecision decide_to_keep(const DrainSituation& situation, double most_percent);

/// Whether to resume our node.
DrainDecision decide_undrain(const DrainSituation& situation);

}  // namespace gpuwright::rules
