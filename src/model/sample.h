// What the driver's library said about one GPU at one time. Values stand in the order of the plan that asked
// for them (host/sample_plan.h); a value that could not be had says why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/field.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// A count (exact up to 2^64, which bytes over NVLink need) or a real number, or why there is none.
struct SampleValue {
  enum class Kind : std::uint8_t { Absent, Count, Real };
  Kind kind = Kind::Absent;
  AbsentReason reason = AbsentReason::NotFound;
  std::uint64_t count = 0;
  double real = 0;

  bool known() const { return kind != Kind::Absent; }
  double number() const { return kind == Kind::Real ? real : static_cast<double>(count); }
  static SampleValue of_count(std::uint64_t value) { return {Kind::Count, AbsentReason::NotFound, value, 0}; }
  static SampleValue of_real(double value) { return {Kind::Real, AbsentReason::NotFound, 0, value}; }
  static SampleValue absent(AbsentReason why) { return {Kind::Absent, why, 0, 0}; }
};

/// A part of a GPU with memory and processors of its own.
struct MigPart {
  std::string uuid;
  std::string profile;  ///< "1g.10gb"; empty where unknown
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
};

/// Which GPU this is. Texts are printable; empty where the driver does not tell.
struct SampledGpu {
  std::uint32_t index = 0;  ///< NVML's
  std::string uuid;
  std::string name;
  std::string pci;  ///< "00000000:3B:00.0"
  std::string serial;
  std::string vbios_version;
  std::string inforom_version;
  std::int64_t minor = -1;  ///< of /dev/nvidiaN; -1: unknown
  std::vector<MigPart> parts;
  bool operator==(const SampledGpu&) const = default;
};
inline bool operator==(const MigPart& a, const MigPart& b) {
  return a.uuid == b.uuid && a.gpu_instance == b.gpu_instance && a.compute_instance == b.compute_instance;
}

/// The library as a whole.
struct SampledDriver {
  std::string driver_version;
  std::string nvml_version;
  std::uint32_t gpus = 0;
  bool simulated = false;
};

struct SampledProcess {
  std::int64_t pid = 0;
  std::uint64_t memory_bytes = 0;  ///< ~0: the driver does not tell
  std::int64_t gpu_instance = -1;  ///< -1: of the whole GPU
  bool graphics = false;
};

/// Answers of one MIG instance, by the plan of its GPU: memory, and GPM where the board has it.
struct PartSample {
  std::string uuid;
  std::vector<SampleValue> values;
};

/// All answers of one tick about one GPU.
struct GpuSample {
  std::uint32_t index = 0;
  bool lost = false;  ///< the driver says that the GPU fell off the bus, or needs a reset
  std::string why;    ///< in the library's words, where lost
  std::int64_t took_us = 0;
  std::vector<SampleValue>
      values;                  ///< by plan; those that were not asked in this tick are Absent with NotFound
  bool has_processes = false;  ///< were asked in this tick
  std::vector<SampledProcess> processes;
  std::vector<PartSample> parts;    ///< in whole ticks
  std::vector<std::uint64_t> xids;  ///< of the library's events since the last tick
};

}  // namespace gpuwright::model
