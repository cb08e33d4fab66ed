// The simulated machine: its GPUs, what they count, and what has happened so far. The world knows no clock
// and no file: whoever owns it (simulator.h) tells it the time, in seconds since the scenario began. All that
// follows is a pure function of the scenario's lines and of that time, so that two processes see the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fakegpu/board.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gpuwright::fakegpu {

inline constexpr std::uint32_t kMostGpus = 16;
inline constexpr std::uint32_t kMostSlices = 7;
inline constexpr double kForever = 1e18;
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;

struct Process {
  enum class Kind { Compute, Graphics, Mps };
  std::uint32_t pid = 0;
  std::string name;
  std::uint64_t bytes = 0;
  Kind kind = Kind::Compute;
  std::uint32_t slice = kNoInstance;  ///< index into Gpu::slices
};

struct Slice {
  std::string profile;
  MigShare share;
  std::uint32_t instance = 0;  ///< GPU instance id
};

struct Link {
  bool up = true;
  std::array<std::uint64_t, 5> errors{};  ///< by host::nvml::LinkCounter
};

struct Hang {
  std::string call;  ///< "all" or a call's name
  double until = 0;
  std::string file;  ///< not a wait but this file is read: the call sleeps where the kernel lets it sleep
};

/// Errors of one kind of memory: [corrected, uncorrected][volatile, aggregate].
using EccCounts = std::array<std::array<std::uint64_t, 2>, 2>;

struct Gpu {
  const Board* board = nullptr;
  std::uint32_t index = 0;
  std::uint32_t bus = 0;
  bool lost = false;
  std::map<std::string, double> fixed;  ///< quantities that a line has nailed down
  std::map<std::string, std::string> texts;
  // Load and what follows from it; settled at `changed` and extrapolated from there.
  double load = 0;  ///< 0 to 1
  double limit_w = 0;
  double changed = 0;
  double celsius = 0;
  double joules = 0;
  std::uint64_t throttle = 0;  ///< host::nvml::ClockReason bits that a line has set
  std::map<std::uint64_t, double> violation_s;
  EccCounts dram{}, sram{};
  std::uint32_t remapped_corrected = 0, remapped_uncorrected = 0;
  bool remap_pending = false, remap_failed = false;
  std::uint32_t retired_single = 0, retired_double = 0;
  bool retire_pending = false;
  std::vector<Link> links;
  std::uint32_t pcie_generation = 0, pcie_lanes = 0, pcie_replays = 0;
  std::uint8_t fabric = 0;
  bool fabric_degraded = false;
  bool fabric_route_unhealthy = false;
  std::uint32_t recovery_action = 0;
  std::vector<Process> processes;
  std::vector<Slice> slices;
  std::vector<Hang> hangs;
  std::map<std::string, std::int32_t> errors;
  std::set<std::string> crashes;  ///< calls that end the process
  std::set<std::string> garbled;  ///< calls whose text is cut and broken
};

struct Event {
  double at = 0;
  std::uint32_t gpu = 0;
  std::uint64_t type = 0;
  std::uint64_t data = 0;
};

struct World {
  std::string driver = "570.133.20";
  std::string cuda = "12.8";
  std::vector<Gpu> gpus;
  std::set<std::string> missing;
  double locked_until = 0;
  std::string locked_file;  ///< every call reads it
  std::vector<Event> events;
  std::vector<std::string> kernel;  ///< lines of the kernel's log, with its time stamp
};

/// A GPU of this kind as it comes up.
Gpu make_gpu(const Board& board, std::uint32_t index, std::uint32_t bus);

/// PCI bus of the GPU with this index on a server with `count` of them, in rising order as NVML numbers them.
std::uint32_t bus_of(std::uint32_t index, std::uint32_t count);

/// Brings celsius, joules and violation times up to `now`. Before each change of what they depend on.
void settle(Gpu& gpu, double now);

/// A quantity that scenario lines can fix ("temperature", "power" ...): the fixed value, or what the model
/// says.
double quantity(const Gpu& gpu, const std::string& name, double now);
/// The names that quantity() knows.
const std::vector<std::string>& quantity_names();

/// Why clocks are not at their highest, now.
std::uint64_t clock_reasons(const Gpu& gpu, double now);
/// Seconds so far in which this reason held, of those that scenario lines have set.
double violation_seconds(const Gpu& gpu, std::uint64_t reason, double now);

/// Memory in bytes that processes hold.
std::uint64_t used_bytes(const Gpu& gpu);

/// Memory of a MIG instance: its eighths, less what the driver keeps of each (as 9984 of 10195 MiB on H100).
std::uint64_t slice_bytes(const Gpu& gpu, const Slice& slice);

/// "0000:3b:00" as the driver prints it in its log lines.
std::string kernel_address(const Gpu& gpu);
std::string uuid_of(const Gpu& gpu);
std::string serial_of(const Gpu& gpu);

/// Raises an Xid: the event, the driver's line in the kernel's log, and for 79 the loss of the GPU. An empty
/// detail takes the driver's usual words for that number.
void raise_xid(World& world, Gpu& gpu, std::uint32_t xid, const std::string& detail, double now);
/// Adds an event for those who wait.
void raise_event(World& world, const Gpu& gpu, std::uint64_t type, std::uint64_t data, double now);

}  // namespace gpuwright::fakegpu
