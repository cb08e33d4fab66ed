// The entry points of NVML that we speak, each as the library exports it. host/ takes only their types (it
// resolves them at run time, and lives with those that an old driver lacks); fakegpu/ defines them. Texts are
// written with a closing zero; times, clocks and power are in the unit that the parameter's name tells.
//
// Source: NVML API reference, https://docs.nvidia.com/deploy/nvml-api/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_abi.h"

namespace gpuwright::host::nvml {

extern "C" {
Return nvmlInit_v2();
Return nvmlShutdown();
const char* nvmlErrorString(Return result);
Return nvmlSystemGetDriverVersion(char* version, std::uint32_t length);
Return nvmlSystemGetNVMLVersion(char* version, std::uint32_t length);
Return nvmlSystemGetCudaDriverVersion_v2(std::int32_t* version);
Return nvmlSystemGetProcessName(std::uint32_t pid, char* name, std::uint32_t length);
Return nvmlDeviceGetCount_v2(std::uint32_t* count);
Return nvmlDeviceGetHandleByIndex_v2(std::uint32_t index, Device* device);
Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device);
Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device);
Return nvmlDeviceGetHandleBySerial(const char* serial, Device* device);
Return nvmlDeviceGetIndex(Device device, std::uint32_t* index);
Return nvmlDeviceGetName(Device device, char* name, std::uint32_t length);
Return nvmlDeviceGetUUID(Device device, char* uuid, std::uint32_t length);
Return nvmlDeviceGetSerial(Device device, char* serial, std::uint32_t length);
Return nvmlDeviceGetBoardPartNumber(Device device, char* part, std::uint32_t length);
Return nvmlDeviceGetVbiosVersion(Device device, char* version, std::uint32_t length);
Return nvmlDeviceGetInforomImageVersion(Device device, char* version, std::uint32_t length);
Return nvmlDeviceGetGspFirmwareVersion(Device device, char* version);
Return nvmlDeviceGetGspFirmwareMode(Device device, std::uint32_t* enabled, std::uint32_t* by_default);
Return nvmlDeviceGetMinorNumber(Device device, std::uint32_t* minor);
Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info);
Return nvmlDeviceGetBrand(Device device, std::uint32_t* brand);
Return nvmlDeviceGetArchitecture(Device device, std::uint32_t* architecture);
Return nvmlDeviceGetCudaComputeCapability(Device device, std::int32_t* major, std::int32_t* minor);
Return nvmlDeviceGetNumGpuCores(Device device, std::uint32_t* cores);
Return nvmlDeviceGetMemoryBusWidth(Device device, std::uint32_t* bits);
Return nvmlDeviceGetPersistenceMode(Device device, std::uint32_t* enabled);
Return nvmlDeviceGetComputeMode(Device device, std::uint32_t* mode);
Return nvmlDeviceGetDisplayMode(Device device, std::uint32_t* enabled);
Return nvmlDeviceGetDisplayActive(Device device, std::uint32_t* enabled);
Return nvmlDeviceGetVirtualizationMode(Device device, std::uint32_t* mode);
Return nvmlDeviceGetEccMode(Device device, std::uint32_t* current, std::uint32_t* pending);
Return nvmlDeviceGetMigMode(Device device, std::uint32_t* current, std::uint32_t* pending);
Return nvmlDeviceGetMaxMigDeviceCount(Device device, std::uint32_t* count);
Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, std::uint32_t index, Device* instance);
Return nvmlDeviceIsMigDeviceHandle(Device device, std::uint32_t* is_instance);
Return nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device instance, Device* device);
Return nvmlDeviceGetGpuInstanceId(Device instance, std::uint32_t* id);
Return nvmlDeviceGetComputeInstanceId(Device instance, std::uint32_t* id);
Return nvmlDeviceGetAttributes_v2(Device instance, DeviceAttributes* attributes);
Return nvmlDeviceGetTemperature(Device device, std::uint32_t sensor, std::uint32_t* celsius);
Return nvmlDeviceGetTemperatureThreshold(Device device, std::uint32_t which, std::uint32_t* celsius);
Return nvmlDeviceGetNumFans(Device device, std::uint32_t* count);
Return nvmlDeviceGetFanSpeed(Device device, std::uint32_t* per_cent);
Return nvmlDeviceGetFanSpeed_v2(Device device, std::uint32_t fan, std::uint32_t* per_cent);
Return nvmlDeviceGetPowerUsage(Device device, std::uint32_t* milliwatts);
Return nvmlDeviceGetEnforcedPowerLimit(Device device, std::uint32_t* milliwatts);
Return nvmlDeviceGetPowerManagementLimit(Device device, std::uint32_t* milliwatts);
Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, std::uint32_t* milliwatts);
Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, std::uint32_t* least, std::uint32_t* most);
Return nvmlDeviceGetTotalEnergyConsumption(Device device, std::uint64_t* millijoules);
Return nvmlDeviceGetPerformanceState(Device device, std::uint32_t* state);
Return nvmlDeviceGetClockInfo(Device device, std::uint32_t clock, std::uint32_t* megahertz);
Return nvmlDeviceGetMaxClockInfo(Device device, std::uint32_t clock, std::uint32_t* megahertz);
Return nvmlDeviceGetApplicationsClock(Device device, std::uint32_t clock, std::uint32_t* megahertz);
Return nvmlDeviceGetDefaultApplicationsClock(Device device, std::uint32_t clock, std::uint32_t* megahertz);
Return nvmlDeviceGetCurrentClocksEventReasons(Device device, std::uint64_t* reasons);
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, std::uint64_t* reasons);
Return nvmlDeviceGetViolationStatus(Device device, std::uint32_t policy, Violation* violation);
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* utilization);
Return nvmlDeviceGetEncoderUtilization(Device device, std::uint32_t* per_cent, std::uint32_t* period_us);
Return nvmlDeviceGetDecoderUtilization(Device device, std::uint32_t* per_cent, std::uint32_t* period_us);
Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory);
Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory);
Return nvmlDeviceGetBAR1MemoryInfo(Device device, Memory* memory);
Return nvmlDeviceGetComputeRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos);
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetGraphicsRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos);
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos);
Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, std::uint32_t* generation);
Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, std::uint32_t* generation);
Return nvmlDeviceGetCurrPcieLinkWidth(Device device, std::uint32_t* lanes);
Return nvmlDeviceGetMaxPcieLinkWidth(Device device, std::uint32_t* lanes);
Return nvmlDeviceGetPcieThroughput(Device device, std::uint32_t counter, std::uint32_t* kibibytes_per_s);
Return nvmlDeviceGetPcieReplayCounter(Device device, std::uint32_t* count);
Return nvmlDeviceGetTotalEccErrors(Device device, std::uint32_t type, std::uint32_t counter,
                                   std::uint64_t* count);
Return nvmlDeviceGetMemoryErrorCounter(Device device, std::uint32_t type, std::uint32_t counter,
                                       std::uint32_t location, std::uint64_t* count);
Return nvmlDeviceGetRetiredPages(Device device, std::uint32_t cause, std::uint32_t* count,
                                 std::uint64_t* addresses);
Return nvmlDeviceGetRetiredPagesPendingStatus(Device device, std::uint32_t* pending);
Return nvmlDeviceGetRemappedRows(Device device, std::uint32_t* corrected, std::uint32_t* uncorrected,
                                 std::uint32_t* pending, std::uint32_t* failed);
Return nvmlDeviceGetRowRemapperHistogram(Device device, RemapperHistogram* histogram);
Return nvmlDeviceGetNvLinkState(Device device, std::uint32_t link, std::uint32_t* active);
Return nvmlDeviceGetNvLinkVersion(Device device, std::uint32_t link, std::uint32_t* version);
Return nvmlDeviceGetNvLinkRemoteDeviceType(Device device, std::uint32_t link, std::uint32_t* type);
Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, std::uint32_t link, PciInfo* info);
Return nvmlDeviceGetNvLinkErrorCounter(Device device, std::uint32_t link, std::uint32_t counter,
                                       std::uint64_t* count);
Return nvmlDeviceGetGpuFabricInfo(Device device, FabricInfo* info);
Return nvmlDeviceGetGpuFabricInfoV(Device device, FabricInfoV2* info);
Return nvmlDeviceGetTopologyCommonAncestor(Device one, Device other, std::uint32_t* shared);
Return nvmlDeviceGetP2PStatus(Device one, Device other, std::uint32_t which, std::uint32_t* status);
Return nvmlDeviceGetCpuAffinity(Device device, std::uint32_t words, std::uint64_t* mask);
Return nvmlDeviceGetMemoryAffinity(Device device, std::uint32_t words, std::uint64_t* mask,
                                   std::uint32_t scope);
Return nvmlDeviceGetFieldValues(Device device, std::int32_t count, FieldValue* values);
Return nvmlDeviceSetPowerManagementLimit(Device device, std::uint32_t milliwatts);
Return nvmlDeviceSetPersistenceMode(Device device, std::uint32_t enabled);
Return nvmlEventSetCreate(EventSet* set);
Return nvmlDeviceGetSupportedEventTypes(Device device, std::uint64_t* types);
Return nvmlDeviceRegisterEvents(Device device, std::uint64_t types, EventSet set);
Return nvmlEventSetWait_v2(EventSet set, EventData* data, std::uint32_t timeout_ms);
Return nvmlEventSetFree(EventSet set);
Return nvmlGpmQueryDeviceSupport(Device device, GpmSupport* support);
Return nvmlGpmSampleAlloc(GpmSample* sample);
Return nvmlGpmSampleFree(GpmSample sample);
Return nvmlGpmSampleGet(Device device, GpmSample sample);
Return nvmlGpmMigSampleGet(Device device, std::uint32_t gpu_instance, GpmSample sample);
Return nvmlGpmMetricsGet(GpmMetrics* metrics);
}

}  // namespace gpuwright::host::nvml
