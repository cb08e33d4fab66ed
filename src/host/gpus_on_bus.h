// NVIDIA's GPUs as the PCI bus knows them, without a question to a driver: how many there are, and which
// sleep because the kernel manages their power at run time. A question to NVML would wake them. Source:
// kernel documentation, ABI/testing/sysfs-bus-pci and sysfs-devices-power (runtime_status).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuwright::host {

inline constexpr const char* kPciDevices = "/sys/bus/pci/devices";

struct GpuOnBus {
  std::string address;  ///< "0000:3b:00.0"
  bool asleep = false;
};

/// Those below this folder (kPciDevices, or a test's). Nothing where it cannot be read.
std::optional<std::vector<GpuOnBus>> gpus_on_bus(const std::string& folder);

/// Whether the device at this address, in any spelling, sleeps; false where nobody tells.
bool is_asleep(const std::string& folder, const std::string& address);

}  // namespace gpuwright::host
