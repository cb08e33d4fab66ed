// The part of NVIDIA's management library (NVML, libnvidia-ml.so.1) that we speak: our own declarations, for
// host/ (which opens the library at run time and links nothing) and for fakegpu/ (which is one). Every name
// here is the library's, so that whoever knows NVML reads on. Later versions of a call come under a name with
// a suffix, and what an old driver lacks is resolved to null: see nvml_library.h. The calls are in
// nvml_calls.h.
//
// Source: NVML API reference, https://docs.nvidia.com/deploy/nvml-api/; sizes and numbers as in the
// nvml-wrapper-sys 0.7 bindings (tests/data/nvml/abi.csv holds them, and a test compares).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gpuwright::host::nvml {

struct DeviceHandle;
using Device = DeviceHandle*;
struct EventSetHandle;
using EventSet = EventSetHandle*;
struct GpmSampleHandle;
using GpmSample = GpmSampleHandle*;

/// What every call returns.
enum class Return : std::int32_t {
  Success = 0,
  Uninitialized = 1,
  InvalidArgument = 2,
  NotSupported = 3,
  NoPermission = 4,
  AlreadyInitialized = 5,
  NotFound = 6,
  InsufficientSize = 7,
  InsufficientPower = 8,
  DriverNotLoaded = 9,
  Timeout = 10,
  IrqIssue = 11,
  LibraryNotFound = 12,
  FunctionNotFound = 13,
  CorruptedInforom = 14,
  GpuIsLost = 15,
  ResetRequired = 16,
  OperatingSystem = 17,
  LibRmVersionMismatch = 18,
  InUse = 19,
  Memory = 20,
  NoData = 21,
  VgpuEccNotSupported = 22,
  InsufficientResources = 23,
  FreqNotSupported = 24,
  ArgumentVersionMismatch = 25,
  Deprecated = 26,
  NotReady = 27,
  GpuNotFound = 28,
  InvalidState = 29,
  Unknown = 999,
};

/// A structure that carries its version: the size in the lower bytes, the number in the top one.
template <class Structure>
constexpr std::uint32_t version_of(std::uint32_t number) {
  return static_cast<std::uint32_t>(sizeof(Structure)) | number << 24;
}

inline constexpr std::uint32_t kNameSize = 96;
inline constexpr std::uint32_t kUuidSize = 96;
inline constexpr std::uint32_t kSerialSize = 30;
inline constexpr std::uint32_t kVersionSize = 80;  // driver, library, board part number, GSP firmware
inline constexpr std::uint32_t kVbiosSize = 32;
inline constexpr std::uint32_t kInforomSize = 16;
inline constexpr std::uint32_t kMaxLinks = 18;
inline constexpr std::uint64_t kValueNotAvailable = ~std::uint64_t{0};  // of used memory of a process

// Enumerations go over the border as plain 32-bit numbers.
inline constexpr std::uint32_t kTemperatureGpu = 0;
enum Threshold : std::uint32_t {
  kThresholdShutdown = 0,
  kThresholdSlowdown = 1,
  kThresholdMemoryMax = 2,
  kThresholdGpuMax = 3
};
enum Clock : std::uint32_t { kClockGraphics = 0, kClockSm = 1, kClockMemory = 2, kClockVideo = 3 };
enum ErrorType : std::uint32_t { kCorrected = 0, kUncorrected = 1 };
enum CounterType : std::uint32_t { kVolatile = 0, kAggregate = 1 };
enum Location : std::uint32_t {
  kLocationL1 = 0,
  kLocationL2 = 1,
  kLocationDram = 2,
  kLocationRegister = 3,
  kLocationTexture = 4,
  kLocationCbu = 6,
  kLocationSram = 7
};
enum RetirementCause : std::uint32_t { kMultipleSingleBit = 0, kDoubleBit = 1 };
enum LinkCounter : std::uint32_t {
  kLinkReplay = 0,
  kLinkRecovery = 1,
  kLinkCrcFlit = 2,
  kLinkCrcData = 3,
  kLinkEccData = 4
};
enum RemoteType : std::uint32_t {
  kRemoteGpu = 0,
  kRemoteIbmNpu = 1,
  kRemoteSwitch = 2,
  kRemoteUnknown = 255
};
enum ValueType : std::uint32_t {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4
};
enum PcieCounter : std::uint32_t { kPcieSent = 0, kPcieReceived = 1 };
// What the driver asks for after a fault (field 230), and slots of two bits in the fabric's health mask.
enum RecoveryAction : std::uint32_t {
  kRecoverNone = 0,
  kRecoverReset = 1,
  kRecoverReboot = 2,
  kRecoverDrainP2p = 3,
  kRecoverDrainAndReset = 4
};
enum FabricHealthShift : std::uint32_t { kDegradedBandwidth = 0, kRouteRecovery = 2, kRouteUnhealthy = 4 };
enum FabricHealth : std::uint32_t { kHealthNotSupported = 0, kHealthTrue = 1, kHealthFalse = 2 };
enum FabricState : std::uint8_t {
  kFabricNotSupported = 0,
  kFabricNotStarted = 1,
  kFabricInProgress = 2,
  kFabricCompleted = 3
};

// Why clocks are not at their highest; bits of one mask.
enum ClockReason : std::uint64_t {
  kReasonIdle = 0x1,
  kReasonApplicationClocks = 0x2,
  kReasonSoftwarePowerCap = 0x4,
  kReasonHardwareSlowdown = 0x8,
  kReasonSyncBoost = 0x10,
  kReasonSoftwareThermal = 0x20,
  kReasonHardwareThermal = 0x40,
  kReasonPowerBrake = 0x80,
  kReasonDisplayClocks = 0x100,
};

enum EventType : std::uint64_t {
  kEventSingleBit = 0x1,
  kEventDoubleBit = 0x2,
  kEventPState = 0x4,
  kEventXid = 0x8,
  kEventClock = 0x10
};

// Fields of nvmlDeviceGetFieldValues.
enum FieldId : std::uint32_t {
  kFieldMemoryTemperature = 82,
  kFieldTotalEnergy = 83,
  kFieldLinkSpeedCommon = 90,
  kFieldPcieReplay = 94,
  kFieldLinkSpeed = 164,
  kFieldRecoveryAction = 230
};

struct PciInfo {
  char bus_id_legacy[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t device_id;  ///< device id in the upper half, vendor in the lower
  std::uint32_t subsystem_id;
  char bus_id[32];
};

struct Utilization {
  std::uint32_t gpu;  ///< per cent of the sample period
  std::uint32_t memory;
};

struct Memory {
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};

struct MemoryV2 {
  std::uint32_t version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};

struct ProcessInfoV1 {
  std::uint32_t pid;
  std::uint64_t used_memory;
};

struct ProcessInfo {  ///< of _v2 and _v3
  std::uint32_t pid;
  std::uint64_t used_memory;
  std::uint32_t gpu_instance;  ///< 0xFFFFFFFF without MIG
  std::uint32_t compute_instance;
};

struct DeviceAttributes {
  std::uint32_t multiprocessors;
  std::uint32_t copy_engines;
  std::uint32_t decoders;
  std::uint32_t encoders;
  std::uint32_t jpeg;
  std::uint32_t optical_flow;
  std::uint32_t gpu_instance_slices;
  std::uint32_t compute_instance_slices;
  std::uint64_t memory_mib;
};

struct RemapperHistogram {
  std::uint32_t max;  ///< banks with all spare rows
  std::uint32_t high;
  std::uint32_t partial;
  std::uint32_t low;
  std::uint32_t none;
};

union Value {
  double real;
  std::uint32_t u32;
  std::uint64_t u64;
  std::int64_t s64;
};

struct FieldValue {
  std::uint32_t field;
  std::uint32_t scope;
  std::int64_t timestamp_us;
  std::int64_t latency_us;
  std::uint32_t type;
  Return result;
  Value value;
};

struct EventData {
  Device device;
  std::uint64_t type;
  std::uint64_t data;  ///< the Xid
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};

struct Violation {
  std::uint64_t reference_ns;
  std::uint64_t violation_ns;
};

struct FabricInfo {
  std::uint8_t cluster_uuid[16];
  Return status;
  std::uint32_t clique;
  std::uint8_t state;
};

struct FabricInfoV2 {
  std::uint32_t version;
  std::uint8_t cluster_uuid[16];
  Return status;
  std::uint32_t clique;
  std::uint8_t state;
  std::uint32_t health_mask;
};

struct GpmMetric {
  std::uint32_t id;
  Return result;
  double value;
  const char* short_name;
  const char* long_name;
  const char* unit;
};

inline constexpr std::uint32_t kMaxGpmMetrics = 98;

struct GpmMetrics {
  std::uint32_t version;
  std::uint32_t count;
  GpmSample first;
  GpmSample second;
  GpmMetric metrics[kMaxGpmMetrics];
};

struct GpmSupport {
  std::uint32_t version;
  std::uint32_t supported;
};

}  // namespace gpuwright::host::nvml
