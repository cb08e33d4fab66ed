// GPUs as they come up, and the small model of load, power and heat. Power follows load at once, between the
// board's idle power and its limit; temperature follows power with one time constant. Between two changes
// both have a closed form, so the answer does not depend on how often somebody asks.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/world.h"

#include "host/nvml_abi.h"

#include <algorithm>
#include <cmath>

namespace gpuwright::fakegpu {
namespace {

namespace nvml = host::nvml;

constexpr double kTimeConstant = 20;  // seconds; a heavy heat sink under forced air

/// Reasons that halve the clocks.
constexpr std::uint64_t kSlowing = nvml::kReasonHardwareSlowdown | nvml::kReasonSoftwareThermal |
                                   nvml::kReasonHardwareThermal | nvml::kReasonPowerBrake;

double wanted_watts(const Gpu& gpu) {
  const double busy = (gpu.throttle & kSlowing) != 0 ? gpu.load / 2 : gpu.load;
  return gpu.board->idle_w + (gpu.board->default_w - gpu.board->idle_w) * busy;
}

double model_watts(const Gpu& gpu) {
  return std::min(wanted_watts(gpu), gpu.limit_w);
}

/// Where the temperature goes if nothing changes.
double settled_celsius(const Gpu& gpu) {
  const Board& board = *gpu.board;
  const double share = (model_watts(gpu) - board.idle_w) / (board.default_w - board.idle_w);
  return board.idle_c + (board.load_c - board.idle_c) * share;
}

double model_celsius(const Gpu& gpu, double now) {
  const double goal = settled_celsius(gpu);
  const double passed = std::max(0.0, now - gpu.changed);
  return goal + (gpu.celsius - goal) * std::exp(-passed / kTimeConstant);
}

double model_graphics_mhz(const Gpu& gpu, double now) {
  const Board& board = *gpu.board;
  if (gpu.load <= 0) return board.idle_mhz;
  if ((clock_reasons(gpu, now) & kSlowing) != 0) return board.graphics_mhz / 2.0;
  const double wanted = wanted_watts(gpu);
  if (wanted <= gpu.limit_w) return board.graphics_mhz;
  return board.graphics_mhz * std::cbrt(gpu.limit_w / wanted);  // dynamic power goes with about the cube
}

double model_fan(const Gpu& gpu, double now) {
  const double celsius = quantity(gpu, "temperature", now);
  return celsius < 45 ? 0 : std::min(100.0, 30 + (celsius - 45) * 1.6);
}

using Model = double (*)(const Gpu&, double);

struct Quantity {
  const char* name;
  Model model;
};

const Quantity kQuantities[] = {
    {"temperature", model_celsius},
    {"memory-temperature", [](const Gpu& g, double t) { return quantity(g, "temperature", t) + 7; }},
    {"power", [](const Gpu& g, double) { return model_watts(g); }},
    {"power-limit", [](const Gpu& g, double) { return g.limit_w; }},
    {"energy",
     [](const Gpu& g, double t) { return g.joules + model_watts(g) * std::max(0.0, t - g.changed); }},
    {"utilization", [](const Gpu& g, double) { return g.load * 100; }},
    {"memory-utilization", [](const Gpu& g, double) { return g.load * 60; }},
    {"memory-used", [](const Gpu& g, double) { return static_cast<double>(used_bytes(g)); }},
    {"graphics-clock", model_graphics_mhz},
    {"memory-clock", [](const Gpu& g, double) { return static_cast<double>(g.board->memory_mhz); }},
    {"video-clock", [](const Gpu& g, double) { return g.board->video_mhz / (g.load > 0 ? 1.0 : 2.0); }},
    {"fan", model_fan},
    {"encoder", [](const Gpu&, double) { return 0.0; }},
    {"decoder", [](const Gpu&, double) { return 0.0; }},
    {"pcie-sent", [](const Gpu& g, double) { return 350 + g.load * 2e6; }},
    {"pcie-received", [](const Gpu& g, double) { return 330 + g.load * 3e6; }},
    {"pstate", [](const Gpu&, double) { return 0.0; }},
    {"persistence", [](const Gpu&, double) { return 1.0; }},
    {"compute-mode", [](const Gpu&, double) { return 0.0; }},
    {"ecc-mode", [](const Gpu& g, double) { return g.board->ecc == EccSupport::On ? 1.0 : 0.0; }},
};

}  // namespace

const std::vector<std::string>& quantity_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& known : kQuantities) all.emplace_back(known.name);
    return all;
  }();
  return names;
}

double quantity(const Gpu& gpu, const std::string& name, double now) {
  const auto fixed = gpu.fixed.find(name);
  if (fixed != gpu.fixed.end()) return fixed->second;
  for (const auto& known : kQuantities) {
    if (name == known.name) return known.model(gpu, now);
  }
  return 0;
}

void settle(Gpu& gpu, double now) {
  const double passed = std::max(0.0, now - gpu.changed);
  gpu.celsius = model_celsius(gpu, now);
  gpu.joules += model_watts(gpu) * passed;
  for (std::uint64_t bit = 1; bit <= nvml::kReasonDisplayClocks; bit <<= 1) {
    if ((gpu.throttle & bit) != 0) gpu.violation_s[bit] += passed;
  }
  gpu.changed = std::max(gpu.changed, now);
}

std::uint64_t clock_reasons(const Gpu& gpu, double now) {
  std::uint64_t reasons = gpu.throttle;
  const double celsius = quantity(gpu, "temperature", now);
  if (celsius >= gpu.board->slowdown_c) {
    reasons |= nvml::kReasonHardwareThermal | nvml::kReasonHardwareSlowdown;
  } else if (celsius >= gpu.board->max_c) {
    reasons |= nvml::kReasonSoftwareThermal;
  }
  if (gpu.load > 0 && wanted_watts(gpu) > gpu.limit_w) reasons |= nvml::kReasonSoftwarePowerCap;
  if (gpu.load <= 0 && reasons == 0) reasons |= nvml::kReasonIdle;
  return reasons;
}

double violation_seconds(const Gpu& gpu, std::uint64_t reason, double now) {
  const auto so_far = gpu.violation_s.find(reason);
  const double before = so_far == gpu.violation_s.end() ? 0 : so_far->second;
  return before + ((gpu.throttle & reason) != 0 ? std::max(0.0, now - gpu.changed) : 0);
}

std::uint64_t used_bytes(const Gpu& gpu) {
  std::uint64_t sum = 0;
  for (const auto& process : gpu.processes) sum += process.bytes;
  return sum;
}

std::uint64_t slice_bytes(const Gpu& gpu, const Slice& slice) {
  return gpu.board->memory_mib * slice.share.memory_eighths / 8 * 979 / 1000 << 20;
}

Gpu make_gpu(const Board& board, std::uint32_t index, std::uint32_t bus) {
  Gpu gpu;
  gpu.board = &board;
  gpu.index = index;
  gpu.bus = bus;
  gpu.limit_w = board.default_w;
  gpu.celsius = board.idle_c;
  gpu.links.resize(board.links);
  gpu.pcie_generation = board.pcie_generation;
  gpu.pcie_lanes = board.pcie_lanes;
  // Boards behind NVSwitches of the third generation on register with the fabric manager.
  gpu.fabric =
      board.links > 0 && board.architecture >= 9 ? nvml::kFabricCompleted : nvml::kFabricNotSupported;
  return gpu;
}

std::uint32_t bus_of(std::uint32_t index, std::uint32_t count) {
  static constexpr std::uint32_t kEight[] = {0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf};
  static constexpr std::uint32_t kSixteen[] = {0x0f, 0x1b, 0x2b, 0x34, 0x43, 0x4a, 0x52, 0x61,
                                               0x87, 0x90, 0x9d, 0xab, 0xb7, 0xc3, 0xd1, 0xdf};
  return count <= 8 ? kEight[index % 8] : kSixteen[index % 16];
}

}  // namespace gpuwright::fakegpu
