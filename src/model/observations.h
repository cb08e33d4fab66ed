// Everything the inputs said, before anybody judges it: events from single lines, and nouns from parsed
// blocks. A new kind of noun adds its header and one vector here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/bench_report.h"
#include "model/bmc_report.h"
#include "model/dcgm_report.h"
#include "model/event.h"
#include "model/gpu_report.h"
#include "model/link_report.h"
#include "model/pci_report.h"
#include "model/rdma_report.h"
#include "model/slurm_report.h"

#include <string>
#include <vector>

namespace gpuwright::model {

/// What one input turned out to be, for `recognised[]`.
struct RecognisedInput {
  std::string input;
  std::vector<std::string>
      formats;  ///< ids of data/formats.yaml and kinds of line ("kernel-log", "nccl-log" ...), sorted
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  std::int64_t events = 0;   ///< distinct events and blocks found; 0: nothing was recognised
  std::int64_t dropped = 0;  ///< distinct events beyond the bound, counted but not kept
  std::string note;          ///< "binary data", "truncated gzip": empty when all is well
};

struct Observations {
  std::vector<RecognisedInput> inputs;
  std::vector<Event> events;
  std::vector<GpuReport> gpus;
  std::vector<GpuLinkReport> gpu_links;
  std::vector<Topology> topologies;
  std::vector<DcgmResult> dcgm;
  std::vector<PciDevice> pci_devices;
  std::vector<RdmaPort> rdma_ports;
  std::vector<BmcLogEntry> bmc_log;
  std::vector<BmcSensor> bmc_sensors;
  std::vector<SlurmNode> slurm_nodes;
  std::vector<SlurmJob> slurm_jobs;
  std::vector<BenchReport> bench;
};

}  // namespace gpuwright::model
