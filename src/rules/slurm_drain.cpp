// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "rules/slurm_drain.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace gpuwright::rules {

namespace {

constexpr std::int64_t kSureEnough = 60;

// Causes whose severity speaks of one command, and which leave a node that no job can use.
constexpr std::array<std::string_view, 1> kUnusableAnyway = {
    "driver-call-stuck",  // calls of the driver do not return: jobs hang at their first
};

/// The parts of "idle*+drain", without the marks behind them ('*' no response, '$' maintenance ...).
std::vector<std::string_view> flags_of(const model::SlurmNode& node) {
  std::vector<std::string_view> flags;
  for (std::string_view flag : base::split(node.state, '+')) {
    const std::size_t end = flag.find_last_not_of("*~#!%$@^-");
    flags.push_back(flag.substr(0, end == std::string_view::npos ? 0 : end + 1));
  }
  return flags;
}

bool has_flag(const model::SlurmNode& node, std::initializer_list<std::string_view> names) {
  const auto flags = flags_of(node);
  return std::any_of(flags.begin(), flags.end(), [&](std::string_view flag) {
    return std::find(names.begin(), names.end(), flag) != names.end();
  });
}

bool is_drained(const model::SlurmNode& node) {
  return has_flag(node, {"drain", "drained", "draining"});
}

bool is_ours(const model::SlurmNode& node) {
  return is_drained(node) && node.reason.starts_with(kDrainMark);
}

const model::SlurmNode* find_node(const DrainSituation& situation) {
  const auto found = std::find_if(situation.nodes.begin(), situation.nodes.end(),
                                  [&](const model::SlurmNode& node) { return node.name == situation.node; });
  return found == situation.nodes.end() ? nullptr : &*found;
}

std::vector<const model::SlurmNode*> members_of(const DrainSituation& situation, const std::string& name) {
  std::vector<const model::SlurmNode*> members;
  for (const model::SlurmNode& node : situation.nodes) {
    if (std::find(node.partitions.begin(), node.partitions.end(), name) != node.partitions.end())
      members.push_back(&node);
  }
  return members;
}

DrainDecision count(const DrainSituation& situation, const std::string& partition, double most_percent) {
  DrainDecision decision;
  decision.partition = partition;
  const auto members = members_of(situation, partition);
  decision.total = static_cast<std::int64_t>(members.size());
  decision.drained = std::count_if(members.begin(), members.end(),
                                   [](const model::SlurmNode* node) { return is_drained(*node); });
  decision.allowed = most_drained(decision.total, most_percent);
  return decision;
}

/// Before which others a node was drained: by time where it is a number, then by name.
auto drain_order(const model::SlurmNode& node) {
  return std::make_tuple(base::parse_int(node.since).value_or(0), node.since, node.name);
}

/// The cause's id in "gpuwright: CAUSE GPU ...".
std::string cause_in(const std::string& reason) {
  const auto words = base::words(std::string_view(reason).substr(kDrainMark.size()));
  return words.empty() ? std::string() : std::string(words.front());
}

DrainDecision only(DrainVerdict verdict) {
  DrainDecision decision;
  decision.verdict = verdict;
  return decision;
}

}  // namespace

bool makes_unusable(const model::Finding& finding, const catalog::Catalog& catalog,
                    model::Severity drain_on) {
  const catalog::Cause* cause = catalog.cause(finding.cause);
  if (finding.sure < kSureEnough || (cause != nullptr && cause->who == "user")) return false;
  const bool anyway =
      std::find(kUnusableAnyway.begin(), kUnusableAnyway.end(), finding.cause) != kUnusableAnyway.end();
  return anyway || finding.severity >= drain_on;
}

bool is_old_news(const model::Finding& finding, std::int64_t seen_ns) {
  const bool log_alone =
      !finding.evidence.empty() &&
      std::all_of(finding.evidence.begin(), finding.evidence.end(),
                  [](const model::Evidence& evidence) { return evidence.input == "kernel log"; });
  return log_alone && finding.last.since_boot_ns && *finding.last.since_boot_ns <= seen_ns;
}

std::int64_t most_drained(std::int64_t total, double percent) {
  const auto part = static_cast<std::int64_t>(static_cast<double>(total) * percent / 100.0 + 1e-9);
  return std::max<std::int64_t>(1, part);
}

DrainDecision decide_drain(const DrainSituation& situation, double most_percent) {
  if (situation.reason.empty()) return only(DrainVerdict::NothingToDo);
  const model::SlurmNode* node = find_node(situation);
  if (node == nullptr) return only(DrainVerdict::NodeUnknown);
  if (is_drained(*node))
    return only(is_ours(*node) ? DrainVerdict::DrainedByUs : DrainVerdict::DrainedByOthers);
  if (situation.all_old_news) return only(DrainVerdict::OldNews);
  for (const std::string& partition : node->partitions) {
    DrainDecision decision = count(situation, partition, most_percent);
    decision.verdict = DrainVerdict::TooMany;
    if (decision.drained >= decision.allowed) return decision;
  }
  return only(DrainVerdict::Drain);
}

DrainDecision decide_to_keep(const DrainSituation& situation, double most_percent) {
  const model::SlurmNode* node = find_node(situation);
  if (node == nullptr) return only(DrainVerdict::NodeUnknown);
  if (!is_drained(*node)) return only(DrainVerdict::NothingToDo);
  if (!is_ours(*node)) return only(DrainVerdict::DrainedByOthers);
  for (const std::string& partition : node->partitions) {
    DrainDecision decision = count(situation, partition, most_percent);
    decision.verdict = DrainVerdict::Undrain;
    const auto members = members_of(situation, partition);
    const auto ours_before =
        std::count_if(members.begin(), members.end(), [&](const model::SlurmNode* other) {
          return is_ours(*other) && drain_order(*other) < drain_order(*node);
        });
    const auto by_others = std::count_if(members.begin(), members.end(), [](const model::SlurmNode* other) {
      return is_drained(*other) && !is_ours(*other);
    });
    if (decision.drained > decision.allowed && ours_before + by_others >= decision.allowed) return decision;
  }
  return only(DrainVerdict::DrainedByUs);
}

DrainDecision decide_undrain(const DrainSituation& situation) {
  const model::SlurmNode* node = find_node(situation);
  if (node == nullptr) return only(DrainVerdict::NodeUnknown);
  if (!is_drained(*node)) return only(DrainVerdict::NothingToDo);
  if (!is_ours(*node)) return only(DrainVerdict::DrainedByOthers);
  const bool there = std::find(situation.causes.begin(), situation.causes.end(), cause_in(node->reason)) !=
                     situation.causes.end();
  if (there || !situation.reason.empty()) return only(DrainVerdict::CauseRemains);
  if (!situation.saw_all || situation.log_may_have_forgotten) return only(DrainVerdict::CannotTell);
  return only(has_flag(*node, {"down", "fail", "not_responding"}) ? DrainVerdict::DownToo
                                                                  : DrainVerdict::Undrain);
}

}  // namespace gpuwright::rules
