// Judges Slurm nodes and jobs. A drained node is a consequence: its reason names the cause, and where that is
// an Xid or a known condition the event raised is that condition, on that node. sinfo cuts reasons to 20
// characters, so the first words decide. Source: Slurm documentation, "Job Reason Codes";
// src/slurmctld/node_mgr.c for the controller's own reasons.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_slurm.h"

#include "base/text.h"
#include "model/slurm_report.h"
#include "rules/net_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace gpuwright::rules {
namespace {

using model::Event;
using model::EventLevel;
using model::SlurmJob;
using model::SlurmNode;
using model::SubjectKind;

constexpr const char* kId = "slurm";

struct Phrase {
  const char* text;  ///< in lower case
  const char* signal;
};
/// Reasons that the controller or the usual health checks write.
constexpr std::array<Phrase, 14> kNodeReasons = {{
    {"kill task failed", "slurm.kill_task_failed"},
    {"gres/gpu count repor", "slurm.gres_count_low"},
    {"count reported lower", "slurm.gres_count_low"},
    {"low realmemory", "slurm.low_real_memory"},
    {"low socket", "slurm.low_resources"},
    {"low cpus", "slurm.low_resources"},
    {"not responding", "slurm.node_not_responding"},
    {"unexpectedly rebooted", "slurm.node_rebooted"},
    {"node unexpectedly re", "slurm.node_rebooted"},
    {"prolog error", "slurm.prolog_failed"},
    {"epilog error", "slurm.prolog_failed"},
    {"prolog failed", "slurm.prolog_failed"},
    {"batch job complete f", "slurm.kill_task_failed"},
    {"duplicate jobid", "slurm.kill_task_failed"},
}};

/// Pending and end reasons of jobs. What just takes its turn is not listed.
constexpr std::array<Phrase, 26> kJobReasons = {{
    {"reqnodenotavail", "slurm.job_waits_for_nodes"},
    {"nodes required for job are down", "slurm.job_waits_for_nodes"},
    {"partitiondown", "slurm.job_partition_closed"},
    {"partitioninactive", "slurm.job_partition_closed"},
    {"badconstraints", "slurm.job_never_fits"},
    {"partitionnodelimit", "slurm.job_never_fits"},
    {"partitiontimelimit", "slurm.job_never_fits"},
    {"partitionconfig", "slurm.job_never_fits"},
    {"dependencyneversatisfied", "slurm.job_dependency_dead"},
    {"launch failed requeued held", "slurm.job_launch_failed"},
    {"job launch failure", "slurm.job_launch_failed"},
    {"joblaunchfailure", "slurm.job_launch_failed"},
    {"launchfailed", "slurm.job_launch_failed"},
    {"jobheldadmin", "slurm.job_held"},
    {"jobhelduser", "slurm.job_held"},
    {"invalidaccount", "slurm.job_limit"},
    {"invalidqos", "slurm.job_limit"},
    {"qosmax", "slurm.job_limit"},
    {"qosgrp", "slurm.job_limit"},
    {"qosjoblimit", "slurm.job_limit"},
    {"qosresourcelimit", "slurm.job_limit"},
    {"assoc", "slurm.job_limit"},
    {"maxgres", "slurm.job_limit"},
    {"nodefail", "slurm.job_node_fail"},
    {"nodedown", "slurm.job_node_fail"},
    {"outofmemory", "slurm.oom_kill"},
}};

template <std::size_t Size>
std::string phrase_signal(const std::array<Phrase, Size>& phrases, const std::string& text) {
  for (const Phrase& phrase : phrases) {
    if (base::contains(text, phrase.text)) return phrase.signal;
  }
  return {};
}

/// The first number behind `word` in `text` (lower case), separated by at most three other characters: "xid
/// 79", "xid=79", "xid: 79".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  while (at != std::string_view::npos) {
    std::size_t begin = at + word.size();
    for (int skipped = 0; skipped < 3 && begin < text.size() && (text[begin] < '0' || text[begin] > '9');
         ++skipped)
      ++begin;
    std::size_t end = begin;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > begin) return base::parse_int(text.substr(begin, end - begin));
    at = text.find(word, at + 1);
  }
  return std::nullopt;
}

/// The Xid that a reason names, on the GPU that it names.
std::optional<Event> xid_event(const SlurmNode& node, const std::string& reason,
                               const catalog::Catalog& catalog) {
  const bool switch_error = base::contains(reason, "sxid");
  const auto code = number_after(reason, switch_error ? "sxid" : "xid");
  if (!code) return std::nullopt;
  const bool known = switch_error ? catalog.sxid(*code) != nullptr : catalog.xid(*code) != nullptr;
  if (!known) return std::nullopt;
  const auto gpu = number_after(reason, "gpu");
  const model::Subject subject =
      switch_error ? device_subject(SubjectKind::Switch, "", node.name)
                   : device_subject(SubjectKind::Gpu, gpu ? fmt::format("#{}", *gpu) : "", node.name);
  Event event =
      derived_event(fmt::format("{}.{}", switch_error ? "sxid" : "xid", *code), kId, subject, node.evidence);
  event.params["code"] = fmt::format("{}", *code);
  if (gpu) event.params["gpu_index"] = fmt::format("{}", *gpu);
  return event;
}

bool is_down(const std::string& state) {
  return state.rfind("down", 0) == 0 || state.rfind("fail", 0) == 0 || state.rfind("inval", 0) == 0 ||
         base::contains(state, "+invalid_reg") || base::contains(state, "not_responding") ||
         (!state.empty() && state.back() == '*' && state.rfind("unk", 0) != 0);
}
bool is_drained(const std::string& state) {
  return base::contains(state, "drain") || state.rfind("drng", 0) == 0;
}

/// "n1", not "n[1-4]" or "n1,n2": something to give to ssh and scontrol.
bool is_one_node(const std::string& name) {
  return !name.empty() && name.find_first_of("[,") == std::string::npos;
}

Event node_event(const std::string& signal, const SlurmNode& node) {
  Event event =
      derived_event(signal, kId, device_subject(SubjectKind::Node, node.name, node.name), node.evidence);
  if (is_one_node(node.name)) event.params["node"] = node.name;
  event.params["reason"] = node.reason;
  event.params["state"] = node.state.empty() ? "drain" : node.state;
  return event;
}

/// What the state alone says; an empty state (sinfo -R without states) means out of service, with a reason.
std::string state_signal(const SlurmNode& node) {
  if (is_down(node.state)) {
    const bool silent =
        base::contains(node.state, "not_responding") || node.state.find('*') != std::string::npos;
    return silent ? "slurm.node_not_responding" : "slurm.node_down";
  }
  if (is_drained(node.state) || (node.state.empty() && !node.reason.empty())) return "slurm.node_drained";
  return {};
}

void judge_node(const SlurmNode& node, const catalog::Catalog& catalog,
                std::map<std::string, Event>& events) {
  const std::string state = state_signal(node);
  if (state.empty()) return;
  const std::string reason = base::lower(node.reason);
  std::optional<Event> event = xid_event(node, reason, catalog);
  if (event) {
    // The drain itself is then only a consequence.
    Event drained = node_event("slurm.node_drained_for_gpu", node);
    drained.level = EventLevel::Context;
    events.emplace("drained for gpu\n" + node.name, std::move(drained));
  } else {
    const std::string named = phrase_signal(kNodeReasons, reason);
    event = node_event(named.empty() ? state : named, node);
  }
  const std::string key = event->signal + "\n" + event->subject.id + "\n" + node.name;
  const auto known = events.find(key);
  const bool longer = known != events.end() && node.reason.size() > known->second.params["reason"].size();
  if (known == events.end()) {
    events.emplace(key, std::move(*event));
  } else if (longer) {
    known->second = std::move(*event);
  }
}

/// A state alone says less than a reason for the same node: drop what another event explains better.
void drop_bare_states(std::map<std::string, Event>& events) {
  std::map<std::string, bool> reasoned;
  const auto bare = [](const Event& event) {
    return event.signal == "slurm.node_down" ||
           (event.signal == "slurm.node_drained" && event.params.at("reason").empty());
  };
  for (const auto& entry : events) {
    if (!bare(entry.second)) reasoned[entry.second.subject.host] = true;
  }
  for (auto at = events.begin(); at != events.end();) {
    at = bare(at->second) && reasoned[at->second.subject.host] ? events.erase(at) : std::next(at);
  }
}

std::string job_signal(const SlurmJob& job) {
  const std::string state = base::lower(job.state);
  if (state == "node_fail" || state == "nf") return "slurm.job_node_fail";
  if (state.rfind("out_of_me", 0) == 0 || state == "oom") return "slurm.oom_kill";
  if (state == "timeout" || state == "to") return "slurm.time_limit";
  if (state == "boot_fail" || state == "bf") return "slurm.job_node_fail";
  if (state.rfind("preempted", 0) == 0 || state == "pr") return "slurm.preempted";
  if (state != "pending" && state != "pd" && state != "failed" && state != "f") return {};
  return phrase_signal(kJobReasons, base::lower(job.reason));
}

/// A job that ended for its only node is about the node.
model::Subject subject_of_job(const SlurmJob& job, const std::string& signal) {
  return signal == "slurm.job_node_fail" && is_one_node(job.nodes)
             ? device_subject(SubjectKind::Node, job.nodes, job.nodes)
             : device_subject(SubjectKind::Job, job.id);
}

void judge_jobs(const std::vector<SlurmJob>& jobs, std::vector<Event>& events) {
  std::map<std::string, Event> by_signal;
  for (const SlurmJob& job : jobs) {
    const std::string signal = job_signal(job);
    if (signal.empty()) continue;
    const auto known = by_signal.find(signal);
    if (known != by_signal.end()) {
      add_occurrence(known->second, job.evidence);
      continue;
    }
    Event event = derived_event(signal, kId, subject_of_job(job, signal), job.evidence);
    event.params["job"] = job.id;
    if (is_one_node(job.nodes)) event.params["node"] = job.nodes;
    if (!job.nodes.empty()) event.params["nodes"] = job.nodes;
    event.params["reason"] = job.reason;
    by_signal.emplace(signal, std::move(event));
  }
  for (auto& entry : by_signal) events.push_back(std::move(entry.second));
}

/// The controller's log names reasons too; what it says comes as context events.
SlurmNode node_of_log(const Event& event) {
  const auto param = [&event](const char* name) {
    const auto at = event.params.find(name);
    return at == event.params.end() ? std::string() : at->second;
  };
  SlurmNode node;
  node.name = param("node");
  node.reason = param("reason");
  node.state = "drain";
  if (!event.evidence.empty()) node.evidence = event.evidence.front();
  return node;
}

}  // namespace

std::vector<Event> judge_slurm(const model::Observations& observations, const catalog::Catalog& catalog) {
  std::map<std::string, Event> nodes;
  for (const Event& event : observations.events) {
    if (event.signal == "slurm.node_reason") judge_node(node_of_log(event), catalog, nodes);
  }
  for (const SlurmNode& node : observations.slurm_nodes) judge_node(node, catalog, nodes);
  drop_bare_states(nodes);
  std::vector<Event> events;
  events.reserve(nodes.size());
  for (auto& entry : nodes) events.push_back(std::move(entry.second));
  judge_jobs(observations.slurm_jobs, events);
  return events;
}

}  // namespace gpuwright::rules
