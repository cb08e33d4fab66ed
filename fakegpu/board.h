// What a kind of board is: the constants of fakegpu/boards.csv, one row a kind. What a board does not have is
// zero or empty there, and the calls about it answer NotSupported as the real library does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::fakegpu {

enum class EccSupport { None, Off, On };
enum class Repair { None, RetirePages, RemapRows };

struct Board {
  std::string id;    ///< as scenarios name it
  std::string name;  ///< as NVML prints it
  std::uint32_t architecture = 0;
  std::uint32_t brand = 0;
  std::int32_t capability_major = 0;
  std::int32_t capability_minor = 0;
  std::uint32_t device_id = 0;
  std::uint32_t subsystem_id = 0;
  std::uint32_t cores = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_mib = 0;
  std::uint64_t reserved_mib = 0;
  std::uint64_t bar1_mib = 0;
  std::uint32_t bus_bits = 0;
  double default_w = 0, min_w = 0, max_w = 0, idle_w = 0;
  double idle_c = 0, load_c = 0;  ///< where the temperature settles without load and at full load
  std::uint32_t shutdown_c = 0, slowdown_c = 0, max_c = 0, memory_max_c = 0;
  std::uint32_t graphics_mhz = 0, idle_mhz = 0, memory_mhz = 0, video_mhz = 0;
  std::uint32_t pcie_generation = 0, pcie_lanes = 0;
  std::uint32_t links = 0, link_version = 0, link_mbs = 0;
  EccSupport ecc = EccSupport::None;
  Repair repair = Repair::None;
  std::uint32_t banks = 0;
  std::uint32_t fans = 0;
  std::vector<std::string> mig;  ///< profiles, the largest last; empty without MIG
  bool gpm = false;
  std::string vbios, part, inforom;
};

/// The table that the library carries. Malformed when it is broken, which a test would have shown.
base::Result<std::vector<Board>> boards_from(std::string_view csv);

/// The text of boards.csv, as built in.
std::string_view boards_csv();

/// The share of the board that a MIG profile is.
struct MigShare {
  std::uint32_t compute_slices = 0;
  std::uint32_t memory_eighths = 0;
};
/// Malformed when the board has no such profile.
base::Result<MigShare> mig_share(const Board& board, std::string_view profile);

}  // namespace gpuwright::fakegpu
