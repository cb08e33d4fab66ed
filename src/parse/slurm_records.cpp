// `scontrol show node` and `scontrol show job`: records of Key=Value words, separated by empty lines. A
// node's Reason is the rest of its line and ends with "[user@time]". Source: Slurm, src/api/node_info.c,
// src/api/job_info.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/slurm_formats.h"
#include "parse/slurm_inventory.h"

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxRecords = 50'000;

void read_reason(std::string_view line, model::SlurmNode& node) {
  std::string_view reason = base::trim(line.substr(7));
  const std::size_t who = reason.rfind(" [");
  if (who != std::string_view::npos) {
    const std::string_view by = reason.substr(who + 2);
    const std::size_t at = by.find('@');
    if (at != std::string_view::npos)
      node.since = base::printable(by.substr(at + 1, by.find(']') - at - 1), 40);
    reason = reason.substr(0, who);
  }
  node.reason = base::printable(reason, 300);
}

}  // namespace

bool parse_scontrol_node(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                         model::Observations& out) {
  const std::size_t before = out.slurm_nodes.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const std::string_view text = base::trim(line.substr(0, 4'000));
    if (out.slurm_nodes.size() - before >= kMaxRecords) break;
    const std::string_view name = slurm_value(text, "NodeName");
    if (text.substr(0, 9) == "NodeName=" && !name.empty()) {
      model::SlurmNode node;
      node.name = base::printable(name, 200);
      node.evidence = block_evidence(context, here, line);
      out.slurm_nodes.push_back(std::move(node));
    }
    if (out.slurm_nodes.size() == before) continue;
    model::SlurmNode& node = out.slurm_nodes.back();
    const std::string_view state = slurm_value(text, "State");
    if (!state.empty() && node.state.empty()) {  // a comment further down may hold such words too
      node.state = base::lower(base::printable(state, 80));
      node.evidence = block_evidence(context, here, line);
    }
    if (text.starts_with("Partitions=") && node.partitions.empty()) {
      for (const std::string_view name_of : base::split(slurm_value(text, "Partitions"), ','))
        node.partitions.push_back(base::printable(name_of, 100));
    }
    if (text.substr(0, 7) == "Reason=") {
      read_reason(text, node);
      node.evidence = block_evidence(context, here, line);
    }
  }
  return out.slurm_nodes.size() > before;
}

bool parse_scontrol_job(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                        model::Observations& out) {
  const std::size_t before = out.slurm_jobs.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    const std::string_view text = base::trim(line.substr(0, 4'000));
    if (out.slurm_jobs.size() - before >= kMaxRecords) break;
    if (text.substr(0, 6) == "JobId=") {
      model::SlurmJob job;
      job.id = base::printable(slurm_value(text, "JobId"), 60);
      job.evidence = block_evidence(context, here, line);
      out.slurm_jobs.push_back(std::move(job));
    }
    if (out.slurm_jobs.size() == before) continue;
    model::SlurmJob& job = out.slurm_jobs.back();
    const std::string_view state = slurm_value(text, "JobState");
    if (state.empty()) continue;
    job.state = base::printable(state, 40);
    job.reason = base::printable(base::replace_all(std::string(slurm_value(text, "Reason")), "_", " "), 300);
    if (job.reason == "None") job.reason.clear();
    job.evidence = block_evidence(context, here, line);
  }
  return out.slurm_jobs.size() > before;
}

}  // namespace gpuwright::parse
