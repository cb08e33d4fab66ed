// Opening NVML. gpuwright links no library of NVIDIA's: each entry point is looked up when the library is
// there, and what an old driver lacks stays null. Only a worker process opens it (nvml_worker.h): a call may
// sleep in the kernel for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/nvml_calls.h"

#include <string>
#include <vector>

namespace gpuwright::host::nvml {

/// The entry points of one opened library. A null one is missing there.
struct Api {
  decltype(&nvmlInit_v2) init = nullptr;
  decltype(&nvmlShutdown) shutdown = nullptr;
  decltype(&nvmlSystemGetDriverVersion) driver_version = nullptr;
  decltype(&nvmlSystemGetNVMLVersion) library_version = nullptr;
  decltype(&nvmlSystemGetCudaDriverVersion_v2) cuda_version = nullptr;
  decltype(&nvmlDeviceGetCount_v2) count = nullptr;
  decltype(&nvmlDeviceGetHandleByIndex_v2) handle_by_index = nullptr;
  decltype(&nvmlDeviceGetName) name = nullptr;
  decltype(&nvmlDeviceGetUUID) uuid = nullptr;
  decltype(&nvmlDeviceGetSerial) serial = nullptr;
  decltype(&nvmlDeviceGetBoardPartNumber) part_number = nullptr;
  decltype(&nvmlDeviceGetVbiosVersion) vbios_version = nullptr;
  decltype(&nvmlDeviceGetInforomImageVersion) inforom_version = nullptr;
  decltype(&nvmlDeviceGetGspFirmwareVersion) gsp_version = nullptr;
  decltype(&nvmlDeviceGetMinorNumber) minor_number = nullptr;
  decltype(&nvmlDeviceGetPciInfo_v3) pci_info = nullptr;
  decltype(&nvmlDeviceGetCudaComputeCapability) compute_capability = nullptr;
  decltype(&nvmlDeviceGetPersistenceMode) persistence_mode = nullptr;
  decltype(&nvmlDeviceGetComputeMode) compute_mode = nullptr;
  decltype(&nvmlDeviceGetVirtualizationMode) virtualization_mode = nullptr;
  decltype(&nvmlDeviceGetEccMode) ecc_mode = nullptr;
  decltype(&nvmlDeviceGetMigMode) mig_mode = nullptr;
  decltype(&nvmlDeviceGetMaxMigDeviceCount) mig_count = nullptr;
  decltype(&nvmlDeviceGetMigDeviceHandleByIndex) mig_handle = nullptr;
  decltype(&nvmlDeviceGetGpuInstanceId) gpu_instance = nullptr;
  decltype(&nvmlDeviceGetComputeInstanceId) compute_instance = nullptr;
  decltype(&nvmlDeviceGetTemperature) temperature = nullptr;
  decltype(&nvmlDeviceGetTemperatureThreshold) temperature_threshold = nullptr;
  decltype(&nvmlDeviceGetFanSpeed) fan_speed = nullptr;
  decltype(&nvmlDeviceGetPowerUsage) power_usage = nullptr;
  decltype(&nvmlDeviceGetEnforcedPowerLimit) enforced_power_limit = nullptr;
  decltype(&nvmlDeviceGetPowerManagementDefaultLimit) default_power_limit = nullptr;
  decltype(&nvmlDeviceGetPowerManagementLimitConstraints) power_limits = nullptr;
  decltype(&nvmlDeviceGetTotalEnergyConsumption) total_energy = nullptr;
  decltype(&nvmlDeviceGetPerformanceState) performance_state = nullptr;
  decltype(&nvmlDeviceGetClockInfo) clock = nullptr;
  decltype(&nvmlDeviceGetMaxClockInfo) max_clock = nullptr;
  decltype(&nvmlDeviceGetCurrentClocksEventReasons) clock_reasons = nullptr;
  decltype(&nvmlDeviceGetUtilizationRates) utilization = nullptr;
  decltype(&nvmlDeviceGetMemoryInfo) memory = nullptr;
  decltype(&nvmlDeviceGetMemoryInfo_v2) memory_v2 = nullptr;
  decltype(&nvmlDeviceGetBAR1MemoryInfo) bar1_memory = nullptr;
  decltype(&nvmlDeviceGetComputeRunningProcesses) compute_processes_v1 = nullptr;
  decltype(&nvmlDeviceGetComputeRunningProcesses_v3) compute_processes = nullptr;
  decltype(&nvmlDeviceGetGraphicsRunningProcesses_v3) graphics_processes = nullptr;
  decltype(&nvmlDeviceGetCurrPcieLinkGeneration) pcie_generation = nullptr;
  decltype(&nvmlDeviceGetMaxPcieLinkGeneration) pcie_max_generation = nullptr;
  decltype(&nvmlDeviceGetCurrPcieLinkWidth) pcie_width = nullptr;
  decltype(&nvmlDeviceGetMaxPcieLinkWidth) pcie_max_width = nullptr;
  decltype(&nvmlDeviceGetPcieReplayCounter) pcie_replays = nullptr;
  decltype(&nvmlDeviceGetTotalEccErrors) total_ecc_errors = nullptr;
  decltype(&nvmlDeviceGetMemoryErrorCounter) memory_errors = nullptr;
  decltype(&nvmlDeviceGetRetiredPages) retired_pages = nullptr;
  decltype(&nvmlDeviceGetRetiredPagesPendingStatus) retired_pending = nullptr;
  decltype(&nvmlDeviceGetRemappedRows) remapped_rows = nullptr;
  decltype(&nvmlDeviceGetRowRemapperHistogram) remapper_histogram = nullptr;
  decltype(&nvmlDeviceGetNvLinkState) link_state = nullptr;
  decltype(&nvmlDeviceGetNvLinkRemotePciInfo_v2) link_remote = nullptr;
  decltype(&nvmlDeviceGetNvLinkErrorCounter) link_errors = nullptr;
  decltype(&nvmlDeviceGetGpuFabricInfo) fabric = nullptr;
  decltype(&nvmlDeviceGetGpuFabricInfoV) fabric_v = nullptr;
  decltype(&nvmlDeviceGetFieldValues) field_values = nullptr;
  decltype(&nvmlDeviceGetEncoderUtilization) encoder = nullptr;
  decltype(&nvmlDeviceGetDecoderUtilization) decoder = nullptr;
  decltype(&nvmlEventSetCreate) event_set_create = nullptr;
  decltype(&nvmlDeviceRegisterEvents) register_events = nullptr;
  decltype(&nvmlEventSetWait_v2) event_wait = nullptr;
  decltype(&nvmlGpmQueryDeviceSupport) gpm_support = nullptr;
  decltype(&nvmlGpmSampleAlloc) gpm_alloc = nullptr;
  decltype(&nvmlGpmSampleFree) gpm_free = nullptr;
  decltype(&nvmlGpmSampleGet) gpm_sample = nullptr;
  decltype(&nvmlGpmMigSampleGet) gpm_part_sample = nullptr;
  decltype(&nvmlGpmMetricsGet) gpm_metrics = nullptr;
  /// Of fakegpu alone: which scenario it plays. Null: a real library.
  const char* (*simulated_scenario)() = nullptr;
};

struct Library {
  Api api;
  std::string path;                  ///< what was opened
  void* handle = nullptr;            ///< of dlopen(3)
  std::vector<std::string> missing;  ///< entry points that this library lacks, by today's name
};

/// Further entry points, which a sampler needs and a single look does not: they are no reason to call a
/// driver old.
void bind_for_sampling(Library& library);

/// Opens the library: $GPUWRIGHT_NVML if that is set, else libnvidia-ml.so.1 of the linker's folders. It
/// stays open until the process ends. Errors: NotFound (no driver here), Malformed (no such library, or
/// without nvmlInit_v2).
base::Result<Library> open_library();

}  // namespace gpuwright::host::nvml
