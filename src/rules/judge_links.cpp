// A GPU on a baseboard needs all its NVLinks; a PCIe board has links only where somebody fitted a bridge. So
// the same words, "all links are inactive", are a fault on the one and nothing on the other, and the product
// name decides. Distances are those of `nvidia-smi topo`.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/gpu_identity.h"
#include "rules/judge_gpu.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gpuwright::rules {
namespace {

using model::Event;
using model::GpuLinkReport;
using model::LinkCondition;
using model::LinkState;
using model::Topology;

constexpr const char* kName = "links";

/// What one listing says of one GPU.
struct LinkSummary {
  const GpuLinkReport* report = nullptr;
  std::int64_t up = 0;
  std::int64_t down = 0;
  std::string down_links;
  NvlinkUse use = NvlinkUse::Unknown;

  bool all_down() const { return report->all_inactive || (up == 0 && down > 0); }
};

LinkSummary summarize(const GpuLinkReport& report, const GpuDirectory& directory) {
  LinkSummary summary;
  summary.report = &report;
  for (const LinkState& link : report.links) {
    if (link.condition == LinkCondition::Up) ++summary.up;
    if (link.condition != LinkCondition::Down) continue;
    ++summary.down;
    summary.down_links += (summary.down_links.empty() ? "" : ",") + std::to_string(link.number);
  }
  std::string name = report.name.known() ? report.name.value() : std::string();
  std::string device_id;
  if (report.index.known() && !report.is_switch) {
    if (name.empty()) name = directory.name_of_index(report.index.value());
    device_id = directory.device_id_of_index(report.index.value());
  }
  summary.use = nvlink_use(name, device_id);
  return summary;
}

model::Subject subject_of(const GpuLinkReport& report, const GpuDirectory& directory) {
  if (report.is_switch) {
    model::Subject subject;
    subject.kind = model::SubjectKind::Switch;
    subject.id = report.index.known() ? "#" + std::to_string(report.index.value()) : std::string();
    return subject;
  }
  model::GpuReport gpu;
  gpu.input = report.input;
  gpu.index = report.index;
  gpu.uuid = report.uuid;
  gpu.pci = report.pci;
  return directory.subject(gpu);
}

Event link_event(const char* signal, const LinkSummary& summary, const GpuDirectory& directory) {
  const GpuLinkReport& report = *summary.report;
  Event event = gpu_event(kName, signal, subject_of(report, directory));
  if (report.index.known()) event.params["gpu_index"] = std::to_string(report.index.value());
  if (report.uuid.known()) event.params["uuid"] = report.uuid.value();
  if (report.name.known()) event.params["name"] = report.name.value();
  event.evidence.assign(
      report.lines.begin(),
      report.lines.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(report.lines.size(), 2)));
  for (const LinkState& link : report.links)
    if (link.condition == LinkCondition::Down && event.evidence.size() < 3)
      event.evidence.push_back(link.evidence);
  return event;
}

/// Which of the meanings "no link at all" has here.
const char* all_down_signal(const LinkSummary& summary, bool peers_are_up) {
  if (peers_are_up || summary.use == NvlinkUse::Always) return "nvlink.gpu_links_down";
  if (summary.use == NvlinkUse::Never || summary.use == NvlinkUse::Bridge) return "nvlink.no_bridge";
  return "nvlink.all_links_down";
}

/// Several GPUs of a baseboard and not one link up: what they share is at fault, not each of them.
bool whole_board_is_down(const std::vector<LinkSummary>& listing) {
  const auto down = [](const LinkSummary& one) {
    return one.report->is_switch || (one.all_down() && one.use == NvlinkUse::Always);
  };
  return listing.size() >= 2 && std::all_of(listing.begin(), listing.end(), down);
}

void judge_states(const std::vector<LinkSummary>& listing, const GpuDirectory& directory,
                  std::vector<Event>& out) {
  if (whole_board_is_down(listing)) {
    Event event = link_event("nvlink.board_links_down", listing.front(), directory);
    event.subject = model::Subject();
    event.params["gpus"] = std::to_string(listing.size());
    out.push_back(std::move(event));
    return;
  }
  const auto up =
      std::count_if(listing.begin(), listing.end(), [](const LinkSummary& one) { return one.up > 0; });
  for (const LinkSummary& summary : listing) {
    if (summary.report->is_switch) continue;
    if (summary.all_down()) {
      Event event = link_event(all_down_signal(summary, up > 0), summary, directory);
      // Boards whose bridge may be missing: the NVL pair is sold with one, so its absence is worth a
      // question.
      const std::string id = summary.report->index.known()
                                 ? directory.device_id_of_index(summary.report->index.value())
                                 : std::string();
      const bool sold_with_bridge =
          id == "2321" || id == "233b" ||
          (event.params.count("name") != 0 && base::contains(event.params["name"], "NVL"));
      if (event.signal == "nvlink.no_bridge" && sold_with_bridge) event.signal = "nvlink.all_links_down";
      out.push_back(std::move(event));
    } else if (summary.down > 0) {
      // A bridge uses only some of a board's links; on a baseboard each one that is down is missing.
      const bool bridge = summary.use == NvlinkUse::Bridge || summary.use == NvlinkUse::Never;
      Event event =
          link_event(bridge ? "nvlink.some_links_unused" : "nvlink.some_links_down", summary, directory);
      event.params["links"] = summary.down_links;
      event.params["down"] = std::to_string(summary.down);
      event.params["up"] = std::to_string(summary.up);
      out.push_back(std::move(event));
    }
  }
}

/// Links of unequal speed on one GPU, or a GPU slower than its peers of the same name.
void judge_speeds(const LinkSummary& summary, const GpuDirectory& directory, std::vector<Event>& out) {
  double slowest = 0, fastest = 0;
  const LinkState* slow = nullptr;
  for (const LinkState& link : summary.report->links) {
    if (link.condition != LinkCondition::Up || !link.gigabytes_per_second.known()) continue;
    const double speed = link.gigabytes_per_second.value();
    if (slow == nullptr || speed < slowest) slowest = speed, slow = &link;
    fastest = std::max(fastest, speed);
  }
  if (slow == nullptr || slowest > fastest * 0.95) return;
  Event event = link_event("nvlink.slow_link", summary, directory);
  event.params["link"] = std::to_string(slow->number);
  event.evidence.push_back(slow->evidence);
  out.push_back(std::move(event));
}

/// Replays and recoveries are faults from the first on; a few corrected CRC errors are normal service.
void judge_counters(const LinkSummary& summary, const GpuDirectory& directory, double many_crc,
                    std::vector<Event>& out) {
  std::int64_t recoveries = 0, replays = 0, crc = 0;
  std::set<std::int64_t> links;
  Event event = link_event("nvlink.error_counters", summary, directory);
  for (const LinkState& link : summary.report->links) {
    for (const auto& counter : link.errors) {
      if (counter.second <= 0) continue;
      const bool recovery = base::contains(counter.first, "recovery");
      const bool replay = base::contains(counter.first, "replay");
      const bool is_crc = base::contains(counter.first, "crc");
      if (recovery) recoveries += counter.second;
      if (replay) replays += counter.second;
      if (is_crc) crc += counter.second;
      if (!recovery && !replay && !(is_crc && static_cast<double>(counter.second) >= many_crc)) continue;
      links.insert(link.number);
      if (event.evidence.size() < 4) event.evidence.push_back(link.evidence);
    }
  }
  if (links.empty()) return;
  std::string list;
  for (const std::int64_t link : links) list += (list.empty() ? "" : ",") + std::to_string(link);
  event.params["links"] = list;
  event.params["recovery"] = std::to_string(recoveries);
  event.params["replay"] = std::to_string(replays);
  event.params["crc"] = std::to_string(crc);
  out.push_back(std::move(event));
}

// ---- the matrix
// --------------------------------------------------------------------------------------------------------------------------

std::string cell_of(const Topology& topology, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < topology.columns.size() && i < topology.cells[row].size(); ++i)
    if (topology.columns[i] == column) return topology.cells[row][i];
  return {};
}

bool is_gpu(const std::string& name) {
  return name.substr(0, 3) == "GPU";
}
bool is_far(const std::string& cell) {
  return cell == "SYS" || cell == "SOC";
}

Event topology_event(const char* signal, const Topology& topology, const std::vector<std::size_t>& rows) {
  Event event = gpu_event(kName, signal, model::Subject());
  for (const std::size_t row : rows)
    if (event.evidence.size() < 4) event.evidence.push_back(topology.lines[row]);
  return event;
}

/// GPUs with a way across the sockets and no NVLink between them.
void judge_sockets(const Topology& topology, std::vector<Event>& out) {
  std::vector<std::size_t> rows;
  std::size_t gpus = 0;
  std::size_t group = 0;
  for (std::size_t row = 0; row < topology.names.size(); ++row) {
    if (!is_gpu(topology.names[row])) continue;
    ++gpus;
    bool far = false;
    std::size_t near = 1;
    for (const std::string& column : topology.columns) {
      if (!is_gpu(column) || column == topology.names[row]) continue;
      const std::string cell = cell_of(topology, row, column);
      far = far || is_far(cell);
      if (!cell.empty() && !is_far(cell)) ++near;
    }
    if (!far) continue;
    rows.push_back(row);
    group = std::max(group, near);
  }
  if (rows.empty()) return;
  Event event = topology_event("gpu.peers_across_sockets", topology, rows);
  event.params["gpus"] = std::to_string(gpus);
  event.params["group"] = std::to_string(group);
  out.push_back(std::move(event));
}

/// GPUs whose nearest NIC is beyond the host bridge, though other GPUs have one close by or several GPUs
/// share the far one.
void judge_nics(const Topology& topology, std::vector<Event>& out) {
  std::vector<std::size_t> far_rows;
  std::string far_names;
  std::size_t near = 0;
  for (std::size_t row = 0; row < topology.names.size(); ++row) {
    if (!is_gpu(topology.names[row])) continue;
    bool any = false, close = false;
    for (const std::string& column : topology.columns) {
      if (is_gpu(column)) continue;
      const std::string cell = cell_of(topology, row, column);
      any = any || !cell.empty();
      close = close || cell == "PIX" || cell == "PXB" || cell == "PSB" || cell == "C2C" || cell == "PHB";
    }
    if (!any) return;
    if (close) {
      ++near;
      continue;
    }
    far_rows.push_back(row);
    far_names += (far_names.empty() ? "" : ", ") + topology.names[row];
  }
  if (far_rows.empty()) return;
  Event event = topology_event("gpu.nic_far", topology, far_rows);
  event.params["gpus"] = far_names;
  event.params["near"] = std::to_string(near);
  out.push_back(std::move(event));
}

void judge_numa(const Topology& topology, std::vector<Event>& out) {
  std::vector<std::size_t> rows;
  std::set<std::string> affinities;
  std::size_t gpus = 0;
  for (std::size_t row = 0; row < topology.names.size(); ++row) {
    if (!is_gpu(topology.names[row])) continue;
    ++gpus;
    affinities.insert(topology.cpu_affinity[row]);
    if (topology.numa_affinity[row] == "N/A") rows.push_back(row);
  }
  if (gpus < 2 || rows.size() != gpus || affinities.size() != 1) return;
  out.push_back(topology_event("gpu.numa_unknown", topology, rows));
}

}  // namespace

std::vector<Event> judge_links(const model::Observations& observations, const catalog::Catalog& catalog) {
  std::vector<Event> out;
  const GpuDirectory directory(observations);
  // All blocks of one input are one machine: a GPU in one block is judged beside its peers in another.
  std::map<std::string, std::vector<LinkSummary>> listings;
  for (const GpuLinkReport& report : observations.gpu_links)
    listings[report.input].push_back(summarize(report, directory));
  for (const auto& listing : listings) {
    judge_states(listing.second, directory, out);
    for (const LinkSummary& summary : listing.second) {
      judge_speeds(summary, directory, out);
      judge_counters(summary, directory, catalog.threshold("nvlink.crc_many"), out);
    }
  }
  for (const Topology& topology : observations.topologies) {
    judge_sockets(topology, out);
    judge_nics(topology, out);
    judge_numa(topology, out);
  }
  return out;
}

}  // namespace gpuwright::rules
