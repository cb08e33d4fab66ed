// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <initializer_list>

namespace gpuwright::host::nvml {

namespace {

class Resolver {
 public:
  Resolver(void* handle, Library& library) : handle_(handle), library_(library) {}

  /// The first of the names that the library has. All must have the same parameters.
  template <class Function>
  void bind(Function*& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      // dlsym gives an object pointer; POSIX demands that it converts.
      function = reinterpret_cast<Function*>(::dlsym(handle_, name));
      if (function != nullptr) return;
    }
    library_.missing.emplace_back(*names.begin());
  }

 private:
  void* handle_;
  Library& library_;
};

void bind_system(Resolver& from, Api& api) {
  from.bind(api.init, {"nvmlInit_v2"});
  from.bind(api.shutdown, {"nvmlShutdown"});
  from.bind(api.driver_version, {"nvmlSystemGetDriverVersion"});
  from.bind(api.library_version, {"nvmlSystemGetNVMLVersion"});
  from.bind(api.cuda_version, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  from.bind(api.count, {"nvmlDeviceGetCount_v2"});
  from.bind(api.handle_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
}

void bind_identity(Resolver& from, Api& api) {
  from.bind(api.name, {"nvmlDeviceGetName"});
  from.bind(api.uuid, {"nvmlDeviceGetUUID"});
  from.bind(api.serial, {"nvmlDeviceGetSerial"});
  from.bind(api.part_number, {"nvmlDeviceGetBoardPartNumber"});
  from.bind(api.vbios_version, {"nvmlDeviceGetVbiosVersion"});
  from.bind(api.inforom_version, {"nvmlDeviceGetInforomImageVersion"});
  from.bind(api.gsp_version, {"nvmlDeviceGetGspFirmwareVersion"});
  from.bind(api.minor_number, {"nvmlDeviceGetMinorNumber"});
  from.bind(api.pci_info, {"nvmlDeviceGetPciInfo_v3"});
  from.bind(api.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
}

void bind_modes(Resolver& from, Api& api) {
  from.bind(api.persistence_mode, {"nvmlDeviceGetPersistenceMode"});
  from.bind(api.compute_mode, {"nvmlDeviceGetComputeMode"});
  from.bind(api.virtualization_mode, {"nvmlDeviceGetVirtualizationMode"});
  from.bind(api.ecc_mode, {"nvmlDeviceGetEccMode"});
  from.bind(api.mig_mode, {"nvmlDeviceGetMigMode"});
  from.bind(api.mig_count, {"nvmlDeviceGetMaxMigDeviceCount"});
  from.bind(api.mig_handle, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  from.bind(api.gpu_instance, {"nvmlDeviceGetGpuInstanceId"});
  from.bind(api.compute_instance, {"nvmlDeviceGetComputeInstanceId"});
}

void bind_readings(Resolver& from, Api& api) {
  from.bind(api.temperature, {"nvmlDeviceGetTemperature"});
  from.bind(api.temperature_threshold, {"nvmlDeviceGetTemperatureThreshold"});
  from.bind(api.fan_speed, {"nvmlDeviceGetFanSpeed"});
  from.bind(api.power_usage, {"nvmlDeviceGetPowerUsage"});
  from.bind(api.enforced_power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  from.bind(api.default_power_limit, {"nvmlDeviceGetPowerManagementDefaultLimit"});
  from.bind(api.power_limits, {"nvmlDeviceGetPowerManagementLimitConstraints"});
  from.bind(api.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  from.bind(api.performance_state, {"nvmlDeviceGetPerformanceState"});
  from.bind(api.clock, {"nvmlDeviceGetClockInfo"});
  from.bind(api.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  // R535 renamed the call; both names answer the same.
  from.bind(api.clock_reasons,
            {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  from.bind(api.utilization, {"nvmlDeviceGetUtilizationRates"});
  from.bind(api.memory, {"nvmlDeviceGetMemoryInfo"});
  from.bind(api.memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  from.bind(api.bar1_memory, {"nvmlDeviceGetBAR1MemoryInfo"});
  from.bind(api.compute_processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
  from.bind(api.compute_processes,
            {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  from.bind(api.graphics_processes,
            {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
}

void bind_links_and_errors(Resolver& from, Api& api) {
  from.bind(api.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  from.bind(api.pcie_max_generation, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  from.bind(api.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  from.bind(api.pcie_max_width, {"nvmlDeviceGetMaxPcieLinkWidth"});
  from.bind(api.pcie_replays, {"nvmlDeviceGetPcieReplayCounter"});
  from.bind(api.total_ecc_errors, {"nvmlDeviceGetTotalEccErrors"});
  from.bind(api.memory_errors, {"nvmlDeviceGetMemoryErrorCounter"});
  from.bind(api.retired_pages, {"nvmlDeviceGetRetiredPages"});
  from.bind(api.retired_pending, {"nvmlDeviceGetRetiredPagesPendingStatus"});
  from.bind(api.remapped_rows, {"nvmlDeviceGetRemappedRows"});
  from.bind(api.remapper_histogram, {"nvmlDeviceGetRowRemapperHistogram"});
  from.bind(api.link_state, {"nvmlDeviceGetNvLinkState"});
  from.bind(api.link_remote, {"nvmlDeviceGetNvLinkRemotePciInfo_v2"});
  from.bind(api.link_errors, {"nvmlDeviceGetNvLinkErrorCounter"});
  from.bind(api.fabric, {"nvmlDeviceGetGpuFabricInfo"});
  from.bind(api.fabric_v, {"nvmlDeviceGetGpuFabricInfoV"});
  from.bind(api.field_values, {"nvmlDeviceGetFieldValues"});
}

}  // namespace

void bind_for_sampling(Library& library) {
  Library other;  // what is missing of these is not told
  Resolver from(library.handle, other);
  Api& api = library.api;
  from.bind(api.encoder, {"nvmlDeviceGetEncoderUtilization"});
  from.bind(api.decoder, {"nvmlDeviceGetDecoderUtilization"});
  from.bind(api.event_set_create, {"nvmlEventSetCreate"});
  from.bind(api.register_events, {"nvmlDeviceRegisterEvents"});
  from.bind(api.event_wait, {"nvmlEventSetWait_v2"});
  from.bind(api.gpm_support, {"nvmlGpmQueryDeviceSupport"});
  from.bind(api.gpm_alloc, {"nvmlGpmSampleAlloc"});
  from.bind(api.gpm_free, {"nvmlGpmSampleFree"});
  from.bind(api.gpm_sample, {"nvmlGpmSampleGet"});
  from.bind(api.gpm_part_sample, {"nvmlGpmMigSampleGet"});
  from.bind(api.gpm_metrics, {"nvmlGpmMetricsGet"});
}

base::Result<Library> open_library() {
  const char* named = std::getenv("GPUWRIGHT_NVML");
  const char* path = named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1";
  void* handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    const std::string reason = why == nullptr ? "cannot be opened" : why;
    const bool absent = reason.find("No such file") != std::string::npos;
    return base::make_error(absent ? base::ErrorKind::NotFound : base::ErrorKind::Malformed,
                            absent ? "is not installed" : reason, path);
  }
  Library library;
  library.path = path;
  library.handle = handle;
  Resolver resolver(handle, library);
  bind_system(resolver, library.api);
  bind_identity(resolver, library.api);
  bind_modes(resolver, library.api);
  bind_readings(resolver, library.api);
  bind_links_and_errors(resolver, library.api);
  library.api.simulated_scenario =
      reinterpret_cast<const char* (*)()>(::dlsym(handle, "gpuwright_fakegpu_scenario"));
  if (library.api.init == nullptr || library.api.count == nullptr || library.api.handle_by_index == nullptr)
    return base::make_error(base::ErrorKind::Malformed, "is no NVML of driver R319 or later", path);
  return library;
}

}  // namespace gpuwright::host::nvml
