// Our declarations of NVML beside those that others made from NVIDIA's header: sizes, offsets, numbers,
// names. tests/data/nvml/abi.csv was computed by the rules of C on x86-64 from the declarations of
// nvml-wrapper-sys 0.7.0, which bindgen made from nvml.h 11.
// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"
#include "base/text.h"

#include "support/fakegpu.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>

namespace gpuwright::tests {
namespace {

using Table = std::map<std::string, std::int64_t>;

/// "kind name" or "kind name.member" to the value; symbols to 0.
Table read_table() {
  const auto csv = base::parse_csv(read_file(source_dir() + "/tests/data/nvml/abi.csv"), "abi.csv");
  Table table;
  EXPECT_TRUE(csv.ok());
  for (const auto& row : csv->rows) {
    const auto member = csv->cell(row, "member");
    const auto key =
        csv->cell(row, "kind") + " " + csv->cell(row, "name") + (member.empty() ? "" : "." + member);
    table[key] = base::parse_int(csv->cell(row, "value")).value_or(0);
  }
  return table;
}

struct Known {
  const char* key;
  std::size_t ours;
};

void compare(const std::vector<Known>& known) {
  const Table table = read_table();
  for (const auto& one : known) {
    const auto found = table.find(one.key);
    ASSERT_NE(found, table.end()) << one.key;
    EXPECT_EQ(found->second, static_cast<std::int64_t>(one.ours)) << one.key;
  }
}

TEST(NvmlAbi, SizesAreTheLibrarys) {
  compare({{"size nvmlPciInfo_st", sizeof(nvml::PciInfo)},
           {"size nvmlUtilization_st", sizeof(nvml::Utilization)},
           {"size nvmlMemory_st", sizeof(nvml::Memory)},
           {"size nvmlMemory_v2_st", sizeof(nvml::MemoryV2)},
           {"size nvmlBAR1Memory_st", sizeof(nvml::Memory)},
           {"size nvmlProcessInfo_v1_st", sizeof(nvml::ProcessInfoV1)},
           {"size nvmlProcessInfo_st", sizeof(nvml::ProcessInfo)},
           {"size nvmlDeviceAttributes_st", sizeof(nvml::DeviceAttributes)},
           {"size nvmlRowRemapperHistogramValues_st", sizeof(nvml::RemapperHistogram)},
           {"size nvmlValue_st", sizeof(nvml::Value)},
           {"size nvmlFieldValue_st", sizeof(nvml::FieldValue)},
           {"size nvmlEventData_st", sizeof(nvml::EventData)},
           {"size nvmlViolationTime_st", sizeof(nvml::Violation)},
           {"size nvmlGpmMetric_t", sizeof(nvml::GpmMetric)},
           {"size nvmlGpmMetricsGet_t", sizeof(nvml::GpmMetrics)},
           {"size nvmlGpmSupport_t", sizeof(nvml::GpmSupport)},
           {"size nvmlProcessUtilizationSample_st", sizeof(nvml::ProcessUtilization)}});
}

TEST(NvmlAbi, MembersLieWhereTheLibraryPutsThem) {
  compare({{"offset nvmlPciInfo_st.domain", offsetof(nvml::PciInfo, domain)},
           {"offset nvmlPciInfo_st.pciDeviceId", offsetof(nvml::PciInfo, device_id)},
           {"offset nvmlPciInfo_st.pciSubSystemId", offsetof(nvml::PciInfo, subsystem_id)},
           {"offset nvmlPciInfo_st.busId", offsetof(nvml::PciInfo, bus_id)},
           {"offset nvmlMemory_st.total", offsetof(nvml::Memory, total)},
           {"offset nvmlMemory_st.free", offsetof(nvml::Memory, free)},
           {"offset nvmlMemory_st.used", offsetof(nvml::Memory, used)},
           {"offset nvmlMemory_v2_st.total", offsetof(nvml::MemoryV2, total)},
           {"offset nvmlMemory_v2_st.reserved", offsetof(nvml::MemoryV2, reserved)},
           {"offset nvmlMemory_v2_st.free", offsetof(nvml::MemoryV2, free)},
           {"offset nvmlMemory_v2_st.used", offsetof(nvml::MemoryV2, used)},
           {"offset nvmlProcessInfo_v1_st.usedGpuMemory", offsetof(nvml::ProcessInfoV1, used_memory)},
           {"offset nvmlProcessInfo_st.usedGpuMemory", offsetof(nvml::ProcessInfo, used_memory)},
           {"offset nvmlProcessInfo_st.gpuInstanceId", offsetof(nvml::ProcessInfo, gpu_instance)},
           {"offset nvmlProcessInfo_st.computeInstanceId", offsetof(nvml::ProcessInfo, compute_instance)},
           {"offset nvmlDeviceAttributes_st.memorySizeMB", offsetof(nvml::DeviceAttributes, memory_mib)},
           {"offset nvmlDeviceAttributes_st.gpuInstanceSliceCount",
            offsetof(nvml::DeviceAttributes, gpu_instance_slices)},
           {"offset nvmlFieldValue_st.scopeId", offsetof(nvml::FieldValue, scope)},
           {"offset nvmlFieldValue_st.valueType", offsetof(nvml::FieldValue, type)},
           {"offset nvmlFieldValue_st.nvmlReturn", offsetof(nvml::FieldValue, result)},
           {"offset nvmlFieldValue_st.value", offsetof(nvml::FieldValue, value)},
           {"offset nvmlEventData_st.eventType", offsetof(nvml::EventData, type)},
           {"offset nvmlEventData_st.eventData", offsetof(nvml::EventData, data)},
           {"offset nvmlEventData_st.gpuInstanceId", offsetof(nvml::EventData, gpu_instance)},
           {"offset nvmlGpmMetric_t.value", offsetof(nvml::GpmMetric, value)},
           {"offset nvmlGpmMetric_t.metricInfo", offsetof(nvml::GpmMetric, short_name)},
           {"offset nvmlGpmMetricsGet_t.numMetrics", offsetof(nvml::GpmMetrics, count)},
           {"offset nvmlGpmMetricsGet_t.sample1", offsetof(nvml::GpmMetrics, first)},
           {"offset nvmlGpmMetricsGet_t.metrics", offsetof(nvml::GpmMetrics, metrics)},
           {"offset nvmlProcessUtilizationSample_st.smUtil", offsetof(nvml::ProcessUtilization, sm)}});
}

TEST(NvmlAbi, NumbersAreTheLibrarys) {
  const auto of = [](nvml::Return code) { return static_cast<std::size_t>(code); };
  compare({{"return NVML_SUCCESS", of(nvml::Return::Success)},
           {"return NVML_ERROR_NOT_SUPPORTED", of(nvml::Return::NotSupported)},
           {"return NVML_ERROR_NO_PERMISSION", of(nvml::Return::NoPermission)},
           {"return NVML_ERROR_INSUFFICIENT_SIZE", of(nvml::Return::InsufficientSize)},
           {"return NVML_ERROR_DRIVER_NOT_LOADED", of(nvml::Return::DriverNotLoaded)},
           {"return NVML_ERROR_FUNCTION_NOT_FOUND", of(nvml::Return::FunctionNotFound)},
           {"return NVML_ERROR_GPU_IS_LOST", of(nvml::Return::GpuIsLost)},
           {"return NVML_ERROR_RESET_REQUIRED", of(nvml::Return::ResetRequired)},
           {"return NVML_ERROR_LIB_RM_VERSION_MISMATCH", of(nvml::Return::LibRmVersionMismatch)},
           {"return NVML_ERROR_ARGUMENT_VERSION_MISMATCH", of(nvml::Return::ArgumentVersionMismatch)},
           {"return NVML_ERROR_UNKNOWN", of(nvml::Return::Unknown)},
           {"bit nvmlClocksThrottleReasonGpuIdle", nvml::kReasonIdle},
           {"bit nvmlClocksThrottleReasonSwPowerCap", nvml::kReasonSoftwarePowerCap},
           {"bit nvmlClocksThrottleReasonHwSlowdown", nvml::kReasonHardwareSlowdown},
           {"bit nvmlClocksThrottleReasonSwThermalSlowdown", nvml::kReasonSoftwareThermal},
           {"bit nvmlClocksThrottleReasonHwThermalSlowdown", nvml::kReasonHardwareThermal},
           {"bit nvmlClocksThrottleReasonHwPowerBrakeSlowdown", nvml::kReasonPowerBrake},
           {"bit nvmlEventTypeXidCriticalError", nvml::kEventXid},
           {"bit nvmlEventTypeDoubleBitEccError", nvml::kEventDoubleBit},
           {"field NVML_FI_DEV_MEMORY_TEMP", nvml::kFieldMemoryTemperature},
           {"field NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION", nvml::kFieldTotalEnergy},
           {"field NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON", nvml::kFieldLinkSpeedCommon},
           {"field NVML_FI_DEV_PCIE_REPLAY_COUNTER", nvml::kFieldPcieReplay},
           {"field NVML_FI_DEV_NVLINK_GET_SPEED", nvml::kFieldLinkSpeed},
           {"enum NVML_MEMORY_LOCATION_DRAM", nvml::kLocationDram},
           {"enum NVML_MEMORY_LOCATION_SRAM", nvml::kLocationSram},
           {"enum NVML_MEMORY_LOCATION_CBU", nvml::kLocationCbu},
           {"enum NVML_TEMPERATURE_THRESHOLD_MEM_MAX", nvml::kThresholdMemoryMax},
           {"enum NVML_TEMPERATURE_THRESHOLD_GPU_MAX", nvml::kThresholdGpuMax},
           {"enum NVML_NVLINK_ERROR_DL_CRC_FLIT", nvml::kLinkCrcFlit},
           {"enum NVML_NVLINK_DEVICE_TYPE_SWITCH", nvml::kRemoteSwitch},
           {"limit NVML_NVLINK_MAX_LINKS", nvml::kMaxLinks},
           {"limit NVML_DEVICE_NAME_V2_BUFFER_SIZE", nvml::kNameSize},
           {"limit NVML_DEVICE_UUID_V2_BUFFER_SIZE", nvml::kUuidSize},
           {"limit NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE", nvml::kVersionSize}});
}

/// nvmlMemory_v2 of nvml.h, as nvidia-ml-py prints it; both fabric structures by NVML API reference, R550.
TEST(NvmlAbi, StructuresWithAVersionCarryTheirSize) {
  EXPECT_EQ(nvml::version_of<nvml::MemoryV2>(2), 0x02000028U);
  EXPECT_EQ(sizeof(nvml::FabricInfo), 28U);
  EXPECT_EQ(nvml::version_of<nvml::FabricInfoV2>(2), 0x02000024U);
  EXPECT_EQ(offsetof(nvml::FabricInfoV2, health_mask), 32U);
}

TEST(NvmlAbi, OldStructuresAreTheFirstPartOfTodays) {
  EXPECT_EQ(offsetof(nvml::PciInfoV2, subsystem_id), offsetof(nvml::PciInfo, subsystem_id));
  EXPECT_EQ(sizeof(nvml::PciInfoV2), offsetof(nvml::PciInfo, bus_id));
  EXPECT_EQ(sizeof(nvml::EventDataV1), offsetof(nvml::EventData, gpu_instance));
}

/// Names that the library exports, by nm.
std::vector<std::string> exported(const std::string& variant) {
  const auto ran = run({"nm", "-D", "--defined-only", fakegpu_folder() + variant + "/libnvidia-ml.so.1"});
  std::vector<std::string> names;
  for (const auto line : base::lines(ran.out)) {
    const auto words = base::words(line);
    if (!words.empty()) names.emplace_back(words.back());
  }
  return names;
}

TEST(NvmlAbi, EveryExportedNameIsTheLibrarys) {
  const Table table = read_table();
  const auto later = base::parse_csv(read_file(source_dir() + "/tests/data/nvml/later.csv"), "later.csv");
  ASSERT_TRUE(later.ok());
  std::set<std::string> known{"gpuwright_fakegpu_scenario"};
  for (const auto& row : later->rows) known.insert(later->cell(row, "symbol"));
  const auto names = exported("");
  EXPECT_GT(names.size(), 120U);
  for (const auto& name : names) {
    EXPECT_TRUE(table.count("symbol " + name) != 0 || known.count(name) != 0) << name;
  }
}

TEST(NvmlAbi, AnOldDriversLibraryLacksWhatCameLater) {
  const auto names = exported("/r470");
  const std::set<std::string> all(names.begin(), names.end());
  EXPECT_EQ(all.count("nvmlDeviceGetMemoryInfo_v2"), 0U);
  EXPECT_EQ(all.count("nvmlDeviceGetComputeRunningProcesses_v3"), 0U);
  EXPECT_EQ(all.count("nvmlGpmSampleGet"), 0U);
  EXPECT_EQ(all.count("nvmlDeviceGetComputeRunningProcesses_v2"), 1U);
  EXPECT_EQ(all.count("nvmlDeviceGetMemoryInfo"), 1U);
  const FakeGpu fake("driver 470.256.02\ncuda 11.4\nboards 1 a100-sxm4-80gb\n", "/r470");
  ASSERT_EQ(fake.opened(), nvml::Return::Success);
  EXPECT_EQ(fake.address("nvmlDeviceGetMemoryInfo_v2"), nullptr);
  EXPECT_EQ(fake.celsius(0), 27);
}

}  // namespace
}  // namespace gpuwright::tests
