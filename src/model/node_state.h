// What is known of a node at this moment: the last values of each GPU, its errors, who uses it, and what the
// watching itself costs. The daemon keeps one; texts and pages are made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ids.h"
#include "model/gpu_user.h"
#include "model/live_incident.h"
#include "model/sample.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::model {

struct XidCount {
  std::uint64_t count = 0;
  double last_s = 0;  ///< unix time of the last one; 0: none yet
};

struct GpuState {
  SampledGpu identity;
  bool up = false;      ///< its last answer came in time
  bool ever = false;    ///< it has answered at all
  bool lost = false;    ///< the driver said so, and it has not answered since
  bool asleep = false;  ///< the kernel let it sleep; it is not asked, which would wake it
  std::string why;      ///< why not, in words; empty while up
  double fresh_s = 0;   ///< monotonic time of its last values
  double whole_s = 0;   ///< of its last whole ones
  double took_s = 0;    ///< that the driver took for them
  std::uint64_t hangs = 0;
  std::vector<SampleValue> values;  ///< by plan, the last of each
  std::vector<PartSample> parts;    ///< of its MIG instances, of the last whole answer
  std::map<std::int64_t, XidCount> xids;
  std::vector<GpuUser> users;
  bool users_known = false;
  std::vector<GpuUser> given;      ///< to whom an orchestrator gave it, with or without a process on it
  double nvlink_bytes_per_s = -1;  ///< over all links, both ways; negative: not known
};

struct KernelLogState {
  bool readable = false;
  std::string why;  ///< why not
  std::uint64_t lines = 0, lost = 0, unverified = 0;
};

/// What watching costs.
struct SelfState {
  double at_s = 0;  ///< monotonic time when that was looked at
  double cpu_s = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t proportional_bytes = 0;  ///< 0: not known
  std::uint64_t scrapes = 0;
  std::uint64_t sampler_restarts = 0;
  std::uint64_t cost_looks = 0;  ///< times that these were looked at
  std::uint64_t left_behind = 0;
};

/// Health over time.
struct HealthState {
  std::vector<LiveIncident> open;   ///< the most severe first
  std::vector<LiveIncident> ended;  ///< the newest first
  double looked_s = 0;              ///< unix time of the last look at the whole machine; 0: none yet
  std::string could_not_look;       ///< why the last one saw nothing; empty: it saw
};

/// One series that was read on the host, with its labels as printed.
struct HostSeries {
  std::string family;
  std::string labels;
  double value = 0;
};

/// How asking about users and the host goes.
struct SurveyState {
  double fresh_s = 0;  ///< monotonic time of its last answer; 0: none yet
  double took_s = 0;   ///< processor time of that
  std::uint64_t restarts = 0;
  std::uint64_t left_behind = 0;
  std::vector<std::string> silent;  ///< what gave no answer and is let be
  std::string no_pods;              ///< why kubelet tells nothing; empty: it tells, or there is none
  double pods_fresh_s = 0;          ///< monotonic time of its last good answer; 0: none
};

/// How writing the history goes.
struct HistoryWriting {
  bool wanted = false;    ///< false: nothing else is told
  bool up = false;        ///< what happens is written
  std::string condition;  ///< "opening", "ok", "full", "set aside", "hung", "off"
  std::string why;        ///< one line for a person; empty: nothing
  std::string path;
  std::uint64_t ticks = 0;    ///< handed over
  std::uint64_t dropped = 0;  ///< of them, for want of room in the queue
  std::uint64_t lost = 0;     ///< of them, for want of room on the disk, or another writer
  std::uint64_t restarts = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t file_bytes = 0;
  double write_s = 0;  ///< what the last tick took
};

/// Somebody who is told of incidents.
struct ReceiverState {
  std::string name;   ///< "webhook", "alertmanager"
  std::string where;  ///< scheme, host and port: the rest of an address may be a secret
  bool up = false;    ///< it took the last notice
  std::string why;    ///< why not; empty while nothing has been sent
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;   ///< tries
  std::uint64_t dropped = 0;  ///< notices that were given up
  std::uint64_t waiting = 0;
};

struct NodeState {
  SampledDriver driver;
  bool driver_known = false;
  std::string no_driver;                   ///< why there is none, in words
  std::string host;                        ///< the node's name
  std::map<std::uint32_t, GpuState> gpus;  ///< by NVML index
  std::int64_t gpus_on_bus = -1;           ///< -1: not known
  KernelLogState kernel;
  SelfState self;
  HealthState health;
  std::vector<HostSeries> host_series;
  SurveyState survey;
  HistoryWriting history;
  std::vector<ReceiverState> receivers;
  double now_s = 0;   ///< monotonic
  double wall_s = 0;  ///< unix time
};

/// The GPU of this address without function ("0000:3b:00"), or nothing.
inline std::optional<std::uint32_t> gpu_at(const NodeState& state, const std::string& device) {
  if (device.empty()) return std::nullopt;
  for (const auto& entry : state.gpus) {
    const auto pci = base::PciAddress::parse(entry.second.identity.pci);
    if (pci && pci->text().starts_with(device + ".")) return entry.first;
  }
  return std::nullopt;
}

}  // namespace gpuwright::model
