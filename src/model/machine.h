// The machine: everything that was found out about one GPU server at one time. Collectors (room `facts`) fill
// it, rules judge it, `gpuwright facts` prints it, a spec is compared with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/gpu_report.h"
#include "model/machine_devices.h"
#include "model/machine_driver.h"
#include "model/machine_host.h"
#include "model/machine_pci.h"
#include "model/machine_software.h"
#include "model/machine_virtual.h"

namespace gpuwright::model {

/// One NVLink of a GPU.
struct NvlinkFacts {
  Field<std::int64_t> number;
  Field<std::string> state;   ///< "up", "down", "disabled", "not supported"
  Field<std::string> remote;  ///< address of the far end
  Field<std::int64_t> replay;
  Field<std::int64_t> recovery;
  Field<std::int64_t> crc;

  std::string key() const { return key_text(number); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("number", self.number);
    visit("state", self.state);
    visit("remote", self.remote);
    visit("replay_errors", self.replay);
    visit("recovery_errors", self.recovery);
    visit("crc_errors", self.crc);
  }
};

/// One GPU: what the driver says of it, and its links.
struct GpuFacts {
  GpuReport report;
  Field<std::vector<NvlinkFacts>> nvlinks;
  Field<std::vector<GpuProcess>> processes;
  Field<std::vector<MigInstance>> mig;

  std::string key() const { return report.key(); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    GpuReport::each_field(self.report, visit);
    visit("nvlinks", self.nvlinks);
    visit("processes", self.processes);
    visit("mig", self.mig);
  }
};

/// How near two devices are, as `nvidia-smi topo -m` words it: PIX PXB PHB NODE SYS NV#.
struct TopologyRow {
  Field<std::string> device;              ///< address of a GPU or NIC
  Field<std::vector<std::string>> paths;  ///< "0000:3b:00.0 NV18"

  std::string key() const { return key_text(device); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("device", self.device);
    visit("paths", self.paths);
  }
};

struct Machine {
  /// Where facts come from: `Field::provenance()` is the 1-based index. Of a GPU's report: into its own
  /// `lines`.
  std::vector<Evidence> places;
  Field<bool> simulated;  ///< the GPUs are a simulation

  OsFacts os;
  CpuFacts cpu;
  MemoryFacts memory;
  Field<std::vector<PciFunction>> pci;
  Field<std::vector<GpuFacts>> gpus;
  Field<std::vector<TopologyRow>> topology;
  DriverFacts driver;
  CudaFacts cuda;
  ContainerFacts containers;
  KubernetesFacts kubernetes;
  SlurmFacts slurm;
  NetworkFacts network;
  StorageFacts storage;
  ManagementFacts management;
  VirtualFacts virtual_machines;

  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("simulated", self.simulated);
    visit("os", self.os);
    visit("cpu", self.cpu);
    visit("memory", self.memory);
    visit("pci", self.pci);
    visit("gpus", self.gpus);
    visit("topology", self.topology);
    visit("driver", self.driver);
    visit("cuda", self.cuda);
    visit("containers", self.containers);
    visit("kubernetes", self.kubernetes);
    visit("slurm", self.slurm);
    visit("network", self.network);
    visit("storage", self.storage);
    visit("management", self.management);
    visit("virtual_machines", self.virtual_machines);
  }

  /// The place of a provenance id; null for 0 and for ids of another snapshot.
  const Evidence* place(std::int32_t provenance) const {
    const auto at = static_cast<std::size_t>(provenance);
    return provenance <= 0 || at > places.size() ? nullptr : &places[at - 1];
  }
};

}  // namespace gpuwright::model
