// Faults of a GPU's memory, clocks and links, as scenario lines tell them.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/health_lines.h"

#include "host/nvml_abi.h"

namespace gpuwright::fakegpu {

namespace nvml = host::nvml;

base::Result<GpuEffect> read_ecc(const Words& words, const Gpu& gpu) {
  const bool form = words.size() == 4 && (words[1] == "corrected" || words[1] == "uncorrected") &&
                    (words[2] == "dram" || words[2] == "sram");
  if (!form) return wrong("write: ecc corrected|uncorrected dram|sram COUNT");
  if (gpu.board->ecc == EccSupport::None) return wrong(gpu.board->id + " has no ECC");
  GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[3]));
  const std::size_t type = words[1] == "corrected" ? nvml::kCorrected : nvml::kUncorrected;
  const bool dram = words[2] == "dram";
  return GpuEffect([=](World& world, Gpu& changed, double now) {
    auto& counts = (dram ? changed.dram : changed.sram)[type];
    for (auto& one : counts) one += count;
    raise_event(world, changed, type == nvml::kCorrected ? nvml::kEventSingleBit : nvml::kEventDoubleBit, 0,
                now);
  });
}

base::Result<GpuEffect> read_remap(const Words& words, const Gpu& gpu) {
  if (gpu.board->repair != Repair::RemapRows) return wrong(gpu.board->id + " has no row remapping");
  if (words.size() == 2 && words[1] == "pending") {
    return GpuEffect([](World&, Gpu& changed, double) {
      changed.remap_pending = true;
      if (changed.remapped_uncorrected == 0) changed.remapped_uncorrected = 1;
    });
  }
  if (words.size() == 2 && words[1] == "failure") {
    return GpuEffect([](World&, Gpu& changed, double) { changed.remap_failed = true; });
  }
  if (words.size() == 3 && (words[1] == "corrected" || words[1] == "uncorrected")) {
    GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[2]));
    const bool corrected = words[1] == "corrected";
    return GpuEffect([=](World&, Gpu& changed, double) {
      (corrected ? changed.remapped_corrected : changed.remapped_uncorrected) += count;
    });
  }
  return wrong("write: remap pending, remap failure, or remap corrected|uncorrected COUNT");
}

base::Result<GpuEffect> read_retire(const Words& words, const Gpu& gpu) {
  if (gpu.board->repair != Repair::RetirePages) return wrong(gpu.board->id + " does not retire pages");
  if (words.size() == 2 && words[1] == "pending") {
    return GpuEffect([](World&, Gpu& changed, double) { changed.retire_pending = true; });
  }
  if (words.size() == 3 && (words[1] == "single-bit" || words[1] == "double-bit")) {
    GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[2], 64));
    const bool single = words[1] == "single-bit";
    return GpuEffect([=](World&, Gpu& changed, double) {
      (single ? changed.retired_single : changed.retired_double) += count;
    });
  }
  return wrong("write: retire pending, or retire single-bit|double-bit COUNT");
}

base::Result<GpuEffect> read_throttle(const Words& words, const Gpu&) {
  struct Reason {
    const char* word;
    std::uint64_t bits;
  };
  static constexpr Reason kReasons[] = {
      {"none", 0},
      {"power-brake", nvml::kReasonPowerBrake | nvml::kReasonHardwareSlowdown},
      {"hw-thermal", nvml::kReasonHardwareThermal | nvml::kReasonHardwareSlowdown},
      {"sw-thermal", nvml::kReasonSoftwareThermal},
      {"power-cap", nvml::kReasonSoftwarePowerCap},
      {"sync-boost", nvml::kReasonSyncBoost},
      {"application-clocks", nvml::kReasonApplicationClocks},
  };
  for (const auto& reason : kReasons) {
    if (words.size() != 2 || words[1] != reason.word) continue;
    return GpuEffect([bits = reason.bits](World& world, Gpu& gpu, double now) {
      gpu.throttle = bits == 0 ? 0 : gpu.throttle | bits;
      raise_event(world, gpu, nvml::kEventClock, 0, now);
    });
  }
  return wrong(
      "write: throttle power-brake|hw-thermal|sw-thermal|power-cap|sync-boost|application-clocks|none");
}

base::Result<GpuEffect> read_nvlink(const Words& words, const Gpu& gpu) {
  static constexpr const char* kCounters[] = {"replay", "recovery", "crc-flit", "crc-data", "ecc-data"};
  if (gpu.links.empty()) return wrong(gpu.board->id + " has no NVLink");
  std::uint32_t link = 0;
  if (words.size() >= 3) {
    GPUWRIGHT_TRY(link, read_count(words[1], static_cast<std::uint32_t>(gpu.links.size()) - 1));
  }
  if (words.size() == 3 && (words[2] == "down" || words[2] == "up")) {
    const bool up = words[2] == "up";
    return GpuEffect([=](World&, Gpu& changed, double) { changed.links[link].up = up; });
  }
  for (std::size_t counter = 0; counter < std::size(kCounters) && words.size() == 4; ++counter) {
    if (words[2] != kCounters[counter]) continue;
    GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[3]));
    return GpuEffect([=](World&, Gpu& changed, double) { changed.links[link].errors[counter] += count; });
  }
  return wrong("write: nvlink LINK down|up, or nvlink LINK replay|recovery|crc-flit|crc-data|ecc-data COUNT");
}

base::Result<GpuEffect> read_pcie(const Words& words, const Gpu& gpu) {
  if (words.size() == 3 && words[1] == "replays") {
    GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[2]));
    return GpuEffect([=](World&, Gpu& changed, double) { changed.pcie_replays += count; });
  }
  if (words.size() == 3 && words[2].front() == 'x') {
    GPUWRIGHT_TRY(const std::uint32_t generation, read_count(words[1], gpu.board->pcie_generation));
    GPUWRIGHT_TRY(const std::uint32_t lanes, read_count(words[2].substr(1), gpu.board->pcie_lanes));
    return GpuEffect([=](World&, Gpu& changed, double) {
      changed.pcie_generation = generation;
      changed.pcie_lanes = lanes;
    });
  }
  return wrong("write: pcie GENERATION xLANES, such as pcie 4 x8, or pcie replays COUNT");
}

base::Result<GpuEffect> read_xid(const Words& words, const Gpu&) {
  if (words.size() < 2)
    return wrong("write: xid NUMBER, and the driver's words if others than its usual ones");
  GPUWRIGHT_TRY(const std::uint32_t xid, read_count(words[1], 1023));
  std::vector<std::string> detail(words.begin() + 2, words.end());
  return GpuEffect([xid, text = base::join(detail, " ")](World& world, Gpu& gpu, double now) {
    raise_xid(world, gpu, xid, text, now);
  });
}

base::Result<GpuEffect> read_fabric(const Words& words, const Gpu& gpu) {
  static constexpr const char* kStates[] = {"not-supported", "not-started", "in-progress", "completed"};
  if (gpu.links.empty()) return wrong(gpu.board->id + " is on no NVLink fabric");
  for (std::uint8_t state = 1; state < std::size(kStates) && words.size() == 2; ++state) {
    if (words[1] != kStates[state]) continue;
    return GpuEffect([=](World&, Gpu& changed, double) { changed.fabric = state; });
  }
  if (words.size() == 2 && words[1] == "degraded")
    return GpuEffect([](World&, Gpu& changed, double) { changed.fabric_degraded = true; });
  if (words.size() == 2 && words[1] == "route-unhealthy")
    return GpuEffect([](World&, Gpu& changed, double) { changed.fabric_route_unhealthy = true; });
  return wrong("write: fabric not-started|in-progress|completed|degraded|route-unhealthy");
}

base::Result<GpuEffect> read_recovery(const Words& words, const Gpu& /*gpu*/) {
  static constexpr const char* kActions[] = {"none", "reset", "reboot", "drain-p2p", "drain-and-reset"};
  for (std::uint32_t action = 0; action < std::size(kActions) && words.size() == 2; ++action) {
    if (words[1] != kActions[action]) continue;
    return GpuEffect([=](World&, Gpu& changed, double) { changed.recovery_action = action; });
  }
  return wrong("write: recovery none|reset|reboot|drain-p2p|drain-and-reset");
}

base::Result<GpuEffect> read_text(const Words& words, const Gpu&) {
  if (words.size() != 2) return wrong("write: " + std::string(words[0]) + " and one word");
  return GpuEffect([name = std::string(words[0]), text = std::string(words[1])](World&, Gpu& gpu, double) {
    gpu.texts[name] = text;
  });
}

}  // namespace gpuwright::fakegpu
