// Entry points of NVML under the older names that old drivers (and old programs) know them by, and the
// structures that some of them fill: shorter than today's. nvml_calls.h has today's.
//
// Source: NVML API reference, https://docs.nvidia.com/deploy/nvml-api/ (change log); names and sizes as in
// the nvml-wrapper-sys 0.7 bindings (tests/data/nvml/abi.csv).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_abi.h"

namespace gpuwright::host::nvml {

/// Of nvmlDeviceGetPciInfo_v2 and nvmlDeviceGetNvLinkRemotePciInfo: the first part of PciInfo. The first
/// nvmlDeviceGetPciInfo ends before subsystem_id.
struct PciInfoV2 {
  char bus_id[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t device_id;
  std::uint32_t subsystem_id;
};

struct EventDataV1 {
  Device device;
  std::uint64_t type;
  std::uint64_t data;
};

struct ProcessUtilization {
  std::uint32_t pid;
  std::uint64_t timestamp_us;
  std::uint32_t sm;
  std::uint32_t memory;
  std::uint32_t encoder;
  std::uint32_t decoder;
};

extern "C" {
Return nvmlInit();
Return nvmlInitWithFlags(std::uint32_t flags);
Return nvmlSystemGetCudaDriverVersion(std::int32_t* version);
Return nvmlDeviceGetCount(std::uint32_t* count);
Return nvmlDeviceGetHandleByIndex(std::uint32_t index, Device* device);
Return nvmlDeviceGetHandleByPciBusId(const char* bus_id, Device* device);
Return nvmlDeviceGetPciInfo(Device device, PciInfoV2* info);
Return nvmlDeviceGetPciInfo_v2(Device device, PciInfoV2* info);
Return nvmlDeviceGetNvLinkRemotePciInfo(Device device, std::uint32_t link, PciInfoV2* info);
Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetGraphicsRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetMPSComputeRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos);
Return nvmlDeviceGetMPSComputeRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetProcessUtilization(Device device, ProcessUtilization* samples, std::uint32_t* count,
                                       std::uint64_t last_seen_us);
Return nvmlDeviceGetPowerState(Device device, std::uint32_t* state);
Return nvmlDeviceGetPowerManagementMode(Device device, std::uint32_t* enabled);
Return nvmlDeviceGetMaxCustomerBoostClock(Device device, std::uint32_t clock, std::uint32_t* megahertz);
Return nvmlDeviceGetSupportedClocksThrottleReasons(Device device, std::uint64_t* reasons);
Return nvmlDeviceGetNvLinkCapability(Device device, std::uint32_t link, std::uint32_t capability,
                                     std::uint32_t* has_it);
Return nvmlDeviceGetMultiGpuBoard(Device device, std::uint32_t* is_multi);
Return nvmlDeviceGetBoardId(Device device, std::uint32_t* id);
Return nvmlEventSetWait(EventSet set, EventDataV1* data, std::uint32_t timeout_ms);
}

}  // namespace gpuwright::host::nvml
