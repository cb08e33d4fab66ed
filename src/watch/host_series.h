// What the host does while its GPUs work: memory, processors, pressure, NUMA, disks, network, RDMA, and the
// errors of PCIe links of GPUs and network cards. One small reader each, in one visible list; each reads only
// what the kernel counts anyhow and asks no device. Files of drivers may hang all the same, so this runs in a
// child (survey_worker).
// Source: proc(5); Documentation/accounting/psi.rst, admin-guide/iostats.rst, admin-guide/numastat.rst,
// ABI/testing/sysfs-bus-pci-devices-aer_stats, sysfs-class-infiniband, sysfs-class-net-statistics of Linux.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/local_files.h"
#include "model/node_state.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

/// Where readers look, what they found, and what they remember of which devices there are.
class HostLook {
 public:
  /// Below `root` ("" is this machine).
  explicit HostLook(std::string root) : files_(std::move(root)) {}

  const host::LocalFiles& files() const { return files_; }
  /// The text of a small file; empty where there is none.
  std::string text(const std::string& path) const;
  /// A list of devices that `find` makes, made anew seldom: devices come and go, but not each second.
  using Find = std::vector<std::string> (*)(HostLook& look);
  const std::vector<std::string>& devices(const char* kind, Find find);
  /// `labels`: name="value" with names that label_part made.
  void add(const char* family, std::string labels, double value);
  /// What has been added since; the next round begins.
  std::vector<model::HostSeries> take();

 private:
  struct Devices {
    std::int64_t made = 0;
    std::vector<std::string> names;
  };
  host::LocalFiles files_;
  std::map<std::string, Devices> devices_;
  std::vector<model::HostSeries> found_;
  std::int64_t round_ = 0;
};

/// `key="value"`; of the value only letters, digits and ._:@- are kept, others become '_'.
std::string label_part(std::string_view key, std::string_view value);

struct HostReader {
  const char* name;
  void (*read)(HostLook& look);
};
/// All of them, in the order of their names.
const std::vector<HostReader>& host_readers();

// One each: see host_readers().
void read_memory(HostLook& look);
void read_processors(HostLook& look);
void read_pressure(HostLook& look);
void read_numa(HostLook& look);
void read_disks(HostLook& look);
void read_network(HostLook& look);
void read_rdma(HostLook& look);
void read_pcie_errors(HostLook& look);

}  // namespace gpuwright::watch
