// Names of a GPU, and Xids: an event for those who wait and the driver's line in the kernel's log. The layout
// "NVRM: Xid (PCI:domain:bus:device): number, pid=..., name=..., text" is that of drivers since R470; the
// words behind it are those of NVIDIA/open-gpu-kernel-modules and of NVIDIA's Xid catalog.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/world.h"
#include "host/nvml_abi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpuwright::fakegpu {
namespace {

struct XidWords {
  std::uint32_t xid;
  const char* words;
};

constexpr XidWords kWords[] = {
    {13, "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address"},
    {31,
     "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f00_00000000. Fault "
     "is "
     "of type FAULT_PDE ACCESS_TYPE_VIRT_READ"},
    {43, "Ch 00000008"},
    {45, "Ch 00000008"},
    {48,
     "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 0, "
     "subpartition 0."},
    {63, "Row Remapper: New row marked for remapping, reset gpu to activate."},
    {64, "Row Remapper: Error writing row remapping info to inforom, reset gpu and retry."},
    {74, "NVLink: fatal error detected on link 0(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"},
    {79, "GPU has fallen off the bus."},
    {92, "High single-bit ECC error rate"},
    {94, "Contained: SM (0x1). RST: No, D-RST: No"},
    {95, "Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"},
    {119,
     "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) "
     "(0x20802a02 0x8)."},
};

const char* words_of(std::uint32_t xid) {
  const auto* found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const XidWords& one) { return one.xid == xid; });
  return found == std::end(kWords) ? "unknown error" : found->words;
}

/// As dmesg prints a record's time.
std::string stamped(double now, const std::string& line) {
  const auto microseconds = static_cast<std::int64_t>(std::llround(std::max(0.0, now) * 1e6));
  return fmt::format("[{:5}.{:06}] {}", microseconds / 1'000'000, microseconds % 1'000'000, line);
}

}  // namespace

std::string kernel_address(const Gpu& gpu) {
  return fmt::format("0000:{:02x}:00", gpu.bus);
}

std::string uuid_of(const Gpu& gpu) {
  const auto text = gpu.texts.find("uuid");
  if (text != gpu.texts.end()) return text->second;
  return fmt::format("GPU-fa4e0000-{:04x}-4000-8000-{:012x}", gpu.board->device_id, gpu.index);
}

std::string serial_of(const Gpu& gpu) {
  const auto text = gpu.texts.find("serial");
  return text != gpu.texts.end() ? text->second : fmt::format("16500000{:05}", gpu.index);
}

void raise_event(World& world, const Gpu& gpu, std::uint64_t type, std::uint64_t data, double now) {
  world.events.push_back({now, gpu.index, type, data});
}

void raise_xid(World& world, Gpu& gpu, std::uint32_t xid, const std::string& detail, double now) {
  const std::string process =
      gpu.processes.empty()
          ? std::string("pid='<unknown>', name=<unknown>")
          : fmt::format("pid={}, name={}", gpu.processes.front().pid, gpu.processes.front().name);
  world.kernel.push_back(stamped(now, fmt::format("NVRM: Xid (PCI:{}): {}, {}, {}", kernel_address(gpu), xid,
                                                  process, detail.empty() ? words_of(xid) : detail)));
  raise_event(world, gpu, host::nvml::kEventXid, xid, now);
  if (xid != 79) return;
  world.kernel.push_back(
      stamped(now, fmt::format("NVRM: GPU {}.0: GPU has fallen off the bus.", kernel_address(gpu))));
  gpu.lost = true;
}

}  // namespace gpuwright::fakegpu
